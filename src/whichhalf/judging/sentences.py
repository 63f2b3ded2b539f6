"""Sentences, claims and refusals, found by punctuation and a few word lists: no model, no language detection.

Everything returned is a verbatim piece of the text it came from, so a quote can always be found again.
"""

import re
from collections.abc import Iterator

__all__ = ["UNSPACED", "is_refusal", "split_into_claims", "split_sentences", "without_marker", "word_set"]


def word_set(words: str) -> frozenset[str]:
    """The words of a space-separated list."""
    return frozenset(words.split())


UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Character ranges of scripts written without spaces: Thai, Lao, Burmese, Khmer, kana, Han."""

_HARD_STOPS = "。！？｡．।॥؟۔።។။։"
_CLOSERS = "\"'”’»)\\]】」』）》*_"
_OPENERS = " \t\r\n\f\v\u00a0\u3000\"'“‘«([{*_¿¡—–-"
_BORDER = re.compile(
    rf"(?P<stop>[.!?…{_HARD_STOPS}]+)[{_CLOSERS}]*(?:\[\d{{1,3}}\])*"
    r"|(?<=[\u0e00-\u0e7f])[ \u00a0]+(?=[\u0e00-\u0e7f])"  # Thai has no full stop: a space is the border
)
_LINE = re.compile(r"[^\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_MARKER = re.compile(r"\s*(?:(?:[-*•‣◦▪·–—+]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])\s+|\d{1,3}、|[①-⑳])\s*")
_NUMBERING = re.compile(r"\W*(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})")
_ACRONYM = re.compile(r"[^\W\d_](?:[^\W_]?\.[^\W\d_])*")  # "J", "U.S", "Ph.D"
_LOOK = 32  # characters seen on each side of a stop: a constant, so that time stays linear

_TITLES = word_set(
    "dr mr mrs ms mx prof st rev hon gov sen rep gen col capt lt sgt fr sr sra srta dra ud uds mme mlle "
    "hr herr e.g eg i.e ie cf vs viz al approx esp incl dept z.b d.h u.a bzw ggf vgl inkl p.ej डॉ श्री "
    "प्रो"
)
_BEFORE_NUMBER = word_set(
    "no nos nr num fig figs eq vol ch sec art para pt p pp pg ver rs inr rm re c ca tel ext abs s núm pág रु"
)
_FIRMS = word_set(
    "inc ltd co corp jr bros llc pvt plc mt ft ave blvd rd jan feb mar apr jun jul aug sept sep oct nov dec"
)
_STARTERS = word_set(
    "the this that these those it he she they we you i in on at if when while a an and but however there "
    "his her its their our my for as by to from with after before since both many most some all no not"
)
_MONTHS = word_set("januar februar märz april mai juni juli august september oktober november dezember")
_CONNECTORS = word_set("a an the of in on at by for to from with and or is was are were der die das und de")


def split_sentences(text: str) -> list[str]:
    """The sentences: verbatim, stripped, in order, not overlapping; every letter and digit is in one.

    List items, table rows, headings and paragraphs are borders; a line that is merely wrapped is not.
    Numbering ("1.") stays with the sentence it numbers. Pieces without a letter or digit are dropped.
    Takes linear time.
    """
    pieces = (text[a:b].strip() for start, end in _blocks(text) for a, b in _cut(text, start, end))
    return [piece for piece in pieces if any(map(str.isalnum, piece))]


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Spans of lines that belong together: a wrapped line joins the one before it."""
    start = end = 0
    previous = ""
    for match in _LINE.finditer(text):
        line = match[0].strip()
        breaks = text[end : match.start()].replace("\r\n", "\n")
        if not (previous and line and len(breaks) == 1 and _is_wrapped(previous, line)):
            yield start, end
            start = match.start()
        end = match.end()
        previous = line
    yield start, end


def _is_wrapped(previous: str, line: str) -> bool:
    """Whether `line` goes on with the sentence that `previous` began."""
    if any(_is_row(part) for part in (previous, line)) or _MARKER.match(line) or previous.startswith("#"):
        return False
    last = previous[-1]
    if last in ".!?…:：" + _HARD_STOPS:
        return last == "." and _is_abbreviation(previous[-_LOOK:-1], line[:_LOOK])
    if line[0].islower() or last in ",，、" or previous[-_LOOK:].split()[-1].casefold() in _CONNECTORS:
        return True
    long = 25 if _is_unspaced(last) else 50
    return len(previous) >= long and line[0].isalnum() and not line[0].isupper()


