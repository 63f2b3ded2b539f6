"""A reply that ends inside its JSON is told from one that is no JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.judging.unfinished import is_unfinished

VALUES: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), VALUES, min_size=1), st.data())
def test_every_part_of_an_object_is_unfinished(value: dict[str, object], data: st.DataObject) -> None:
    text = json.dumps(value)
    end = data.draw(st.integers(1, len(text) - 1))
    assert is_unfinished(text[:end])
    assert not is_unfinished(text)
    assert not is_unfinished(f"Here it is: {text} Shall I explain?")


@pytest.mark.parametrize("text", ["", "N/A", "prose without any", "} ]", '{"a": "b\\"}"}', "[]"])
def test_what_is_no_json_is_not_unfinished(text: str) -> None:
    assert not is_unfinished(text)


@pytest.mark.parametrize("text", ['```json\n{"verdicts": [{"cl', '{"a": "b\\"}', '[1, {"a": 2}'])
def test_torn_replies(text: str) -> None:
    assert is_unfinished(text)
