"""A run in a notebook: as a frame, and as what is shown when its name is typed."""

import subprocess
import sys

from run_makers import a_case, a_run, failed, refused


def test_one_row_a_case_and_metric() -> None:
    cases = [a_case("q1", tags={"topic": "rent"}), a_case("q2", tags={"topic": "refunds", "language": "de"})]
    frame = a_run({"recall@5[retrieved]": [0.5, 1.0], "faithfulness": [refused(), failed()]}, cases).to_pandas()
    assert list(frame.columns) == ["id", "metric", "outcome", "value", "reason", "tag.topic", "tag.language"]
    told = frame.astype(object).where(frame.notna(), None)
    assert [tuple(row) for row in told.itertuples(index=False)] == [
        ("q1", "recall@5[retrieved]", "scored", 0.5, None, "rent", None),
        ("q1", "faithfulness", "undefined", None, "refused", "rent", None),
        ("q2", "recall@5[retrieved]", "scored", 1.0, None, "refunds", "de"),
        ("q2", "faithfulness", "failed", None, "reply_cut", "refunds", "de"),
    ]


def test_a_mean_over_the_frame_is_the_mean_of_the_run() -> None:
    run = a_run({"recall@5[retrieved]": [0.5, 1.0, 0.0], "faithfulness": [0.25, refused(), 0.75]})
    frame = run.to_pandas()
    assert frame.groupby("metric")["value"].mean().to_dict() == {"recall@5[retrieved]": 0.5, "faithfulness": 0.5}
    wide = frame.pivot(index="id", columns="metric", values="value")
    assert wide.loc["q3"].to_dict() == {"recall@5[retrieved]": 0.0, "faithfulness": 0.75}


def test_nothing_scored_keeps_the_columns_and_their_kinds() -> None:
    frame = a_run({"faithfulness": [refused()]}).to_pandas()
    assert {name: str(kind) for name, kind in frame.dtypes.items()} == {
        "id": "string",
        "metric": "string",
        "outcome": "string",
        "value": "Float64",
        "reason": "string",
    }
    assert frame["value"].isna().all()


def test_without_pandas_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "from whichhalf.core.run import Cost, Run, RunManifest\n"
        "manifest = RunManifest(whichhalf='0', created='', config={}, data={}, prompts={}, judge={}, metrics={})\n"
        "try: Run(manifest, (), {}, Cost()).to_pandas()\n"
        "except ImportError as error: print(error)\n"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed == "to_pandas needs pandas, which does not come with whichhalf: pip install pandas\n"


def test_typing_the_name_of_a_run_shows_its_numbers_with_their_counts() -> None:
    line = "faithfulness: 1.000 (0.025–1.000), 1 scored, 1 undefined, 1 failed"  # exact for one success: α ÷ 2 to 1
    run = a_run({"faithfulness": [1.0, refused(), failed()]})
    assert (repr(run), repr(run.summary)) == (f"Run of 3 questions\n{line}", line)
    nothing = a_run({"faithfulness": [refused()]})
    assert repr(nothing.summary) == "faithfulness: no mean, 0 scored, 1 undefined, 0 failed"
