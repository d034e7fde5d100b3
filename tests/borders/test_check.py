"""What `make test` runs, what it leaves to `make check-all`, and what it reports as missing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from tools.check import outcome, quick, suites, whole
from tools.check.__main__ import conclude, run_beside
from tools.check.newcomer import UNIT_TESTS, mentioning, newcomer
from tools.check.outcome import CORPUS, ROOT, Outcome, run
from tools.check.quick import changed, python_lints, python_tests, touched_crates


def test_every_mention_of_the_corpus_is_in_a_test_that_runs_without_it() -> None:
    patterns = ("crates/*/tests/*.rs", UNIT_TESTS, "tests/**/*.py")
    inside = {path for pattern in patterns for path in mentioning(pattern)}
    assert {*mentioning("crates/**/*.rs"), *mentioning("python/**/*.py")} <= inside
    assert "burst_corpus.rs" in {path.name for path in inside}


def test_a_newcomer_runs_them_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CORPUS, "/captures")
    ran: list[list[str]] = []

    def fake(words: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        assert not options["corpus"]
        ran.append(words)
        return subprocess.CompletedProcess(words, 0, "", "")

    monkeypatch.setattr(suites, "run", fake)
    for _, step in newcomer():
        step()
    cargo, units, python = ran
    assert units[units.index("--lib") :][:2] == ["--lib", "capture::tests"]
    assert cargo[cargo.index("burst_corpus") - 1 :][:2] == ["--test", "burst_corpus"]
    assert "tests/corpus/test_captures.py" in python


def test_without_a_corpus_the_first_run_was_a_newcomers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CORPUS, raising=False)
    assert newcomer() == []


def test_a_step_may_not_see_the_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CORPUS, "/captures")
    assert run(["printenv", CORPUS]).stdout == "/captures\n"
    assert run(["printenv", CORPUS], corpus=False).stdout == ""


def fails() -> Outcome:
    raise ValueError("no such program")


def ends_its_thread() -> Outcome:
    raise SystemExit


def test_a_step_that_raises_fails_and_the_next_one_runs() -> None:
    total = Outcome()
    lane = [("one", fails), ("two", lambda: Outcome(passed=1))]
    assert run_beside([lane], total) == []
    assert (total.passed, total.failed) == (1, 1)
    assert "ValueError: no such program" in total.text


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_step_without_an_outcome_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    total = Outcome()
    lost = run_beside([[("one", ends_its_thread), ("two", lambda: Outcome(passed=1))]], total)
    assert conclude(total, lost) == 1
    assert "FAILED: two gave no outcome" in capsys.readouterr().out


def test_the_output_of_a_step_may_be_no_text() -> None:
    assert run(["printf", "\\377"]).stdout == "\ufffd"


@pytest.mark.parametrize("may_be_none", [False, True])
def test_no_tests_are_a_failure_unless_there_may_be_none(tmp_path: Path, may_be_none: bool) -> None:
    (tmp_path / "test_nothing.py").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suites, "REPORT", tmp_path / "pytest.xml")
        ran = suites.pytest(str(tmp_path), workers=1, may_be_none=may_be_none)
    assert ran.failed == int(not may_be_none)


def test_a_rust_program_that_aborts_shows_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def fake(words: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        aborts = words[0] == "program"
        return subprocess.CompletedProcess(words, -6 * aborts, "", "stack overflow" * aborts)

    monkeypatch.setattr(suites, "run", fake)
    monkeypatch.setattr(suites, "programs", lambda *_: [("program", ROOT)])
    ran = suites.tests_of_crates(["airmile-read"])
    assert (ran.failed, ran.text) == (1, "stack overflow")


LEAVES = """from hypothesis import given, strategies
import pytest
from tests.support.share import cases, sample, share

@cases(few=2, whole=9)
@given(strategies.booleans())
def test_a_property(value):
    pass

@pytest.mark.parametrize("letter", sample("abcd", few=1, what="letters"))
def test_letters(letter):
    pass

def test_a_number():
    assert share(few=3, whole=50, what="rounds") in (3, 50)

@pytest.mark.whole
def test_all():
    pass
