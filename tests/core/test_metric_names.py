"""One string is a metric's name everywhere: parsing what is printed gives it back, and nonsense says what is wrong."""

from string import ascii_lowercase, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.catalogue import JUDGED, RETRIEVAL, Choices, build_metric, build_metrics, example_names, source_of
from whichhalf.core.metric import MetricName
from whichhalf.core.options import STAGES
from whichhalf.errors import InputError

WORDS = st.text(ascii_lowercase + digits + "_", max_size=12)
FAMILIES = st.sampled_from([*RETRIEVAL, *JUDGED]) | st.builds("{}{}".format, st.sampled_from(ascii_lowercase), WORDS)
OPTION_TEXT = st.text(ascii_lowercase + digits + "_.-[]@", min_size=1, max_size=8)
NAMES = st.builds(
    MetricName,
    FAMILIES,
    st.dictionaries(OPTION_TEXT, OPTION_TEXT, max_size=3).map(lambda options: tuple(sorted(options.items()))),
    st.none() | st.integers(1, 10**9),
    st.none() | st.sampled_from(STAGES),
)


@given(NAMES)
def test_parsing_what_is_printed_gives_it_back(name: MetricName) -> None:
    assert MetricName.parse(str(name)) == name


@given(NAMES)
def test_printing_what_is_parsed_gives_it_back(name: MetricName) -> None:
    assert str(MetricName.parse(f"  {name}\n")) == str(name)


@given(st.text(max_size=30) | st.text("recall()@[]=,5 ", max_size=20))
def test_any_text_is_a_name_or_an_input_error(text: str) -> None:
    try:
        name = MetricName.parse(text)
    except InputError:
        return
    assert MetricName.parse(str(name)) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("recall@5", MetricName("recall", k=5)),
        ("recall@50[retrieved]", MetricName("recall", k=50, stage="retrieved")),
        ("rr", MetricName("rr")),
        ("faithfulness", MetricName("faithfulness")),
        ("ndcg(gain=linear)@10[context]", MetricName("ndcg", (("gain", "linear"),), 10, "context")),
        ("ndcg( gain = linear )@10", MetricName("ndcg", (("gain", "linear"),), 10)),
        ("ndcg()@10", MetricName("ndcg", k=10)),
        ("m(b=2,a=1)", MetricName("m", (("a", "1"), ("b", "2")))),
        ("recall@007", MetricName("recall", k=7)),
    ],
)
def test_names_users_type(text: str, name: MetricName) -> None:
    assert MetricName.parse(text) == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recall@0", "metric 'recall@0': k starts at 1"),
        ("recall@000", "k starts at 1"),
        ("recall@-1", "cannot be read; a name looks like ndcg"),
        ("recall@2.5", "cannot be read"),
        ("recall@five", "cannot be read"),
        ("recall@", "cannot be read"),
        ("recall@٥", "cannot be read"),
        ("recall@5@6", "cannot be read"),
        ("recall 5", "cannot be read"),
        ("Recall@5", "cannot be read"),
        ("", "cannot be read"),
        ("@5", "cannot be read"),
        ("recall[retrieved]@5", "cannot be read"),
        ("ndcg(gain=linear", "cannot be read"),
        ("ndcg((gain=linear))@5", "cannot be read"),
        ("recall@5[]", "cannot be read"),
        ("recall@5[candidates]", "unknown stage 'candidates'; stages are retrieved, reranked, context"),
        ("ndcg(linear)@5", r"options look like \(gain=linear\), not \(linear\)"),
        ("ndcg(=linear)@5", "options look like"),
        ("ndcg(gain=)@5", "options look like"),
        ("ndcg(gain=linear,gain=exponential)@5", "option 'gain' is given twice"),
    ],
)
def test_nonsense_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        MetricName.parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recal@5", "there is no metric 'recal'; there are recall, precision, "),
        ("recall", "'recall' needs a cut, for example recall@5"),
        ("recall(gain=linear)@5", "unknown option 'gain'; it has none"),
        ("ndcg(base=2)@5", "unknown option 'base'; it knows gain"),
        ("ndcg(gain=log)@5", "gain is one of exponential, linear, not 'log'"),
        ("faithfulness", "needs a judge"),
    ],
)
def test_a_name_must_be_one_of_the_catalogue(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        build_metric(text, Choices())


def test_one_metric_has_one_name() -> None:
    names = ["ndcg@5", "ndcg(gain=exponential)@5", "ndcg@5[retrieved]", "ndcg@05"]
    assert [str(metric.card.name) for metric in build_metrics(names, Choices())] == ["ndcg@5[retrieved]"]


def test_run_wide_choices_become_part_of_the_name() -> None:
    choices = Choices(stage="reranked", defaults={"gain": "linear"})
    built = build_metrics(["ndcg@5", "ndcg(gain=exponential)@5", "recall@5", "ndcg@5[context]"], choices)
    assert [str(metric.card.name) for metric in built] == [
        "ndcg(gain=linear)@5[reranked]",
        "ndcg@5[reranked]",
        "recall@5[reranked]",
        "ndcg(gain=linear)@5[context]",
    ]


def test_every_family_has_an_example_and_a_source() -> None:
    examples = [MetricName.parse(text) for text in example_names()]
    assert {name.family for name in examples} == {*RETRIEVAL, *JUDGED}
    assert all(source_of(name) for name in examples)
