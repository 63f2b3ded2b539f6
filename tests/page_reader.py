"""Read a page back as a browser would: elements with their attributes and all the text inside."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

_NUMBERS = {"mean", "low", "high", "micro", "scored", "worst", "best"}
_VOID = {"meta", "link", "br", "input", "wbr"}


@dataclass(slots=True)
class Element:
    tag: str
    attributes: dict[str, str]
    text: str = ""
    inside: list["Element"] = field(default_factory=list)
    """Everything within, in document order."""

    @property
    def classes(self) -> set[str]:
        return set(self.attributes.get("class", "").split())

    def all(self, tag: str, kind: str | None = None) -> list["Element"]:
        """Elements within of one tag, and of one class where it is given."""
        return [one for one in self.inside if one.tag == tag and (kind is None or kind in one.classes)]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("page", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        for one in self._open:
            one.inside.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        closed = self._open.pop()
        assert closed.tag == tag, f"</{tag}> closes <{closed.tag} {closed.attributes}>"

    def handle_data(self, data: str) -> None:
        for one in self._open:
            one.text += data


def read_page(text: str) -> Element:
    """The whole page. Fails where an element is not closed by its own tag."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert [one.tag for one in reader._open] == ["page"]
    return reader.root


def numbers_of(row: Element) -> dict[str, float]:
    """What a row of a metric says, exactly."""
    return {kind: float(one.attributes["value"]) for one in row.all("data") for kind in one.classes & _NUMBERS}


def rows_of(page: Element) -> dict[str, Element]:
    """Metric → its row in the tables of means."""
    return {one.attributes["data-metric"]: one for one in page.all("tr") if "data-metric" in one.attributes}
