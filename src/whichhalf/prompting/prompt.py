"""One version of a prompt: a Jinja template with a `system` and a `user` block."""

import hashlib
import json
from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from jinja2 import StrictUndefined, Template, TemplateError, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from whichhalf.errors import PromptError
from whichhalf.prompting.rendered import Message, RenderedPrompt

_BLOCKS = ("system", "user")
_as_json = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode
# Values are never parsed as templates; escaping would only change what the judge reads.
_ENVIRONMENT = ImmutableSandboxedEnvironment(
    undefined=StrictUndefined,
    autoescape=False,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=False,
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A parsed template. `sha256` is that of its text with \\n line ends."""

    name: str
    version: str
    sha256: str
    text: str = field(repr=False)
    variables: frozenset[str]
    """What `render` must be given, apart from the fence."""
    _template: Template = field(repr=False, compare=False)

    @classmethod
    def from_text(cls, name: str, version: str, text: str) -> "Prompt":
        """Compile a template. Raises PromptError for bad syntax or a missing block."""
        text = text.replace("\r\n", "\n")
        try:
            tree = _ENVIRONMENT.parse(text)
            variables = meta.find_undeclared_variables(tree)
            template = _ENVIRONMENT.from_string(tree)
        except TemplateError as error:
            raise PromptError(f"{name}/{version}: {error}") from error
        missing = [block for block in _BLOCKS if block not in template.blocks]
        if missing:
            raise PromptError(f"{name}/{version}: has no block {missing[0]!r}")
        return cls(name, version, _sha256(text), text, frozenset(variables - {"fence"}), template)

    def render(self, variables: Mapping[str, object]) -> RenderedPrompt:
        """The messages for these variables; the same variables always give the same messages.

        Raises PromptError when a variable is missing or the template does not know it.
        """
        self.check_variables(variables.keys())
        known = {**_ENVIRONMENT.globals, **variables, "fence": self.fence(variables)}
        context = self._template.new_context(known, shared=True)  # else it adds the globals itself, much slower
        try:
            contents = {block: "".join(self._template.blocks[block](context)).strip() for block in _BLOCKS}
        except TemplateError as error:
            raise PromptError(f"{self.name}/{self.version}: {error}") from error
        messages = (Message("system", contents["system"]), Message("user", contents["user"]))
        return RenderedPrompt(self.name, self.version, self.sha256, messages)

    def check_variables(self, given: Set[str]) -> None:
        """Raises PromptError when one is missing or the template does not know it."""
        missing, unknown = self.variables - given, given - self.variables
        if missing or unknown:
            detail = f"lacks {', '.join(sorted(missing))}" if missing else f"does not use {', '.join(sorted(unknown))}"
            raise PromptError(f"{self.name}/{self.version}: {detail}")

    def fence(self, variables: Mapping[str, object]) -> str:
        """A border that occurs in none of the texts it encloses."""
        texts = _as_json([self.name, self.version, dict(variables)])
        draw = 0
        while (fence := _sha256(f"{draw}{texts}")[:12]) in texts:
            draw += 1
        return fence


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()
