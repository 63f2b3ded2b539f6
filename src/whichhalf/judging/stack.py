"""Put a judge, or an embedder, together: cache ▶ window ▶ retries ▶ provider."""

from collections.abc import Mapping

from whichhalf.errors import InputError
from whichhalf.judging.caching import CachingJudge
from whichhalf.judging.embedding import CachingEmbedder, Embedder, WordLlamaEmbedder
from whichhalf.judging.embedding_provider import EmbeddingProvider, embedder_identity
from whichhalf.judging.estimating import EstimatingEmbedder, EstimatingJudge, FirstFound
from whichhalf.judging.model_names import OFFLINE, RECORDED, WORDLLAMA
from whichhalf.judging.offline import OfflineJudge
from whichhalf.judging.provider import Provider, judge_identity
from whichhalf.judging.replay_only import ReplayOnlyEmbedder, ReplayOnlyJudge
from whichhalf.judging.reply_store import ReplyStore, StoredReply
from whichhalf.judging.retrying import Patience, RetryingEmbedder, RetryingJudge
from whichhalf.judging.seam import Judge, JudgeIdentity
from whichhalf.judging.settings import EmbeddingSettings, JudgeSettings
from whichhalf.judging.traffic import Traffic
from whichhalf.judging.window import WindowJudge, window_of


def build_judge(
    settings: JudgeSettings,
    *,
    store: ReplyStore | None = None,
    recorded: Mapping[str, StoredReply] | None = None,
    replay_only: bool = False,
    traffic: Traffic | None = None,
    who: str = "the judge",
) -> Judge:
    """`traffic` is shared with the embedder; `who` begins messages. Raises InputError when a key is missing. Nothing is
    sent."""
    if settings.model == OFFLINE:
        # computed in a moment, so never kept: a better baseline must not be hidden by an old reply
        return CachingJudge(OfflineJudge())
    inner: Judge
    if settings.model.startswith(RECORDED):
        if not recorded:
            name = who.removeprefix("the ")
            raise InputError(f"{name} {settings.model} answers from a file: set [{name}] replies")
        inner = ReplayOnlyJudge(JudgeIdentity(settings.model, None, {}))
    elif replay_only:
        inner = ReplayOnlyJudge(judge_identity(settings))
    else:
        traffic = traffic or Traffic.of(settings)
        if store is not None:
            store.wait_while(traffic.pace.check_open)
        retrying = RetryingJudge(Provider(settings, traffic, who, store), Patience(sleep=traffic.pace.sleep))
        inner = _within_window(retrying, settings)
    return CachingJudge(inner, store=store, recorded=recorded, traffic=traffic)


def build_embedder(
    settings: EmbeddingSettings,
    *,
    store: ReplyStore | None = None,
    recorded: Mapping[str, StoredReply] | None = None,
    replay_only: bool = False,
    traffic: Traffic | None = None,
) -> Embedder:
    """Raises InputError when a key is missing. Nothing is sent and nothing is loaded."""
    if settings.model == WORDLLAMA:
        local = WordLlamaEmbedder()
        if traffic is not None:
            traffic.before_first_call(local.load)  # while the judge's SDK is being loaded, too
        return CachingEmbedder(local, store=store)  # reading kept vectors spares loading the model
    inner: Embedder
    if replay_only:
        inner = ReplayOnlyEmbedder(embedder_identity(settings))
    else:
        traffic = traffic or Traffic()
        if store is not None:
            store.wait_while(traffic.pace.check_open)
        inner = RetryingEmbedder(EmbeddingProvider(settings, traffic), Patience(sleep=traffic.pace.sleep))
    return CachingEmbedder(inner, store=store, recorded=recorded, traffic=traffic)


def build_estimators(
    judge: JudgeSettings,
    embedding: EmbeddingSettings,
    *,
    store: ReplyStore | None = None,
    recorded: Mapping[str, StoredReply] | None = None,
) -> tuple[Judge, Embedder]:
    """A judge and an embedder with the kept replies of these, that ask nobody and write nothing. No key is needed."""
    kept = FirstFound(recorded, store)
    if judge.model == OFFLINE or judge.model.startswith(RECORDED):
        asked: Judge = build_judge(judge, recorded=recorded)
    else:
        asked = CachingJudge(_within_window(EstimatingJudge(judge_identity(judge)), judge), recorded=kept)
    return asked, CachingEmbedder(EstimatingEmbedder(embedder_identity(embedding)), recorded=kept)


def _within_window(judge: Judge, settings: JudgeSettings) -> Judge:
    window = window_of(settings, judge.identity)
    return judge if window is None else WindowJudge(judge, window)