def _is_row(line: str) -> bool:
    return line.startswith(("|", "#")) or "\t" in line or " | " in line


def _is_unspaced(character: str) -> bool:
    return re.match(rf"[{UNSPACED}]", character) is not None


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if not text[start : start + 8].lstrip().startswith(("|", "#")):
        for match in _BORDER.finditer(text, start, end):
            if match["stop"] is None or _ends_sentence(text, start, match, end):
                yield start, match.end()
                start = match.end()
    yield start, end


def _ends_sentence(text: str, start: int, match: re.Match[str], end: int) -> bool:
    stop, at = match["stop"], match.start()
    before = text[max(start, at - _LOOK) : at]
    after = text[match.end() : min(end, match.end() + _LOOK)]
    rest = after.lstrip(_OPENERS)
    if not rest:
        return True
    if any(mark in _HARD_STOPS for mark in stop):
        return not (before[-1:].isdigit() and after[0].isdigit())
    if not after[0].isspace():
        return _is_unspaced(after[0]) and not before[-1:].isdigit()
    if rest[0].islower():
        return False
    if stop != ".":
        return True
    is_numbering = at - start <= _LOOK and _NUMBERING.fullmatch(before.strip()) is not None
    return not is_numbering and not _is_abbreviation(before, rest)


def _is_abbreviation(before: str, rest: str) -> bool:
    """Whether the stop between `before` and `rest` belongs to a short form, not to the end of a sentence."""
    words = before.split()
    word = words[-1].lstrip(_OPENERS) if words else ""
    following = re.match(r"\w*", rest)
    next_word = following[0].casefold() if following else ""
    if word.casefold() in _TITLES:
        return True
    if word.casefold() in _BEFORE_NUMBER and next_word[:1].isdigit():
        return True
    if word.isdigit() and len(word) <= 2 and next_word in _MONTHS:  # "am 31. Juli"
        return True
    is_initial = word[:1].isupper() and _ACRONYM.fullmatch(word) is not None
    return (is_initial or word.casefold() in _FIRMS) and next_word not in _STARTERS


