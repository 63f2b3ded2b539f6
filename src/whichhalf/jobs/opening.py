"""Open what a config asks with: its judge, its embedding model, and the cache of replies."""

from collections.abc import Sequence

from whichhalf.catalogue import is_judged
from whichhalf.core.metric import MetricName
from whichhalf.errors import Fault, InputError
from whichhalf.judged.answer_relevance import ANSWER_RELEVANCE
from whichhalf.judging.embedding import Embedder
from whichhalf.judging.model_names import is_free
from whichhalf.judging.offline import OfflineJudge
from whichhalf.judging.prices import price_of
from whichhalf.judging.recorded_replies import read_recorded
from whichhalf.judging.reply_store import ReplyStore
from whichhalf.judging.seam import Judge
from whichhalf.judging.settings import EmbeddingSettings, JudgeSettings
from whichhalf.judging.stack import build_embedder, build_estimators, build_judge
from whichhalf.judging.traffic import Traffic
from whichhalf.running.config import Config


def open_judge(
    config: Config, replay_only: bool, store: ReplyStore | None = None, traffic: Traffic | None = None
) -> Judge:
    """The judge of a config. Raises InputError when its key or its replies are missing."""
    settings = config.judge
    if not asks_a_judge(config):
        return OfflineJudge()  # it will not be asked: no key is needed
    recorded = read_recorded(settings.replies) if settings.replies else None
    return build_judge(settings, store=store, recorded=recorded, replay_only=replay_only, traffic=traffic)


def open_embedder(
    config: Config, replay_only: bool, store: ReplyStore | None = None, traffic: Traffic | None = None
) -> Embedder:
    if not embeds(config):
        return build_embedder(EmbeddingSettings())  # it will not be asked: no key is needed
    recorded = read_recorded(config.judge.replies) if config.judge.replies else None
    return build_embedder(config.embedding, store=store, recorded=recorded, replay_only=replay_only, traffic=traffic)


def open_store(config: Config, *, read_only: bool = False) -> ReplyStore | None:
    """The cache of replies, which the caller closes; None where the config has none to keep. Raises CacheError.

    `read_only`: kept replies can be read where nobody may write; None where there is no cache yet.
    """
    if not keeps_replies(config) or (read_only and not ReplyStore.is_at(config.run.cache)):
        return None
    return ReplyStore(config.run.cache, read_only=read_only)


def keeps_replies(config: Config) -> bool:
    """Whether a run of this config opens a cache."""
    is_paid = not is_free(config.judge.model) or (not is_free(config.embedding.model) and embeds(config))
    return is_paid and config.run.use_cache and asks_a_judge(config)


def estimators(config: Config, store: ReplyStore | None) -> tuple[Judge, Embedder]:
    """What tells, without asking anybody, what asking would take."""
    settings = config.judge if asks_a_judge(config) else JudgeSettings()
    recorded = read_recorded(config.judge.replies) if config.judge.replies else None
    return build_estimators(settings, config.embedding, store=store, recorded=recorded)


def check_prices(config: Config) -> None:
    """Raises InputError when money is limited and a model that would be asked has no known price."""
    models = [config.judge.model] if asks_a_judge(config) else []
    models += [config.embedding.model] if embeds(config) else []
    check_prices_of(config, models)


def check_prices_of(config: Config, models: Sequence[str]) -> None:
    """Likewise, for the models that are named."""
    if config.judge.budget_usd is None:  # the table of prices is large
        return
    priceless = [one for one in models if not is_free(one) and price_of(one) is None]
    if priceless:
        message = f"the price of {' and '.join(priceless)} is not known, so money cannot be limited: set max_calls"
        raise InputError(Fault(message, field="[judge] budget_usd"))


def asks_a_judge(config: Config) -> bool:
    return any(is_judged(name) for name in config.metric_names)


def embeds(config: Config) -> bool:
    return any(MetricName.parse(name).family == ANSWER_RELEVANCE.name for name in config.metric_names)
