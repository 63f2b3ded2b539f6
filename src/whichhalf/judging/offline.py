"""The offline judge: a deterministic lexical baseline that needs no key and is no judge model."""

import json

from whichhalf.errors import ReplyUnreadable
from whichhalf.judging.model_names import OFFLINE
from whichhalf.judging.parsing import parse_reply
from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion, Reply, T

NOTICE = (
    "The offline judge is a lexical baseline, no judge model: it compares words, numbers, names and negations, "
    "and sees neither paraphrase nor inference; the questions it writes are the answer's own sentences."
)


class OfflineJudge:
    """Answers from the question's variables; the prompt's wording plays no part."""

    def __init__(self) -> None:
        self.identity = JudgeIdentity(OFFLINE, None, {}, is_baseline=True)

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]:
        from whichhalf.judging.offline_answers import ANSWERS  # word lists and patterns of many languages

        answer = ANSWERS.get(question.prompt.name)
        if answer is None:
            raise ReplyUnreadable(f"the offline judge has no rule for the prompt {question.prompt.name}")
        said = answer(question.variables)
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        value = parse_reply(text, question.reply_type)
        return Reply(value, text, self.identity.model, cost_usd=0.0, attempts=0)  # nobody was called
