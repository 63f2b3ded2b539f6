"""An outcome is a number in [0, 1] or the reason there is none; nothing in between."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from whichhalf.core.outcome import Failed, Outcome, Scored, Undefined

ANY: TypeAdapter[Outcome] = TypeAdapter(Outcome)
NUMBERS = st.floats(0.0, 1.0)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), -0.0001, 1.0000001, None, "high"])
def test_a_score_is_a_finite_number_from_0_to_1(value: float) -> None:
    with pytest.raises(ValidationError):
        Scored(value=value)
    with pytest.raises(ValidationError):
        Scored(value=0.5, bounds=(0.0, value))


@pytest.mark.parametrize(
    "data",
    [
        {"kind": "scored", "value": 1.0, "reason": "because"},
        {"kind": "undefined", "because": "no_claims", "value": 0.0},
        {"kind": "failed", "stage": "s", "error": "e", "message": "m", "value": 0.0},
        {"kind": "undefined", "because": "i_said_so"},
        {"kind": "skipped"},
        {"value": 1.0},
        {"kind": "scored"},
    ],
)
def test_unknown_keys_kinds_and_reasons_are_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ANY.validate_python(data)


def test_outcomes_do_not_change() -> None:
    scored = Scored(value=0.5)
    with pytest.raises(ValidationError, match="frozen"):
        scored.value = 1.0  # type: ignore[misc]


@given(
    st.builds(Scored, value=NUMBERS, bounds=st.none() | st.tuples(NUMBERS, NUMBERS), verdicts=st.just(()))
    | st.builds(Undefined)
    | st.builds(Failed)
)
def test_what_is_written_is_read_back(outcome: Outcome) -> None:
    assert ANY.validate_json(ANY.dump_json(outcome)) == outcome
