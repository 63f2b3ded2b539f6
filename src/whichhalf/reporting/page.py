"""HTML pages: one file each, without scripts of others, without network, whatever stands in the data."""

import hashlib
import json
import threading
from base64 import b64encode
from collections.abc import MutableMapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import BaseLoader, ChoiceLoader, Environment, FileSystemLoader, ModuleLoader, StrictUndefined, Template
from markupsafe import Markup

from whichhalf.reporting.inert_text import inert, shortened
from whichhalf.reporting.run_words import counts_in_words
from whichhalf.reporting.terminal_text import number

_TEMPLATES = Path(__file__).with_name("templates")
COMPILED = _TEMPLATES / f"compiled-{version('jinja2')}"
"""What a wheel holds of them ready to run. Another Jinja might escape otherwise, and compiles them itself."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def render_page(template_name: str, view: object, script_name: str | None = None) -> str:
    """A whole page. The template sees `view`, plain data whose texts are escaped wherever they are put.

    `script_name` names a script of this package, the only one that the page's content policy lets run.
    Raises jinja2.TemplateError when the template asks for something that the view does not have.
    """
    script = (_TEMPLATES / script_name).read_text(encoding="utf-8") if script_name else ""
    page = _ENVIRONMENT.get_template(template_name)
    return page.render(view=view, script=Markup(script), policy=_policy(script))


def load_templates(*names: str) -> None:
    """Do it now rather than when they are first needed."""
    for name in names:
        _ENVIRONMENT.get_template(name)


def render_part(template_name: str, view: object) -> Markup:
    """A part of a page, for the body of a section. Texts are escaped as in a whole page."""
    return Markup(_ENVIRONMENT.get_template(template_name).render(view=view))


def _policy(script: str) -> str:
    if not script:
        return _POLICY
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"{_POLICY}; script-src 'sha256-{digest}'"


def _put(value: object) -> object:
    """What stands in a page for a value: text is made inert, and is then escaped unless it is markup of ours."""
    return inert(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _as_json(value: object) -> str:
    """Text as it stands, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class _Compiled(ModuleLoader):
    """One thread at a time: two would take the module that one of them has just imported from each other."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._guard = threading.Lock()

    def load(self, environment: Environment, name: str, globals: MutableMapping[str, Any] | None = None) -> Template:
        with self._guard:
            return super().load(environment, name, globals)


def _environment(loader: BaseLoader) -> Environment:
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_put,
        trim_blocks=True,
        lstrip_blocks=True,
        optimized=False,  # a template is used once or twice in a process: that takes longer than it saves
    )
    environment.filters |= {"number": number, "counts": counts_in_words, "short": shortened, "tojson_text": _as_json}
    return environment


_SOURCES = FileSystemLoader(_TEMPLATES)
_ENVIRONMENT = _environment(ChoiceLoader([_Compiled(COMPILED), _SOURCES]))


def compile_templates(folder: Path) -> None:
    """Write all of them ready to run, for a wheel."""
    _environment(_SOURCES).compile_templates(folder, extensions=["html", "css"], zip=None, ignore_errors=False)