_INTERJECTIONS = re.compile(
    r"(?:hi|hello|hey|namaste|hallo|hola|bonjour|你好|您好|sure|certainly|of course|absolutely"
    r"|great question|good question"
    r"|thanks?(?: you)?(?: for asking)?|you'?re welcome|(?:i'?m )?(?:so |very )?sorry|apologies|okay|ok|gern"
    r"|claro|bien sûr)"
    r"(?: there| all| everyone)?\W*"
)
_BARE = re.compile(r"(?:yes|no|yep|nope|ja|nein|sí|si|oui|non|haan|nahi|हाँ|नहीं|是的?|不是|对|correct)\W*")
_OFFERS = re.compile(
    r"(?:i )?hope (?:this|that|it|i|you)\b|(?:please )?(?:let me know|feel free|do not hesitate"
    r"|don't hesitate)\b"
    r"|if .{0,60}\b(?:let me know|feel free|(?:other|more|any|further) (?:questions?|help|assistance"
    r"|concerns))\b"
    r"|(?:i'?m |i am |i'?d be |i would be )?(?:happy|glad) to (?:help|assist)\b|(?:is there )?anything else\b"
    r"|have a (?:great|nice|good)\b|good luck\b|best (?:regards|wishes)\b"
    r"|ich hoffe|espero que (?:esto|te|le)|j'espère que|希望(?:这|对您|对你)|如果?您?(?:还)?有(?:其他|任何)"
    r"|अगर आपको और"
)
_ADVICE = re.compile(
    r"(?:please |kindly )?(?:provide|share|describe|rephrase|clarify|contact|consult|check|ask|refer|try"
    r"|visit)\b"
    r"|(?:please|kindly|i (?:recommend|suggest)|i'?d (?:recommend|suggest)|i (?:can|could) (?:only )?(?:help"
    r"|assist)|if you)\b"
    r"|you (?:may|might|can|could|should)(?: also)? (?:want|wish|try|contact|check|consult|ask|reach out"
    r"|refer)\b"
    r"|bitte |por favor|veuillez |请|कृपया|अगर आप|agar aap|kripya "
)
_SOURCES = (
    r"(?:the |these |this |my |our |any |your )?(?:provided |given |available |retrieved |supplied "
    r"|attached |above )*"
    r"(?:documents?|docs|context|passages?|texts?|notes|information|sources?|excerpts?|materials?|articles?"
    r"|files?|content"
    r"|knowledge base|search results|records)(?: provided| given| available| above| you (?:gave|provided"
    r"|shared))?"
)
_LEAD = (
    r"(?:(?:(?:i'?m |i am )?(?:very |so )?(?:sorry|afraid)|unfortunately|(?:my )?apologies|i apologi[sz]e"
    r"|hmm|well|honestly"
    rf"|(?:based on|according to|from|in) {_SOURCES}|(?:based on|according to|as an?|after|regarding"
    rf"|at) [^,]{{0,80}},"
    r"|leider|entschuldigung|lo siento|désolée?|malheureusement|but|however|and|that)[,.:;]?\s*(?:but "
    r"|that )?){0,4}"
)
_FIRST_PERSON = (
    r"(?:i|we) (?:really |currently |just |simply )?(?:(?:can ?not|can'?t|could not|couldn'?t|(?:am|was"
    r"|were) (?:unable|not able) to"
    r"|do not|don'?t|did not|didn'?t|have not|haven'?t) (?:seem to |be able to |been able to |currently "
    r"|actually |really )?"
    r"(?:find|found|locate|answer|see|determine|know|tell|say|confirm"
    r"|have (?:access|information|info|enough|sufficient|the answer|an answer|any (?:information|info|data"
    r"|details|record|knowledge)"
    r"|(?:the |that |this |specific )*(?:information|details)))\b|(?:have|found|see|find) no (?:information"
    r"|mention|answer|details)\b)"
    r"|i (?:can ?not|can'?t|could not|couldn'?t|(?:am|was) (?:unable|not able) to) (?:provide|help|assist"
    r"|access|open|view)\b"
    r"|i(?:'?m| am) (?:not sure|unable|not able)\b|idk\b|dunno\b|no idea\b|not sure\b|unknown\W*$"
    r"|unanswerable\b|n/?a\W*$"
    r"|unable to (?:find|answer|locate|determine|provide)\b|don'?t know\b"
)
_IMPERSONAL = (
    r"(?:i have )?no (?:answer|(?:relevant |specific )?information|mention)\b|there(?:'s| is| was) (?:no"
    r"|not enough|insufficient)"
    r" (?:\w+ )?(?:information|mention|answer)\b|(?:this|that|it) (?:is|was) ?(?:not"
    r"|n't) (?:\w+ )?(?:mentioned|specified|stated)\b"
    r"|(?:this|that|it|the (?:question|answer|(?:requested )?information))(?: (?:can ?not|can'?t"
    r"|could not) be (?:answered|determined)"
    rf"| (?:is|was) ?(?:not|n't) (?:\w+ )?(?:found|available|provided|given|covered"
    rf"|present)? ?in {_SOURCES})\b"
    r"|the (?:answer|(?:requested )?information) (?:is|was) ?(?:not|n't) (?:available|found|provided|known)\b"
    rf"|{_SOURCES} (?:(?:do|does|did) ?(?:not|n't) (?:\w+ly )?(?:mention|contain|provide|include|specify|say"
    rf"|state|cover|address"
    r"|have (?!to\b)|give|list|discuss|describe|indicate|answer|offer|explain|tell|reveal)|lacks?\b"
    r"|(?:contains?|has|have) no\b"
    r"|says? nothing\b)"
)
_OTHER_LANGUAGES = (
    r"(?:ich|wir) (?:weiß|wissen) .{0,20}nicht|(?:(?:ich|wir) )?(?:kann|konnte|können|konnten|habe"
    r"|haben) (?:ich |wir )?.{0,60}"
    r"(?:nicht|keine?) .{0,30}(?:finden|gefunden|beantworten|sagen|information\w*|angaben)"
    r"|(?:dazu |es )?(?:liegen|gibt es|gibt|habe ich|finde ich) .{0,30}keine (?:informationen|angaben"
    r"|antwort)"
    r"|(?:yo )?no (?:lo )?sé\b|no (?:puedo|pude|he podido|encuentro|encontré|tengo|dispongo|hay) .{0,30}"
    r"(?:encontrar|responder|información|respuesta|acceso|datos)|je ne (?:(?:le )?sais|peux|trouve"
    r"|dispose) pas"
    r"|je n'ai (?:pas trouvé|pas d|aucune)|aucune information|(?:很?抱歉"
    r"|对不起)?[，,]?\s*(?:我们?)?(?:也?不(?:知道|清楚|确定|能回答)"
    r"|无法(?:回答|确定|提供|找到|访问)|找不到(?:相关|答案|$)|没有(?:找到|相关|足够|访问))"
    r"|(?:根据|在)?(?:所?提供的|这些|上述)?(?:文档|资料|上下文|文中|材料|文件|信息)[^，。]{0,6}(?:没有|未"
    r"|并未|不)(?:提到|提及|找到|说明|包含|提供)"
    r"|(?:(?:क्षमा करें|माफ़ करें|माफ कीजिए|sorry)[,।]?\s*)?(?:मुझे (?:[^।]{0,40})?(?:नहीं पता|पता नहीं|नहीं मिल)"
    r"|पता नहीं"
    r"|(?:दस्तावेज़?ों?|इस बारे) में [^।]{0,40}नहीं|mujhe .{0,40}(?:pata nah?i|nahin? pata|nahin? mil|nhi)"
    r"|pata nah?in?\b)"
)
_DECLINES = re.compile(f"{_LEAD}(?:{_FIRST_PERSON}|{_IMPERSONAL}|{_OTHER_LANGUAGES})")
_TURN = re.compile(
    r"[;；]|\s[–—-]\s|[,，]?\s*\b(?:but|however|although|though|yet|except|aber|jedoch|pero|sin embargo|mais"
    r"|lekin)\b"
    r"|但是?|不过|लेकिन"
)


