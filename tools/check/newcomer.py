"""The steps that run once more without the captures that are not in the repository."""

from __future__ import annotations

import os
from pathlib import Path

from tools.check.outcome import CORPUS, ROOT, Step
from tools.check.suites import cargo_test, pytest

UNIT_TESTS = "crates/*/src/**/tests.rs"
"""The pattern of the files with unit tests, which are beside the code."""


def newcomer() -> list[Step]:
    """Return steps that run, without `CORPUS`, the tests that mention it; none if it is not set."""
    if CORPUS not in os.environ:
        return []
    targets = [each for path in mentioning("crates/*/tests/*.rs") for each in ("--test", path.stem)]
    files = [str(path.relative_to(ROOT)) for path in mentioning("tests/**/*.py")]
    return [
        (f"Rust tests without {CORPUS}", lambda: cargo_test(*targets, corpus=False)),
        *(unit_test(path) for path in mentioning(UNIT_TESTS)),
        (f"Python tests without {CORPUS}", lambda: pytest(*files, corpus=False)),
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
