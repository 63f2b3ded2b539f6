"""What the check of a prompt folder finds."""

import shutil
from pathlib import Path

import pytest

from whichhalf.prompting.changelog import read_entry
from whichhalf.prompting.check_prompts import lock_faults
from whichhalf.prompting.prompt_folder import list_versions, packaged_prompts


def test_released_prompts_are_never_edited() -> None:
    faults = lock_faults(packaged_prompts())
    assert faults == [], "\n".join(faults)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(packaged_prompts(), tmp_path / "prompts"))


def test_an_edit_after_release_says_to_add_a_version(folder: Path) -> None:
    path = folder / "split_claims" / "v1.jinja"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    (fault,) = lock_faults(folder)
    newest = list_versions(folder, "split_claims")[-1]
    assert fault.startswith("split_claims/v1 was edited after its release")
    assert fault.endswith(f"add split_claims/v{int(newest[1:]) + 1}.jinja instead")


def test_an_unreleased_version_says_how_to_release_it(folder: Path) -> None:
    shutil.copy(folder / "split_claims" / "v1.jinja", folder / "split_claims" / "v99.jinja")
    unlocked, unexplained = lock_faults(folder)
    assert unlocked.startswith("split_claims/v99 is not in lock.toml; release it with v99 = ")
    assert unexplained.startswith("split_claims/v99 has no reason: write it under the heading ## v99 of ")


def test_a_lost_file_is_a_fault(folder: Path) -> None:
    (folder / "verify_claims" / "v1.jinja").unlink()
    assert "verify_claims/v1 is in lock.toml but its file is gone" in lock_faults(folder)


def test_a_version_on_trial_that_is_not_there_is_a_fault(folder: Path) -> None:
    lock = folder / "lock.toml"
    lock.write_text(lock.read_text(encoding="utf-8").replace('["v2"]', '["v2", "v7"]'), encoding="utf-8")
    assert lock_faults(folder) == ["verify_claims/v7 is in lock.toml but its file is gone"]


def test_a_reason_ends_where_the_next_version_begins(tmp_path: Path) -> None:
    (tmp_path / "answer").mkdir()
    text = "# answer\n\n## v10\nTen.\n\n## v1\n\nOne,\n### not a version\ntwo.\n"
    (tmp_path / "answer" / "CHANGELOG.md").write_text(text, encoding="utf-8")
    assert read_entry(tmp_path, "answer", "v10") == "Ten."
    assert read_entry(tmp_path, "answer", "v1") == "One,\n### not a version\ntwo."
    assert read_entry(tmp_path, "answer", "v2") == read_entry(tmp_path, "other", "v1") == ""
