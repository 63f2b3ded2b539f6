"""Any first part of the order holds every slice in about its share."""

from hypothesis import given
from hypothesis import strategies as st

from whichhalf.core.case import Case, Question
from whichhalf.running.spread import spread_order


def cases(topics: list[str]) -> list[Case]:
    return [
        Case(question=Question(id=f"q{number}", text="?", tags={"topic": topic} if topic else {}))
        for number, topic in enumerate(topics)
    ]


@given(st.lists(st.sampled_from(["", "a", "b", "c"]), max_size=60), st.integers(0, 5))
def test_every_first_part_is_a_fair_sample(topics: list[str], seed: int) -> None:
    order = spread_order(cases(topics), ["topic"], seed)
    assert sorted(order) == list(range(len(topics)))
    for end in range(1, len(order) + 1):
        for topic in set(topics):
            share = topics.count(topic) * end / len(topics)
            assert abs(sum(topics[position] == topic for position in order[:end]) - share) <= 2 + len(set(topics))


def test_the_seed_draws_the_order() -> None:
    some = cases(["a", "b"] * 20)
    assert spread_order(some, ["topic"], 1) == spread_order(some, ["topic"], 1)
    assert spread_order(some, ["topic"], 1) != spread_order(some, ["topic"], 2)


def test_rows_of_one_slice_at_the_top_of_the_file_do_not_come_first() -> None:
    order = spread_order(cases(["a"] * 30 + ["b"] * 10), ["topic"], 0)
    assert sum(position >= 30 for position in order[:20]) in (4, 5, 6)
