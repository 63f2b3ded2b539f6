"""Rendering: strict variables, a sandbox, and fences that no text can close."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.errors import PromptError
from whichhalf.prompting.prompt import Prompt

TEMPLATE = (
    "{% block system %}Check.{% endblock %}{% block user %}[{{ fence }}]\n{{ text }}\n[{{ fence }} end]{% endblock %}"
)
PROMPT = Prompt.from_text("check", "v1", TEMPLATE)


def user(text: str) -> str:
    return PROMPT.render({"text": text}).messages[1].content


def fence_of(rendered: str) -> str:
    return rendered[1 : rendered.index("]")]


def test_a_rendered_prompt_names_its_template() -> None:
    rendered = PROMPT.render({"text": "x"})
    assert (rendered.name, rendered.version, rendered.sha256) == ("check", "v1", PROMPT.sha256)
    assert [message.role for message in rendered.messages] == ["system", "user"]
    assert rendered.messages[0].content == "Check."


def test_the_hash_does_not_depend_on_line_ends() -> None:
    assert Prompt.from_text("check", "v1", TEMPLATE.replace("\n", "\r\n")).sha256 == PROMPT.sha256
    assert Prompt.from_text("check", "v1", TEMPLATE + " ").sha256 != PROMPT.sha256


def test_a_template_has_the_functions_of_its_language() -> None:
    template = TEMPLATE.replace("{{ text }}", "{% for one in range(3) %}{{ one }}: {{ text }} {% endfor %}")
    assert "0: x 1: x 2: x" in Prompt.from_text("check", "v1", template).render({"text": "x"}).messages[1].content


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({}, "check/v1: lacks text"),
        ({"text": "x", "contxt": "y"}, "check/v1: does not use contxt"),
    ],
)
def test_variables_must_match(variables: dict[str, str], said: str) -> None:
    with pytest.raises(PromptError, match=said):
        PROMPT.render(variables)


def test_bug_212_braces_of_json_are_text() -> None:
    template = TEMPLATE.replace("Check.", 'Reply as {"verdict": 1} or {"verdicts": [{"claim": {}}]}, not {claim}.')
    rendered = Prompt.from_text("check", "v1", template).render({"text": '{"a": {0}}'})
    assert rendered.messages[0].content == 'Reply as {"verdict": 1} or {"verdicts": [{"claim": {}}]}, not {claim}.'
    assert '\n{"a": {0}}\n' in rendered.messages[1].content


def test_bug_214_a_misspelt_variable_is_named_with_its_prompt() -> None:
    template = TEMPLATE.replace("{{ text }}", "{{ text }} Context: {{ contxt }}")
    with pytest.raises(PromptError, match=r"^claims/v2: lacks contxt$"):
        Prompt.from_text("claims", "v2", template).render({"text": "x"})


def test_an_undefined_attribute_is_an_error_not_a_blank() -> None:
    template = TEMPLATE.replace("{{ text }}", "{{ text.missing }}")
    with pytest.raises(PromptError, match="missing"):
        Prompt.from_text("check", "v1", template).render({"text": {"present": 1}})


@pytest.mark.parametrize(
    "template",
    [
        "{% block system %}{% endblock %}",
        "{% block user %}{% endblock %}",
        "{% block system %}{{ open }{% endblock %}{% block user %}{% endblock %}",
    ],
    ids=["no user block", "no system block", "bad syntax"],
)
def test_a_broken_template_is_refused(template: str) -> None:
    with pytest.raises(PromptError, match="check/v1"):
        Prompt.from_text("check", "v1", template)


def test_the_sandbox_keeps_templates_from_python() -> None:
    template = TEMPLATE.replace("{{ text }}", "{{ text.__class__.__mro__ }}")
    with pytest.raises(PromptError):
        Prompt.from_text("check", "v1", template).render({"text": "x"})


@pytest.mark.parametrize("text", ["{{ fence }}", "{% endblock %}", "{# #}", 'Reply as {"verdict": 1}', "<b>&amp;</b>"])
def test_texts_are_data_and_come_out_as_they_are(text: str) -> None:
    assert f"\n{text}\n" in user(text)


@given(st.text())
def test_no_text_holds_the_fence_around_it(text: str) -> None:
    assert fence_of(user(text)) not in text


def test_a_text_that_quotes_its_own_fence_gets_another() -> None:
    text = "answer"
    for _ in range(5):
        text += fence_of(user(text))
    assert fence_of(user(text)) not in text


def test_the_same_question_renders_the_same_and_another_does_not() -> None:
    assert user("a") == user("a")
    assert fence_of(user("a")) != fence_of(user("b"))
