"""Forecast a run: what it would ask, what is kept already, what it may cost. Nothing is asked, nothing is written."""

from collections.abc import Sequence

from whichhalf.core.forecast import Forecast, PromptForecast
from whichhalf.core.run import CallRecord, sum_or_unknown
from whichhalf.errors import ContextTooLong, InputError
from whichhalf.jobs.assistant_name import assistant_named
from whichhalf.jobs.inputs import prepare_inputs, read_inputs
from whichhalf.jobs.opening import estimators, open_store
from whichhalf.judging.window import passage_tokens
from whichhalf.running.config import Config
from whichhalf.running.evaluate import score_prepared


def forecast_evaluation(
    config: Config, *, limit: int | None = None, live: bool = False, canary: Sequence[CallRecord] = ()
) -> Forecast:
    """Raises InputError as a run would, except that no key and no price is needed.

    `live`: the assistant would be asked first. `canary` is what a night would ask beside its run.
    """
    assistant = assistant_named(config) if live else None
    if config.data.outputs is None:
        raise InputError("what a judge would be asked depends on the outputs, and they are still to be recorded")
    inputs = read_inputs(config, asks=False, writes=False)
    prepared = prepare_inputs(config, inputs, limit)
    store = open_store(config, read_only=True)
    try:
        judge, embedder = estimators(config, store)
        most = passage_tokens(config.judge, judge.identity)
        run = score_prepared(prepared, judge, embedder, inputs.prompts, max_prompt_tokens=most)
    finally:
        if store is not None:
            store.close()
    names = dict.fromkeys((call.prompt, call.version) for call in run.calls)
    rows = [_row([call for call in run.calls if (call.prompt, call.version) == name]) for name in names]
    rows = [row for row in rows if row.calls or row.prompt != "embedding"]
    if canary:
        rows.append(_row(canary).model_copy(update={"prompt": "canary"}))
    calls = sum(row.calls for row in rows)
    settings = config.judge
    notices = []
    if assistant is not None:
        notices.append(
            f"{assistant} would be asked {len(prepared.cases)} questions first, which is not counted here; what the "
            "judge is asked is forecast from the outputs there are"
        )
    if settings.max_calls is not None and calls > settings.max_calls:
        notices.append(f"max_calls = {settings.max_calls} does not cover the {calls} calls")
    too_long = sum(call.result == ContextTooLong.reason for call in run.calls)
    if too_long:
        notices.append(f"questions longer than the judge's window, which are not sent and fail: {too_long}")
    usd = sum_or_unknown([row.usd for row in rows if row.calls]) if calls else 0.0
    if settings.budget_usd is not None and (usd is None or usd > settings.budget_usd):
        why = "the price is not known" if usd is None else "it does not cover them"
        notices.append(f"budget_usd = {settings.budget_usd:g}: {why}")
    return Forecast(
        questions=len(prepared.cases),
        judge=settings.model,
        prompts=tuple(rows),
        kept=sum(row.kept for row in rows),
        calls=calls,
        prompt_tokens=sum(row.prompt_tokens for row in rows),
        completion_tokens=sum(row.completion_tokens for row in rows),
        usd=usd,
        notices=tuple(notices),
    )


def _row(calls: Sequence[CallRecord]) -> PromptForecast:
    asked = [call for call in calls if call.attempts and not call.cached]
    return PromptForecast(
        prompt="/".join(filter(None, (calls[0].prompt, calls[0].version))),
        questions=len(calls),
        kept=sum(call.cached for call in calls),
        calls=len(asked),
        prompt_tokens=sum(call.prompt_tokens or 0 for call in asked),
        completion_tokens=sum(call.completion_tokens or 0 for call in asked),
        usd=sum_or_unknown([call.cost_usd for call in asked]) if asked else 0.0,
    )
