"""What an answer states, and whether it declines to answer: word patterns in seven languages."""

import re

from whichhalf.judging.sentences import split_sentences, without_marker

_LOOK = 32
"""Characters seen after a sentence: a constant, so that time stays linear."""

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