"""
"""A test file that leaves something in each of the ways that there are."""


@pytest.mark.parametrize(("whole", "tests"), [("0", 3), ("1", 7)])
def test_what_is_left_is_counted_and_said(tmp_path: Path, whole: str, tests: int) -> None:
    (tmp_path / "test_leaves.py").write_text(LEAVES)
    words = [outcome.PYTHON, "-m", "pytest", "-q", "-p", "conftest", "-n", "2", f"--rootdir={ROOT}"]
    words += ["-c", str(ROOT / "pyproject.toml"), str(tmp_path / "test_leaves.py")]
    done = run(words, environment={"AIRMILE_WHOLE": whole})
    assert f"{tests} passed" in done.stdout
    every = ["2 of 9 cases of test_a_property", "1 of 4 letters", "3 of 50 rounds", "none of "]
    for what in every:
        assert (f"share: {what}" in done.stdout) == (whole == "0")


def test_one_place_for_each_language_asks_whether_all_cases_run() -> None:
    found = {
        str(path.relative_to(ROOT))
        for pattern in ("crates/**/*.rs", "tests/**/*.py", "python/**/*.py")
        for path in ROOT.glob(pattern)
        if suites.WHOLE in path.read_text()
    }
    named = {"tests/borders/test_check.py", "tests/support/share.py", "crates/share/src/lib.rs"}
    assert found <= named, "use share() or cases() of tests/support/share.py or crates/share"


def test_a_change_is_tested_by_what_imports_it() -> None:
    assert python_tests([Path("docs/guide.md")]) == ["tests/borders"]
    model = python_tests([Path("python/airmile/model/_rounds.py")])
    assert "tests/model/test_rounds.py" in model
    assert "tests/cases" in python_tests([Path("crates/read/src/lib.rs")])
    assert "tests/cases" not in python_tests([Path("crates/link/src/lib.rs")])


def test_what_all_crates_or_all_tests_depend_on_touches_them_all() -> None:
    crates = {path.parent.name for path in ROOT.glob("crates/*/Cargo.toml")}
    for name in ("Cargo.toml", "Cargo.lock", "clippy.toml"):
        assert touched_crates([Path(name)]) == {f"airmile-{crate}" for crate in crates}
    assert {"python/airmile", "tests"} <= {*python_tests([Path("conftest.py")])}
    assert "tests/cli" in python_tests([Path("tests/cli/conftest.py")])


def test_a_file_of_data_is_tested_by_its_folder_or_by_what_reads_it() -> None:
    rows = Path("tests/cases/restart_at_a_proxy.csv")
    assert python_tests([rows]) == ["tests/borders", "tests/cases"]
    capture = Path("tests/data/emu/a_link_cubic/monitor.pcap.gz")
    assert touched_crates([capture]) == {"airmile-radio", "airmile-read"}
    assert "tests/cases/test_cases.py" in python_tests([capture])
    shown = Path("python/airmile/testbed/experiments/smoke.toml")
    assert "tests/testbed" in python_tests([shown])


def test_a_file_that_is_gone_is_tested_by_what_imports_it(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = Path("tests/support/wire/gone.py")
    monkeypatch.setattr(quick, "git", lambda *words: [str(gone)] * (words[0] == "diff"))
    assert changed() == [gone]
    assert str(gone) not in python_tests([gone])
    assert next(title for title, _ in python_lints([gone])) == "Python types (mypy)"
    model = python_tests([Path("python/airmile/model/gone.py")])
    assert "tests/model/test_rounds.py" in model and "tests/model" in model


@pytest.mark.parametrize(("minor", "ran"), [(11, 1), (12, 0)])
def test_all_checks_run_the_oldest_packages_or_say_why_not(
    monkeypatch: pytest.MonkeyPatch, minor: int, ran: int
) -> None:
    (step,) = [step for title, step in whole.whole() if "make oldest" in title]
    monkeypatch.setattr(whole, "sys", SimpleNamespace(version_info=(3, minor)))
    monkeypatch.setattr(whole, "command", lambda *words: lambda: Outcome(int("oldest" in words)))
    done = step()
    assert (done.passed, len(done.left)) == (ran, 1 - ran)


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
