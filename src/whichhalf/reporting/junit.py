"""A night as JUnit XML, the form CI systems read: one test a gate and, on request, one a case."""

import unicodedata
from collections.abc import Iterator
from xml.etree import ElementTree as Xml

from whichhalf.core.outcome import Failed
from whichhalf.core.run import CaseResult, Run
from whichhalf.running.gate import GateWord
from whichhalf.running.night import Night

_KINDS: dict[GateWord, str] = {"failed": "failure", "incomplete": "error", "not_compared": "skipped"}


def night_as_junit(night: Night, run: Run, *, cases: bool = False) -> str:
    """XML text. A failed gate is a failure; what could not be decided or scored is an error; no comparison is skipped.

    `cases` adds one test a case, which errs where a metric failed: a judge that could not answer says nothing about
    the assistant.
    """
    suites = Xml.Element("testsuites", name="whichhalf")
    _add_suite(suites, "gates", list(_gate_tests(night)), night.seconds)
    if cases:
        _add_suite(suites, "cases", [_case_test(result) for result in run.results], None)
    Xml.indent(suites)
    return Xml.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _add_suite(parent: Xml.Element, name: str, tests: list[Xml.Element], seconds: float | None) -> None:
    counts = {f"{kind}s": sum(test.find(kind) is not None for test in tests) for kind in ("failure", "error")}
    skipped = sum(test.find("skipped") is not None for test in tests)
    attributes = {"name": name, "tests": len(tests), **counts, "skipped": skipped}
    suite = Xml.SubElement(parent, "testsuite", {key: str(value) for key, value in attributes.items()})
    if seconds is not None:
        suite.set("time", f"{seconds:.3f}")
    suite.extend(tests)


def _gate_tests(night: Night) -> Iterator[Xml.Element]:
    for one in night.gates:
        yield _gate_test(one.gate, one.verdict, one.sentence)
    if night.canary is not None:
        yield _gate_test("canary", night.canary.word, night.canary.sentence)


def _gate_test(name: str, word: GateWord, sentence: str) -> Xml.Element:
    test = _test("gates", name)
    if word == "passed":
        Xml.SubElement(test, "system-out").text = _legal(sentence)
    else:
        _say(test, _KINDS[word], sentence)
    return test


def _case_test(result: CaseResult) -> Xml.Element:
    test = _test("cases", result.case.id)
    failed = {name: one for name, one in result.outcomes.items() if isinstance(one, Failed)}
    if failed:
        _say(test, "error", "; ".join(f"{name}: {one.error}: {one.message}" for name, one in failed.items()))
    return test


def _test(group: str, name: str) -> Xml.Element:
    return Xml.Element("testcase", classname=f"whichhalf.{group}", name=_legal(name))


def _say(test: Xml.Element, kind: str, sentence: str) -> None:
    Xml.SubElement(test, kind, message=_legal(sentence))


def _legal(text: str) -> str:
    """Without the characters that XML 1.0 cannot hold."""
    kept = (one if one in "\t\n\r" or unicodedata.category(one) not in {"Cc", "Cs"} else "�" for one in text)
    return "".join("�" if one in "\ufffe\uffff" else one for one in kept)
