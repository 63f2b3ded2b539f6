"""The cells of a golden set or of outputs kept as a table: text in, the values of a JSON Lines row out.

An empty cell says nothing. Lists of ids are JSON or parted by semicolons; whatever has parts of its own is JSON; tags
have a column each, named `tag:topic`.
"""

from collections.abc import Mapping

from whichhalf.datasets.json_lines import parse_json

TAG = "tag:"
_IDS = {"relevant", "retrieved", "reranked", "context"}
_JSON = {"evidence", "history", "meta", "origin", "passage_sha256", "tags"}


def gather_tags(row: Mapping[str, object]) -> dict[str, object]:
    """The row with its tag columns as one field `tags`, which wins over a column of that name."""
    tags = {name.removeprefix(TAG): cell for name, cell in row.items() if name.startswith(TAG) and cell}
    rest = {name: cell for name, cell in row.items() if not name.startswith(TAG)}
    return {**rest, "tags": tags} if tags else rest


def cell_value(field: str, cell: object) -> object:
    """The value of one cell; None when it is empty. Raises ValueError for broken JSON."""
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    if not text:
        return None
    if field in _JSON or (field in _IDS and text[0] in "[{") or (field == "reference_answers" and text[0] == "["):
        return parse_json(text)
    if field in _IDS:
        return [part.strip() for part in text.split(";")]
    return text if field == "id" else cell
