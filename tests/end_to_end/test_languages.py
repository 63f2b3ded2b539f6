"""Answers in many languages, from a file to the terminal: claims stay in their language and no letter is lost.

The texts below are our own; real passages in 16 languages are read from beside the project.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from whichhalf.cli.main import main
from whichhalf.core.outcome import Scored
from whichhalf.judging.sentences import split_sentences
from whichhalf.running.run_folder import read_run

ROOT = Path(__file__).parents[2]
PASSAGES = ROOT.parent / "shared" / "data" / "context" / "nomiracl_17langs.jsonl"

OWN = {
    "Chinese": ["图书馆每天上午九点开门。", "借书证的费用是二十元。", "学生不需要付费。"],
    "Japanese": ["図書館は毎日午前九時に開きます。", "カードの料金は五百円です。", "学生は無料です。"],
    "Thai": ["ห้องสมุดเปิดทุกวันเวลาเก้าโมงเช้า", "บัตรสมาชิกราคาห้าร้อยบาท", "นักเรียนไม่ต้องจ่ายเงิน"],
    "Korean": ["도서관은 매일 아침 아홉 시에 문을 엽니다.", "회원증의 요금은 오천 원입니다."],
    "Hindi": ["पुस्तकालय रोज़ सुबह नौ बजे खुलता है।", "सदस्यता का शुल्क पाँच सौ रुपये है।"],
    "Hinglish": ["Library roz subah nau baje khulti hai.", "Card ki fees 500 rupaye hai."],
    "Arabic": ["تفتح المكتبة كل يوم في الساعة التاسعة.", "رسوم البطاقة خمسة دنانير."],
    "Persian": ["کتابخانه هر روز ساعت نه باز می‌شود.", "هزینهٔ کارت پنجاه تومان است."],
    "Bengali": ["গ্রন্থাগার প্রতিদিন সকাল নয়টায় খোলে।", "কার্ডের মূল্য পাঁচশ টাকা।"],
    "Russian": ["Библиотека открывается каждый день в девять.", "Карта стоит пятьсот рублей."],
    "Yoruba": ["Ilé-ìkàwé máa ń ṣí ní aago mẹ́sàn-án.", "Owó káàdì jẹ́ ẹgbẹ̀rún náírà."],
}
BETWEEN = {"Chinese": "", "Japanese": "", "Thai": " "}


def run_and_show(folder: Path, texts: dict[str, str], capsys: Any, monkeypatch: Any) -> tuple[Any, dict[str, str]]:
    """Each text is an answer and the passage it came from. The run, and what `show` prints of each question."""
    golden = [{"id": name, "question": f"{text[:40]}?"} for name, text in texts.items()]
    outputs = [{"id": name, "answer": text, "context": [{"id": "p1", "text": text}]} for name, text in texts.items()]
    for name, rows in (("golden", golden), ("outputs", outputs)):
        lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (folder / "config.toml").write_text(
        '[data]\ngolden = "golden.jsonl"\noutputs = "outputs.jsonl"\n'
        '[metrics]\njudged = ["faithfulness", "answer_relevance"]\n[run]\nout = "runs"\ncoverage_floor = 0.0\n',
        encoding="utf-8",
    )
    assert command(monkeypatch, "run", folder / "config.toml", "--quiet") == 0
    [run] = (folder / "runs").iterdir()
    shown = {}
    for name in texts:
        capsys.readouterr()
        assert command(monkeypatch, "show", run, name) == 0
        shown[name] = capsys.readouterr().out
    return read_run(run), shown


def command(monkeypatch: Any, *arguments: object) -> object:
    monkeypatch.setattr(sys, "argv", ["whichhalf", *map(str, arguments)])
    with pytest.raises(SystemExit) as stopped:
        main()
    return stopped.value.code


def unwrapped(text: str) -> str:
    """Without white space: a terminal breaks lines of scripts without spaces anywhere."""
    return "".join(text.split())


def claims_of(run: Any, name: str) -> Sequence[str] | None:
    outcomes = {result.case.id: result.outcomes["faithfulness"] for result in run.results}
    outcome = outcomes[name]
    return [one.claim.text for one in outcome.verdicts] if isinstance(outcome, Scored) else None


def test_claims_are_the_sentences_of_the_answer_and_are_supported(
    tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    texts = {name: BETWEEN.get(name, " ").join(sentences) for name, sentences in OWN.items()}
    run, shown = run_and_show(tmp_path, texts, capsys, monkeypatch)
    for name, sentences in OWN.items():
        assert claims_of(run, name) == sentences, name
        assert all(unwrapped(f"✓ {sentence} supported") in unwrapped(shown[name]) for sentence in sentences), name
    assert {name: result.outcomes["faithfulness"].kind for name, result in zip(OWN, run.results, strict=True)} == (
        dict.fromkeys(OWN, "scored")
    )


@pytest.fixture(scope="module")
def rows() -> list[Any]:
    if not PASSAGES.exists():
        pytest.skip(f"../{PASSAGES.relative_to(ROOT.parent)} is not beside the project")
    return [json.loads(line) for line in PASSAGES.read_text(encoding="utf-8").splitlines()]


def test_real_passages_of_every_language_as_answers(
    rows: list[Any], tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    texts = {row["id"]: row["contexts"][0]["text"] for row in rows}
    assert len({row["meta"]["language"] for row in rows}) >= 16
    run, shown = run_and_show(tmp_path, texts, capsys, monkeypatch)
    assert len(run.results) == len(rows)
    for name, text in texts.items():
        [result] = [one for one in run.results if one.case.id == name]
        assert result.case.answer == text
        assert result.outcomes["faithfulness"].kind in ("scored", "undefined")
        assert "\ufffd" not in shown[name]
        for claim in claims_of(run, name) or ():
            assert claim in text
            assert unwrapped(claim) in unwrapped(shown[name])
    scored = [name for name in texts if claims_of(run, name)]
    assert len(scored) >= 0.9 * len(texts)


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_real_passages_without_spaces_have_more_than_one_sentence(rows: list[Any], language: str) -> None:
    texts = [one["text"] for row in rows if row["meta"]["language"] == language for one in row["contexts"]]
    assert len(texts) >= 20
    several = [text for text in texts if text.count("。") >= 3]
    assert len(several) >= 10
    assert all(len(split_sentences(text)) >= 2 for text in several)
