"""Label the flagged answers of a run, with the settings of a config, asking the judge again where they say so."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from whichhalf.catalogue import Choices, build_metrics, is_judged
from whichhalf.core.case import Passage
from whichhalf.core.diagnosis import Diagnosis
from whichhalf.core.run import CaseResult, Run
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judging.caching import CachingJudge
from whichhalf.judging.ledger import Ledger, LedgerEmbedder, LedgerJudge
from whichhalf.running.config import TriageSettings
from whichhalf.running.score_case import score_case
from whichhalf.triage.flagged import Flags
from whichhalf.triage.label_flagged import Label, Mapper, Settle, Triage, label_as_scored, label_flagged
from whichhalf.triage.second_opinion import CarefulTables, Doubts, doubts_about


def label_run(
    run: Run,
    flags: Flags,
    settings: TriageSettings,
    corpus: Mapping[str, Passage] | None = None,
    *,
    settle: Settle = label_as_scored,
    mapper: Mapper = map,
) -> Triage:
    """Raises InputError when no flag belongs to a question of the run."""
    return label_flagged(
        run,
        flags,
        rule=settings.rule,
        k=settings.k,
        faithfulness_floor=settings.faithfulness_floor,
        off_topic_cosine=settings.off_topic_cosine,
        corpus=corpus,
        settle=settle,
        mapper=mapper,
    )


def label_with_repeats(
    run: Run,
    flags: Flags,
    settings: TriageSettings,
    corpus: Mapping[str, Passage] | None,
    tables: ClaimTables,
    workers: int = 1,
) -> tuple[Run, Triage]:
    """Labels that rest on the majority of `settings.repeats` replies, and the run with the calls this took.

    The outcomes of the run stay as they are. A label whose second opinion is lost is `cannot_tell`.
    """
    if settings.repeats == 1:
        return run, label_run(run, flags, settings, corpus)
    ledger = Ledger()
    careful = CarefulTables(
        CachingJudge(LedgerJudge(tables.judge, ledger)),
        tables.prompts,
        tables.max_prompt_tokens,
        LedgerEmbedder(tables.embedder, ledger),
        repeats=settings.repeats,
    )
    with ThreadPoolExecutor(workers) as pool:
        triage = label_run(run, flags, settings, corpus, settle=SecondOpinion(careful), mapper=pool.map)
    calls = (*run.calls, *(record for record in ledger.records if not record.cached))
    return replace(run, calls=calls, cost=Ledger(list(calls)).cost()), triage


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """Settles a label: what it rests on is asked again, until it rests on nothing that was asked only once."""

    tables: CarefulTables

    def __call__(self, result: CaseResult, label: Label) -> Diagnosis:
        names = [name for name in result.outcomes if is_judged(name)]
        outcomes, doubts = result.outcomes, Doubts()
        while True:
            diagnosis = label(outcomes)
            wider = doubts | doubts_about(diagnosis, outcomes)
            if wider == doubts:
                asked = {**diagnosis.thresholds, "repeats": self.tables.repeats}
                return diagnosis.model_copy(update={"thresholds": asked})
            doubts = wider
            metrics = build_metrics(names, Choices(), replace(self.tables, doubts=doubts))
            outcomes = {**outcomes, **score_case(result.case, metrics).outcomes}
