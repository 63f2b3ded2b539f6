"""Tell whether a reply ends in the middle of its JSON."""


def is_unfinished(text: str) -> bool:
    """Whether the first object or list that opens in the text is still open at its end."""
    starts = [at for at in (text.find("{"), text.find("[")) if at >= 0]
    depth = 0
    in_string = escaped = False
    for character in text[min(starts) :] if starts else "":
        if in_string:
            in_string = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            in_string = True
        elif character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
            if depth == 0:
                return False
    return depth > 0
