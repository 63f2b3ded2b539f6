"""What the check of a prompt folder finds."""

import shutil
from pathlib import Path

import pytest

from whichhalf.prompting.changelog import read_entry
from whichhalf.prompting.check_prompts import lock_faults, prompt_faults
from whichhalf.prompting.hostile_text import TEXTS, hostile_faults
from whichhalf.prompting.prompt import Prompt
from whichhalf.prompting.prompt_folder import list_versions, packaged_prompts


def test_released_prompts_are_never_edited_and_keep_hostile_text_apart() -> None:
    faults = prompt_faults(packaged_prompts())
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
    assert read_entry(tmp_path / "answer", "v10") == "Ten."
    assert read_entry(tmp_path / "answer", "v1") == "One,\n### not a version\ntwo."
    assert read_entry(tmp_path / "answer", "v2") == read_entry(tmp_path / "other", "v1") == ""


def test_a_folder_without_a_lock_has_released_nothing(folder: Path) -> None:
    (folder / "lock.toml").unlink()
    shutil.copy(folder / "split_claims" / "v1.jinja", folder / "split_claims" / "v9.jinja")
    assert prompt_faults(folder) == []


def test_a_template_that_cannot_be_read_hides_no_other_fault(folder: Path) -> None:
    (folder / "split_claims" / "v1.jinja").write_text("{% block system %}", encoding="utf-8")
    (folder / "write_questions" / "v1.jinja").unlink()
    broken, gone = prompt_faults(folder)
    assert broken.startswith("split_claims/v1: Unexpected end of template")
    assert gone == "write_questions/v1 is in lock.toml but its file is gone"


GOOD = "[{{ fence }} text]\n{{ text }}\n[{{ fence }} end of text]"
LEAKS = {
    "in the system message": ("{{ text }}", GOOD, "a text of others gets into the system message"),
    "before the fence": ("s", "{{ text }}\n" + GOOD, "a text of others stands outside the fences"),
    "after the fence": ("s", GOOD + "\n{{ text }}", "a text of others stands outside the fences"),
    "in capitals": ("s", GOOD.replace("text }}", "text | upper }}"), "a text of others is altered or left out"),
    "left out": ("s", "[{{ fence }}]{% if text == '' %}x{% endif %}", "a text of others is altered or left out"),
}


@pytest.mark.parametrize(("system", "user", "said"), LEAKS.values(), ids=LEAKS)
def test_a_prompt_that_lets_text_out_is_found(system: str, user: str, said: str) -> None:
    template = f"{{% block system %}}{system}{{% endblock %}}{{% block user %}}{user}{{% endblock %}}"
    [fault] = hostile_faults(Prompt.from_text("own", "v1", template))
    assert fault.startswith(f"own/v1: {said}")
    assert "template syntax, control characters" in fault
    assert fault.count(", ") == len(TEXTS) - 1  # white space cannot be found again; an earlier fence comes on top


def test_a_prompt_that_breaks_on_its_data_is_found() -> None:
    template = GOOD.replace("{{ text }}", "{{ text.missing }}")
    [fault] = hostile_faults(
        Prompt.from_text(
            "own", "v1", f"{{% block system %}}s{{% endblock %}}{{% block user %}}{template}{{% endblock %}}"
        )
    )
    assert fault.startswith("own/v1: cannot be rendered: own/v1: 'str object' has no attribute 'missing'")


def test_texts_in_lists_are_hostile_too() -> None:
    template = (
        "{% block system %}s{% endblock %}{% block user %}{% for one in passages %}{{ one.text }}{% endfor %}"
        "{% for turn in history %}[{{ fence }}]\n{{ turn.content }}\n[{{ fence }}]{% endfor %}{{ count }}{% endblock %}"
    )
    [fault] = hostile_faults(Prompt.from_text("own", "v1", template))
    assert fault.startswith("own/v1: a text of others stands outside the fences")
