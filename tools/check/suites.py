"""The steps that run tests: of Rust by cargo, of Python by pytest."""

from __future__ import annotations

import json
import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tools.check.outcome import PYTHON, ROOT, Outcome, run

REPORT = ROOT / "target" / "pytest.xml"
"""The report of pytest; what it prints while it runs is in `pytest.log` beside it."""

WHOLE = "AIRMILE_WHOLE"
"""The variable that is 1 where tests run all of their cases."""

WORKERS = min((os.cpu_count() or 1) + 1, 9)
"""The number of processes that run Python tests at once: some tests wait rather than compute."""

_NO_TESTS = 5
"""The exit code of pytest that has found no tests."""

_CARGO_TEST = ("cargo", "test", "--workspace", "--locked")
_MESSAGES = "--message-format=json-render-diagnostics"
_SHOWN = ("--show-output", "--format=pretty")
_RESULT = re.compile(r"test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored")
_IGNORED = re.compile(r"^test (.+) \.\.\. ignored(?:, (.*))?$", re.MULTILINE)
_SKIPPED = re.compile(r"^---- (\S+) stdout ----\nskipped: (.*)$", re.MULTILINE)
_LEFT = re.compile(r"^share: (.*)$", re.MULTILINE)
_FIGURES = re.compile(r"^airmile verify: .*\n", re.MULTILINE)
_DID_NOTHING = re.compile(r"^---- \S+ stdout ----\nshare: none of ", re.MULTILINE)


def cargo_test(*targets: str, corpus: bool = True) -> Outcome:
    """Run the Rust tests and doctests; messages of the compiler are shown, as it takes a while."""
    words = [*_CARGO_TEST, "--no-fail-fast", "--quiet", *targets, "--", *_SHOWN]
    done = run(words, talk=True, corpus=corpus, environment=same_cases())
    return of_cargo(done.stdout, done.returncode)


def tests_of_crates(crates: Sequence[str]) -> Outcome:
    """Build all Rust tests, and run those of some crates, without doctests.

    ``cargo test -p`` would first build the dependencies anew, with the features that these crates
    need.
    """
    built = run([*_CARGO_TEST, "--no-run", "--quiet", _MESSAGES], talk=True)
    if built.returncode:
        return Outcome(failed=1)
    total = Outcome()
    for program, folder in programs(built.stdout, crates):
        done = run([program, *_SHOWN], environment=same_cases(), folder=folder)
        outcome = of_cargo(done.stdout, done.returncode)
        # The reason of a program that aborts is among its errors.
        outcome.text += done.stderr if outcome.failed else ""
        total.add(outcome)
    return total


def programs(messages: str, crates: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yield the test programs of crates, and the folder in which cargo would run each."""
    for message in map(json.loads, messages.splitlines()):
        if message["reason"] != "compiler-artifact" or not message["profile"]["test"]:
            continue
        crate = message["package_id"].partition("#")[2].partition("@")[0]
        if message["executable"] and crate in crates:
            yield message["executable"], Path(message["manifest_path"]).parent


def same_cases() -> dict[str, str]:
    """Return the environment in which each run of a share draws the same cases."""
    return {} if os.environ.get(WHOLE) == "1" else {"PROPTEST_RNG_SEED": "1"}


def of_cargo(text: str, code: int) -> Outcome:
    """Return the outcome that the output and the exit code of ``cargo test`` tell.

    >>> text = '''test result: ok. 3 passed; 0 failed; 0 ignored
    ... ---- everything stdout ----
    ... share: none of all captures
    ... ---- some stdout ----
    ... share: 2 of 90 mutants'''
    >>> outcome = of_cargo(text, 0)
    >>> outcome.passed, sorted(outcome.left)
    (2, ['2 of 90 mutants', 'none of all captures'])
    """
    results = [tuple(map(int, found)) for found in _RESULT.findall(text)]
    failed = sum(result[1] for result in results) or int(code != 0)
    unable = _SKIPPED.findall(text)
    skipped = {f"rust {name}": reason for name, reason in [*_IGNORED.findall(text), *unable]}
    idle = len(unable) + len(_DID_NOTHING.findall(text))
    passed = sum(result[0] for result in results) - idle
    return Outcome(passed, failed, skipped, {*_LEFT.findall(text)}, text if failed else "")


def pytest(
    *words: str,
    corpus: bool = True,
    workers: int = WORKERS,
    environment: Mapping[str, str] | None = None,
    may_be_none: bool = False,
) -> Outcome:
    """Run the Python tests and doctests, in several processes at once.

    Fails if there are no tests in what the words name, unless there `may_be_none`.
    """
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.unlink(missing_ok=True)
    parallel = ["-n", str(workers), "--dist", "loadfile"] if workers > 1 else []
    detail = ["-v", "--durations=30"] if os.environ.get(WHOLE) == "1" else ["-q"]
    call = [PYTHON, "-m", "pytest", *detail, *parallel, f"--junitxml={REPORT}", *words]
    done = run(call, corpus=corpus, environment=environment, log=REPORT.with_suffix(".log"))
    text = done.stdout + done.stderr
    if not REPORT.exists():
        return Outcome(failed=1, text=text)
    outcome = of_junit(REPORT.read_text())
    outcome.left = {*_LEFT.findall(done.stdout)}
    good = (0, _NO_TESTS) if may_be_none else (0,)
    outcome.failed = max(outcome.failed, int(done.returncode not in good))
    outcome.text = text if outcome.failed else "".join(_FIGURES.findall(done.stdout))
    return outcome


def of_junit(document: str) -> Outcome:
    """Return the outcome that a report of pytest tells."""
    outcome = Outcome()
    for case in ET.fromstring(document).iter("testcase"):
        name = f"python {case.get('classname')}.{case.get('name')}"
        skip = case.find("skipped")
        if skip is not None:
            outcome.skipped[name] = skip.get("message", "")
        elif case.find("failure") is not None or case.find("error") is not None:
            outcome.failed += 1
        else:
            outcome.passed += 1
    return outcome