def _plain(sentence: str) -> str:
    return without_marker(sentence).replace("’", "'").lower().strip(" \t\"'“”*_")


def without_marker(sentence: str) -> str:
    """The sentence without its bullet or number: "2. Pay online." gives "Pay online."; a bare "5" stays."""
    marker = _MARKER.match(sentence)
    return sentence[marker.end() :] if marker and marker.end() < len(sentence) else sentence


def _is_filler(sentence: str) -> bool:
    """A greeting, an offer of help, a question: nothing that could be true or false."""
    plain = _plain(sentence)
    is_question = plain.rstrip("\"'”’)").endswith(("?", "？", "؟"))
    return is_question or bool(_INTERJECTIONS.fullmatch(plain) or _OFFERS.match(plain))


def _declines(sentence: str) -> bool:
    """Whether a sentence only says that the answer is not known: what follows a "but" must not say more."""
    clauses = [clause.strip(" ,，") for clause in _TURN.split(_plain(sentence))]
    said = [clause for clause in clauses if _says_something(clause)]
    return bool(said) and all(_DECLINES.match(clause) for clause in said)


def _says_something(clause: str) -> bool:
    """Whether there is more in it than filler, advice where to ask, or a bare yes or no."""
    return any(map(str.isalnum, clause)) and not (
        _is_filler(clause) or _ADVICE.match(_plain(clause)) or _BARE.fullmatch(_plain(clause))
    )


def is_refusal(answer: str) -> bool:
    """Whether the answer says that it does not know, cannot find or cannot tell, and states nothing else.

    Word patterns in English, German, Spanish, French, Chinese, Hindi, Hinglish. False for an empty answer.
    """
    said = [sentence for sentence in split_sentences(answer) if _says_something(sentence)]
    return bool(said) and all(_declines(sentence) for sentence in said)


def _is_heading(sentence: str, following: str) -> bool:
    """A Markdown heading, a lead-in that ends with a colon, a bold line, or the head row of a table."""
    if sentence.startswith("#") or sentence.rstrip("*_ ").endswith((":", "：")):
        return True
    if sentence.startswith("**") and sentence.endswith("**") and sentence[-3] not in ".!。":
        return "**" not in sentence[2:-2]
    return sentence.startswith("|") and re.match(r"\s*\|[\s:|-]*-[\s:|-]*", following) is not None


def split_into_claims(answer: str) -> list[str]:
    """The sentences of an answer that state something, verbatim and in order, without list markers.

    Left out: greetings, offers, questions, headings, refusals, and a bare "yes" before a reason. An answer
    that is nothing but a short fact ("5", "五味子", "Yes") is one claim.
    """
    if is_refusal(answer):
        return []
    claims: list[str] = []
    bare: list[str] = []
    at = 0
    for sentence in split_sentences(answer):
        at = answer.index(sentence, at) + len(sentence)
        if _is_filler(sentence) or _is_heading(sentence, answer[at : at + _LOOK]) or _declines(sentence):
            continue
        (bare if _BARE.fullmatch(_plain(sentence)) else claims).append(without_marker(sentence))
    return claims or bare
