"""Labels by quote: what passages hold of a quote, and what the retrieval metrics make of it. Values by hand."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.catalogue import RETRIEVAL, Choices, build_metric, example_names
from whichhalf.core.case import Case, EvidenceQuote, Passage, Question
from whichhalf.core.held_quotes import wanted_quote
from whichhalf.core.outcome import Outcome, Scored, Undefined
from whichhalf.errors import InputError
from whichhalf.retrieval.evidence import NOTE, look_for_quotes
from whichhalf.retrieval.family import Conventions
from whichhalf.retrieval.quote_index import QuoteIndex, unresolved_quotes

QUOTE = "The deposit of thirty euros is paid back by bank transfer."
"""3 + 7 + 2 + 6 + 5 + 2 + 4 + 4 + 2 + 4 + 8 = 47 letters."""
FIRST, SECOND = "The deposit of thirty euros", "is paid back by bank transfer."
"""23 and 24 letters."""


def passages(*texts: str | None, doc: str | None = None) -> tuple[Passage, ...]:
    return tuple(Passage(id=f"c{number}", text=text, doc=doc) for number, text in enumerate(texts, start=1))


def share(quote: str, *texts: str, doc: str | None = None) -> float:
    wanted = wanted_quote(EvidenceQuote(quote=quote, doc=doc))
    return wanted.share(part for passage in passages(*texts) for part in wanted.parts(passage))


def build(quotes: Sequence[str | EvidenceQuote], texts: Sequence[str | None]) -> Case:
    evidence = tuple(EvidenceQuote(quote=one) if isinstance(one, str) else one for one in quotes)
    return Case(question=Question(id="q", text="?", evidence=evidence), retrieved=passages(*texts))


def value(name: str, quotes: Sequence[str], texts: Sequence[str]) -> float:
    outcome = build_metric(name, Choices()).score(build(quotes, texts))
    assert isinstance(outcome, Scored)
    assert outcome.notes == (NOTE,)
    return outcome.value


@pytest.mark.parametrize(
    ("texts", "letters"),
    [
        ([QUOTE], 47),
        (["Before. " + QUOTE + " After."], 47),
        (["the  DEPOSIT of thirty\neuros—is paid"], 0),  # a dash that the quote does not have
        (["Before. **The deposit** of\nthirty euros is paid back by bank trans\u00adfer"], 47),
        (["Before. " + FIRST], 23),
        ([SECOND + " After."], 24),
        (["Before. " + FIRST, SECOND + " After."], 47),
        ([SECOND + " After.", "Before. " + FIRST], 47),
        (["Before. " + FIRST, "is paid back", "by bank transfer. After."], 47),
        (["Before. " + FIRST, "by bank transfer. After."], 23 + 14),
        (["thirty euros is paid"], 6 + 5 + 2 + 4),  # lies wholly inside the quote
        (["Before. " + FIRST + " is paid", "thirty euros " + SECOND], 47),  # overlapping chunks
        (["Before. " + FIRST + " or more"], 0),  # goes on differently: the quote is not there
        (["A thing like the deposit of thirty euro"], 3 + 7 + 2 + 6),  # cut inside a word, which does not count
        (["Like the deposit of thirty eu", "ros is paid back by ba", "nk transfer. After."], 47),  # and does in both
        (["He likes the deposit"], 0),  # two words may agree by accident
        (["He likes the"], 0),
        (["transfer. After."], 0),
        (["He likes the", "deposit of thirty euros " + SECOND], 47),  # unless they complete the rest
        (["Before. " + FIRST + " is paid back by bank", "transfer. After."], 47),
        (["Before. The deposit of", "by bank transfer. After."], 12 + 14),
        (["Before. The deposit of", "bank transfer. After."], 12),
        ([""], 0),
        ([], 0),
    ],
)
def test_what_passages_hold_of_a_quote(texts: list[str], letters: int) -> None:
    assert share(QUOTE, *texts) == letters / 47


@pytest.mark.parametrize(
    ("quote", "texts", "expected"),
    [
        ("12 days", ["It takes 12 days."], 1.0),  # whole, however short
        ("12 days", ["It takes 12", "days or more"], 1.0),
        ("12 days", ["It takes 12"], 0.0),
        ("in total you pay 1,250 euros", ["So in total you pay 1,"], 13 / 22),  # a number cut in two does not count
        ("in total you pay 1,250 euros", ["So in total you pay 1,", "250 euros a year"], 1.0),
        ("a well-known rule of law", ["This is a well-", "known rule of law"], 1.0),
        ("under international law", ["It stands under inter-", "national law"], 1.0),
        ("租金五百元每月付款一次", ["这里的租金五百元", "每月付款一次。"], 1.0),  # no spaces, cut anywhere
        ("租金五百元每月付款一次", ["这里的租金五百元每"], 6 / 11),
        ("租金五百元每月付款一次", ["这里的租金五百元"], 0.0),  # five letters count as ten: not enough
        ("…", ["… anything"], 0.0),
    ],
)
def test_short_quotes_numbers_and_scripts(quote: str, texts: list[str], expected: float) -> None:
    assert share(quote, *texts) == expected


def test_a_quote_is_looked_for_in_its_document_where_both_name_one() -> None:
    wanted = wanted_quote(EvidenceQuote(quote=QUOTE, doc="rules"))
    held = {doc: wanted.share(wanted.parts(Passage(id="c", text=QUOTE, doc=doc))) for doc in ("rules", "news", None)}
    assert held == {"rules": 1.0, "news": 0.0, None: 1.0}


def test_parts_of_two_documents_do_not_complete_one_another() -> None:
    wanted = wanted_quote(EvidenceQuote(quote=QUOTE))
    halves = [Passage(id="a", doc="rules", text="He likes the"), Passage(id="b", doc="news", text=QUOTE[4:])]
    assert wanted.share(part for one in halves for part in wanted.parts(one)) == 44 / 47


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("recall@1", 0.0),
        ("recall@2", (23 / 47 + 0) / 2),
        ("recall@3", (23 / 47 + 1) / 2),
        ("recall@4", 1.0),
        ("recall@9", 1.0),
        ("set_recall", 1.0),
        ("precision@1", 0.0),
        ("precision@2", 0.0),  # 23 of 47 letters are less than half
        ("precision@3", 1 / 3),
        ("precision@4", 2 / 4),
        ("precision@10", 2 / 10),
        ("set_precision", 2 / 5),
        ("hit_rate@2", 0.0),
        ("hit_rate@3", 1.0),
        ("rr", 1 / 3),
        ("rr@2", 0.0),
        ("f1@4", 2 * 1.0 * 0.5 / 1.5),
        ("set_f1", 2 * 1.0 * 0.4 / 1.4),
    ],
)
def test_metrics_by_hand(name: str, expected: float) -> None:
    texts = ["Nothing here.", "Before. " + FIRST, "It takes 12 days.", SECOND, "Nor here."]
    assert value(name, [QUOTE, "takes 12 days"], texts) == pytest.approx(expected, abs=1e-15)


def test_every_other_metric_needs_labels_on_passages() -> None:
    defined = {"recall", "precision", "f1", "hit_rate", "rr", "set_recall", "set_precision", "set_f1"}
    for name in example_names()[: len(RETRIEVAL)]:
        metric = build_metric(name, Choices())
        outcome = metric.score(build([QUOTE], [QUOTE]))
        if metric.card.name.family in defined:
            assert isinstance(outcome, Scored)
        else:
            assert outcome == Undefined(because="no_passage_labels", notes=(NOTE,))


def test_ids_come_first_while_they_are_there() -> None:
    case = build([QUOTE], ["Nothing.", QUOTE])
    labelled = case.model_copy(update={"question": case.question.model_copy(update={"relevant": {"c1": 1}})})
    assert build_metric("rr", Choices()).score(labelled) == Scored(value=1.0)
    assert build_metric("rr", Choices()).score(case) == Scored(value=0.5, notes=(NOTE,))


def test_the_usual_outcomes_hold_for_quotes() -> None:
    def score(case: Case, name: str = "recall@5") -> Outcome:
        return build_metric(name, Choices()).score(case)

    case = build([QUOTE], [])
    assert score(case) == Scored(value=0.0, notes=(NOTE,))
    silent = case.model_copy(update={"retrieved": None, "has_output": False})
    assert score(silent) == Scored(value=0.0, notes=(NOTE, "no output row: counted as nothing retrieved"))
    assert score(case, "recall@5[context]") == Undefined(because="context_not_logged")


def test_a_passage_without_text_is_an_error() -> None:
    with pytest.raises(InputError, match=r"question 'q' is scored by quotes, and passage 'c2' has no text"):
        build_metric("recall@5", Choices()).score(build([QUOTE], ["Nothing.", None]))


def test_repeated_ids() -> None:
    one, other = Passage(id="a", text="Nothing."), Passage(id="b", text=QUOTE)
    question = build([QUOTE], []).question
    first = look_for_quotes(question, [one, one, other, other])
    assert (first.recalls, first.hit_ranks, first.copies) == ((0.0, 0.0, 1.0, 1.0), (3,), 2)
    collapsed = look_for_quotes(question, [one, one, other, other], "collapse")
    assert (collapsed.recalls, collapsed.hit_ranks, collapsed.copies) == ((0.0, 1.0), (2,), 2)
    with pytest.raises(InputError, match="passage 'a' is ranked more than once"):
        look_for_quotes(question, [one, one], "error")
    case = Case(question=question, retrieved=(one, one, other))
    outcome = build_metric("rr", Choices(conventions=Conventions(duplicates="collapse"))).score(case)
    assert outcome == Scored(value=0.5, notes=(NOTE, "1 position(s) repeat an id"))


WORDS = st.sampled_from(
    ["rent", "Über", "café", "naïve", "the", "of", "is", "5", "1.5", "1,250", "-3", "€40", "12%", "non-deductible",
     "can't", "m²", "½", "(b)", "“may”", "5*3", "10:30", "end.", "pay,", "**bold**", "दस", "the", "of"]
) | st.text("abcxyzäéñ", min_size=1, max_size=6)  # fmt: skip
TEXTS = st.lists(WORDS, min_size=2, max_size=40)
LETTERS = st.lists(st.text("abcxyz", min_size=1, max_size=8), min_size=1, max_size=20).map(" ".join)


def cut(words: Sequence[str], borders: set[int], between: str = " ") -> list[str]:
    """The words as passages that begin at the borders."""
    starts = sorted({0, *borders})
    return [between.join(words[start:end]) for start, end in zip(starts, [*starts[1:], len(words)], strict=True)]


def some_quote(words: Sequence[str], data: st.DataObject, between: str = " ") -> str:
    start = data.draw(st.integers(0, len(words) - 1))
    return between.join(words[start : data.draw(st.integers(start + 1, len(words)))])


def has_word(text: str) -> bool:
    return wanted_quote(EvidenceQuote(quote=text)).size > 0


@given(TEXTS, st.sets(st.integers(1, 39), max_size=12), st.data())
def test_recall_lies_between_0_and_1_and_never_falls(words: list[str], borders: set[int], data: st.DataObject) -> None:
    quotes = [some_quote(words, data), data.draw(st.lists(WORDS, min_size=1, max_size=6).map(" ".join))]
    texts = data.draw(st.permutations(cut(words, {one for one in borders if one < len(words)})))
    ranking = look_for_quotes(build(quotes, []).question, passages(*texts))
    assert all(0.0 <= one <= 1.0 for one in ranking.recalls)
    assert list(ranking.recalls) == sorted(ranking.recalls)


@given(TEXTS, st.data())
def test_both_halves_of_a_passage_hold_what_it_held(words: list[str], data: st.DataObject) -> None:
    quote = some_quote(words, data)
    border = data.draw(st.integers(1, len(words) - 1))
    assert share(quote, " ".join(words)) == float(has_word(quote))
    assert share(quote, *cut(words, {border})) == float(has_word(quote))


@given(TEXTS, st.sets(st.integers(1, 39)), st.data())
def test_the_whole_document_holds_every_quote_however_chunked(
    words: list[str], borders: set[int], data: st.DataObject
) -> None:
    quote = some_quote(words, data)
    texts = data.draw(st.permutations(cut(words, {one for one in borders if one < len(words)})))
    assert share(quote, *texts) == float(has_word(quote))


@given(LETTERS, st.sets(st.integers(1, 99)), st.data())
def test_also_where_words_are_cut(text: str, borders: set[int], data: st.DataObject) -> None:
    quote = some_quote(text.split(), data)
    assert share(quote, *cut(text, {one for one in borders if one < len(text)}, "")) == 1.0


@given(st.text("租金五百元每月付款一次。，", min_size=2, max_size=30), st.sets(st.integers(1, 29)), st.data())
def test_also_in_scripts_without_spaces(text: str, borders: set[int], data: st.DataObject) -> None:
    quote = some_quote(text, data, "")
    assert share(quote, *cut(text, {one for one in borders if one < len(text)}, "")) == float(has_word(quote))


@given(TEXTS, st.integers(1, 10), st.integers(0, 9), st.data())
def test_overlapping_chunks_hold_every_quote(words: list[str], step: int, overlap: int, data: st.DataObject) -> None:
    quote = some_quote(words, data)
    texts = [" ".join(words[start : start + step + overlap]) for start in range(0, len(words), step)]
    assert share(quote, *texts) == float(has_word(quote))


@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=4))
def test_no_text_is_too_strange(quote: str, texts: list[str]) -> None:
    if quote:
        assert 0.0 <= share(quote, *texts) <= 1.0


def corpus_of(*found: Passage) -> dict[str, Passage]:
    return {passage.id: passage for passage in found}


RULES = corpus_of(
    Passage(id="r1", doc="rules", text="Every member pays a deposit. The deposit of thirty euros"),
    Passage(id="r2", doc="rules", text="is paid back by bank transfer. A loan lasts seven days."),
    Passage(id="n1", doc="news", text="The shed is closed in winter."),
)


@pytest.mark.parametrize(
    ("label", "said"),
    [
        (EvidenceQuote(quote="A loan lasts seven days."), None),
        (EvidenceQuote(quote=QUOTE), None),  # across two passages
        (
            EvidenceQuote(quote="A loan lasts nine days."),
            "q: the quote “A loan lasts nine days.” stands nowhere in the corpus; "
            "nearest is 'r2' of 'rules': “A loan lasts seven days.”",
        ),
        (
            EvidenceQuote(quote="The shed is closed in winter", doc="rules"),
            "q: the quote “The shed is closed in winter” of 'rules' stands nowhere in the corpus; "
            "nearest is 'n1' of 'news': “The shed is closed in winter.”",
        ),
        (
            EvidenceQuote(quote="The deposit of thirty euros is never paid back"),
            "q: the quote “The deposit of thirty euros is never paid back” only 61% of it stands in the corpus; "
            "nearest is 'r1' of 'rules': “member pays a deposit. The deposit of thirty euros”",
        ),
        (
            EvidenceQuote(quote="Xylophones welcome"),
            "q: the quote “Xylophones welcome” stands nowhere in the corpus",
        ),
    ],
)
def test_quotes_that_resolve_nowhere(label: EvidenceQuote, said: str | None) -> None:
    found = unresolved_quotes([Question(id="q", text="?", evidence=(label,))], RULES)
    assert [str(one) for one in found] == ([said] if said else [])


def test_the_index_finds_the_passages_that_hold_a_quote() -> None:
    index = QuoteIndex(RULES)
    assert [one.id for one in index.holders(EvidenceQuote(quote=QUOTE))] == ["r1", "r2"]
    assert [one.id for one in index.holders(EvidenceQuote(quote="lasts seven days"))] == ["r2"]
    assert index.holders(EvidenceQuote(quote="lasts seven days", doc="news")) == ()


def test_quotes_are_found_in_a_large_corpus() -> None:
    """Every true quote resolves, also one cut by a border; every altered one is listed with its own passage."""
    random = Random(0)
    words = [f"{random.choice('abcdefgh')}{min(int(random.expovariate(0.02)), 400)}" for _ in range(100_000)]
    corpus = corpus_of(
        *(Passage(id=str(start), text=" ".join(words[start : start + 100])) for start in range(0, len(words), 100))
    )
    starts = [random.randrange(len(words) - 20) for _ in range(200)]
    quotes = [words[start : start + 20] for start in starts]
    true = [Question(id=str(n), text="?", evidence=(EvidenceQuote(quote=" ".join(q)),)) for n, q in enumerate(quotes)]
    assert unresolved_quotes(true, corpus) == []
    altered = [" ".join([*quote[:10], "altered", *quote[11:]]) for quote in quotes if quote[10] != "altered"]
    untrue = [
        Question(id=str(number), text="?", evidence=(EvidenceQuote(quote=one),)) for number, one in enumerate(altered)
    ]
    found = unresolved_quotes(untrue, corpus)
    assert len(found) == len(untrue)
    own = [{str(at // 100 * 100), str((at + 19) // 100 * 100)} for at in starts]
    assert all(one.nearest is not None and one.nearest.id in own[int(one.question)] for one in found)


def test_no_questions_no_reading() -> None:
    assert unresolved_quotes([Question(id="q", text="?")], RULES) == []
