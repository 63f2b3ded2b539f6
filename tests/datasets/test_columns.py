"""Names on our side are checked; paths on theirs reach inside."""

import pytest

from whichhalf.datasets.columns import check_columns, hint, map_columns
from whichhalf.errors import Fault, InputError


def test_every_unknown_name_on_our_side_is_listed() -> None:
    with pytest.raises(InputError) as caught:
        check_columns({"answr": "a", "id": "b", "contxt": "c"}, {"id", "answer"})
    assert caught.value.faults == (
        Fault("no such field; there are answer, id", field="[data.columns] answr"),
        Fault("no such field; there are answer, id", field="[data.columns] contxt"),
    )


def test_known_names_pass() -> None:
    check_columns({"id": "b"}, {"id", "answer"})


DATA = {"a": {"b": {"c": 1}, "list": [1]}, "a.b": 2, "id": "q1", "none": None}
PATHS = {
    "a key": ("id", {"x": "q1"}),
    "a key with a dot wins over a path": ("a.b", {"x": 2}),
    "a path": ("a.b.c", {"x": 1}),
    "a value of null is found": ("none", {"x": None}),
    "a path that ends early": ("a.b.d", {}),
    "a path through a list": ("a.list.0", {}),
    "switched off": ("", {}),
}


@pytest.mark.parametrize(("path", "mapped"), PATHS.values(), ids=PATHS.keys())
def test_paths(path: str, mapped: dict[str, object]) -> None:
    assert map_columns(DATA, {"x": path}, {"x"}) == mapped


def test_without_columns_a_row_is_left_as_it_is() -> None:
    assert map_columns({"unknown": 1}, {}, {"id"}) == {"unknown": 1}


def test_no_hint_for_a_name_nobody_uses() -> None:
    assert hint("colour") == ""
