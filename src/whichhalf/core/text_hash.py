"""A short fingerprint of a passage's text, to see later whether it is still the text that was labelled."""

import hashlib
import unicodedata

_HEX_DIGITS = 16


def text_hash(text: str) -> str:
    """The first 16 hex digits of sha256 over the text in Unicode form NFC, with runs of white space as one blank."""
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    return hashlib.sha256(plain.encode(errors="surrogatepass")).hexdigest()[:_HEX_DIGITS]
