"""Quotes made from texts at random: true ones with the noise that copying leaves, and forged ones.

`true_quote` and `forged_quote` give (quote, text). A forged quote differs from every passage of the text in a letter, a
digit, a sign or a word; that it is forged is found out here by other means than those of the package.
"""

import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from random import Random

CORPUS = Path(__file__).parents[1] / "fixtures" / "tax_assistant" / "corpus.jsonl"
OTHERS = (
    "Die Gebühr beträgt 1.250,50 EUR und ist bis zum 31. Juli fällig. Überweisungen dauern höchstens zwei Werktage.",
    "La cuota anual es de 45 € para mayores de 65 años. No hay descuento después del día 15 de cada mes.",
    "किराये की रसीद 3,000 रुपये से अधिक होने पर ज़रूरी है। बैंक से भुगतान करना होगा।",
    "Kiraya 8,500 se upar ho to agreement zaroori hai. Cash mein diya hua kiraya nahin mana jaayega.",
    "The valve opens at −5 °C and closes at 12.5 °C. Flow is limited to 3/4 of the nominal 40 l/min; never exceed 95%.",
)


def texts() -> list[str]:
    """The demo's passages and a few in other languages and notations."""
    lines = CORPUS.read_text(encoding="utf-8").splitlines()
    return [*(json.loads(line)["text"] for line in lines), *OTHERS]


TEXTS = texts()
_WORD = re.compile(r"\S+")


def _piece(rng: Random) -> tuple[str, str]:
    """At least three neighbouring words of a text, as they stand there, and the text."""
    text = rng.choice(TEXTS)
    words = list(_WORD.finditer(text))
    length = rng.randint(3, min(14, len(words)))
    start = rng.randrange(len(words) - length + 1)
    return text[words[start].start() : words[start + length - 1].end()], text


def true_quote(rng: Random) -> tuple[str, str]:
    quote, text = _piece(rng)
    while len(_words(quote)) < 2:  # the border of a table
        quote, text = _piece(rng)
    for noise in rng.sample(NOISES, rng.randint(0, 3)):
        quote = noise(quote, rng)
    return quote, text


def forged_quote(rng: Random) -> tuple[str, str]:
    while True:
        piece, text = _piece(rng)
        words = _words(piece)
        forged = rng.choice(FORGERIES)(words, rng) if len(words) > 2 else None
        if forged is not None and not _stands_in(forged, text):
            return " ".join(forged), text


def _words(text: str) -> list[str]:
    """Pieces between blanks, without those that hold no letter or digit, such as the borders of a table."""
    return [word for word in _WORD.findall(text) if any(map(str.isalnum, word))]


def _stands_in(words: list[str], text: str) -> bool:
    """Whether the bare words stand in the text one after the other; punctuation around words is not looked at."""
    wanted = [_bare(word) for word in words]
    there = [_bare(word) for word in _words(text)]
    return any(there[at : at + len(wanted)] == wanted for at in range(len(there)))


def _bare(word: str) -> str:
    return unicodedata.normalize("NFKD", word).casefold().strip(".,;:!?\"'()[]…।")


def _spaced(quote: str, rng: Random) -> str:
    return "".join(rng.choice((" ", "  ", "\n", "\t", "\u00a0")) if one == " " else one for one in quote)


def _broken(quote: str, rng: Random) -> str:
    """A long word is broken by a hyphen at a line's end, or by a soft one."""
    places = [match.start() + 4 for match in re.finditer(r"[A-Za-z]{8,}", quote)]
    if not places:
        return quote
    at = rng.choice(places)
    return quote[:at] + rng.choice(("-\n", "\u00ad")) + quote[at:]


def _invisible(quote: str, rng: Random) -> str:
    at = rng.randrange(len(quote) + 1)
    return quote[:at] + rng.choice("\u200b\u2060\ufeff") + quote[at:]


def _emphasised(quote: str, rng: Random) -> str:
    words = quote.split(" ")
    plain = [at for at, word in enumerate(words) if word.isalpha()]
    if plain:
        mark = rng.choice(("**", "*", "_", "`"))
        at = rng.choice(plain)
        words[at] = f"{mark}{words[at]}{mark}"
    return " ".join(words)


NOISES: tuple[Callable[[str, Random], str], ...] = (
    _spaced,
    _broken,
    _invisible,
    _emphasised,
    lambda quote, _: quote.upper() if quote.upper().lower() == quote.lower() else quote,
    lambda quote, _: quote.casefold() if quote.isascii() else quote,
    lambda quote, rng: unicodedata.normalize(rng.choice(("NFC", "NFD")), quote),
    lambda quote, rng: rng.choice(("“{}”", '"{}"', "… {} …", "{}.", "({})")).format(quote),
    lambda quote, _: quote.replace("'", "’").replace("-", "‑"),
    lambda quote, _: quote.rstrip(".,;:!?"),
)


def _other_digit(words: list[str], rng: Random) -> list[str] | None:
    places = [at for at, word in enumerate(words) if any(map(str.isdigit, word))]
    if not places:
        return None
    at = rng.choice(places)
    digits = [one for one, letter in enumerate(words[at]) if letter.isdigit()]
    where = rng.choice(digits)
    old = unicodedata.digit(words[at][where])
    words[at] = words[at][:where] + str((old + rng.randint(1, 9)) % 10) + words[at][where + 1 :]
    return words


def _longer_number(words: list[str], rng: Random) -> list[str] | None:
    places = [at for at, word in enumerate(words) if word[-1:].isdigit()]
    if not places:
        return None
    words[rng.choice(places)] += rng.choice("0123456789")
    return words


def _other_letter(words: list[str], rng: Random) -> list[str] | None:
    at = rng.randrange(len(words))
    letters = [one for one, letter in enumerate(words[at]) if letter.isascii() and letter.isalpha()]
    if not letters:
        return None
    where = rng.choice(letters)
    new = rng.choice([one for one in "abcdefghijklmnopqrstuvwxyz" if one != words[at][where].casefold()])
    words[at] = words[at][:where] + new + words[at][where + 1 :]
    return words


def _negated(words: list[str], rng: Random) -> list[str] | None:
    words.insert(rng.randrange(1, len(words)), rng.choice(("not", "never", "nicht", "no", "nahin")))
    return words


def _left_out(words: list[str], rng: Random) -> list[str] | None:
    del words[rng.randrange(1, len(words) - 1)]
    return words


def _swapped(words: list[str], rng: Random) -> list[str] | None:
    at = rng.randrange(len(words) - 1)
    words[at], words[at + 1] = words[at + 1], words[at]
    return words


def _cut_word(words: list[str], rng: Random) -> list[str] | None:
    """The quote begins or ends inside a word."""
    at, cut = rng.choice(((0, 1), (-1, -1)))
    bare = words[at].strip(".,;:!?()")
    if not (bare.isalpha() and bare.isascii()) or len(bare) < 3:
        return None
    words[at] = bare[cut:] if cut > 0 else bare[:cut]
    return words


def _from_elsewhere(words: list[str], rng: Random) -> list[str] | None:
    other, _ = _piece(rng)
    return words[: len(words) // 2 + 1] + _words(other)[:3]


FORGERIES: tuple[Callable[[list[str], Random], list[str] | None], ...] = (
    _other_digit,
    _longer_number,
    _other_letter,
    _negated,
    _left_out,
    _swapped,
    _cut_word,
    _from_elsewhere,
)
