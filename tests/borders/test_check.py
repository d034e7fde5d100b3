"""What `make test` runs on a fresh clone, and what it reports as missing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tools import check

ROOT = Path(__file__).parents[2]


def test_every_mention_of_the_corpus_is_in_a_test_that_runs_without_it() -> None:
    patterns = ("crates/*/tests/*.rs", check.UNIT_TESTS, "tests/**/*.py")
    inside = {path for pattern in patterns for path in check.mentioning(pattern)}
    assert {*check.mentioning("crates/**/*.rs"), *check.mentioning("python/**/*.py")} <= inside
    assert "burst_corpus.rs" in {path.name for path in inside}


def test_a_newcomer_runs_them_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(check.CORPUS, "/captures")
    ran: list[list[str]] = []

    def run(words: list[str], **options: bool) -> subprocess.CompletedProcess[str]:
        assert not options["corpus"]
        ran.append(words)
        return subprocess.CompletedProcess(words, 0, "", "")

    monkeypatch.setattr(check, "_run", run)
    for _, step in check.newcomer():
        step()
    cargo, units, python = ran
    assert units[units.index("--lib") :][:2] == ["--lib", "capture::tests"]
    assert cargo[cargo.index("burst_corpus") - 1 :][:2] == ["--test", "burst_corpus"]
    assert str(ROOT / "tests" / "corpus") in python


def test_without_a_corpus_the_first_run_was_a_newcomers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(check.CORPUS, raising=False)
    assert check.newcomer() == []


def test_a_step_may_not_see_the_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(check.CORPUS, "/captures")
    assert check._run(["printenv", check.CORPUS]).stdout == "/captures\n"
    assert check._run(["printenv", check.CORPUS], corpus=False).stdout == ""


def needs(mode: str, path: Path) -> str:
    """Return what `tools/need` reports as missing if only these programs are installed."""
    for program in ("sh", "id", "sed", "cc", "cargo", "rustc", "python3"):
        if (found := shutil.which(program)) and not (path / program).exists():
            (path / program).symlink_to(found)
    words = ["sh", str(ROOT / "tools" / "need"), mode]
    return subprocess.run(
        words, env={"PATH": str(path)}, capture_output=True, text=True, check=False
    ).stderr


def test_clang_is_a_need_of_testbed_test_alone(tmp_path: Path) -> None:
    assert "clang is missing: make testbed-test compiles" in needs("testbed-test", tmp_path)
    assert "clang" not in needs("testbed", tmp_path)
