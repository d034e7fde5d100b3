"""What a step is, and what comes out of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTHON = sys.executable
BIN = Path(PYTHON).parent
CORPUS = "AIRMILE_CORPUS"
"""The variable that names the folder of captures outside of the repository."""


@dataclass
class Outcome:
    """The result of a step.

    Attributes
    ----------
    passed, failed : int
        The numbers of tests; a lint is one.
    skipped : dict of str to str
        The reason of each test that could not run.
    left : set of str
        What the step leaves to ``make check-all``, in words.
    text : str
        The output of a step that failed, or the figures of one that passed.
    """

    passed: int = 0
    failed: int = 0
    skipped: dict[str, str] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    text: str = ""

    def add(self, other: Outcome) -> None:
        """Add the result of another step."""
        self.passed += other.passed
        self.failed += other.failed
        self.skipped |= other.skipped
        self.left |= other.left
        self.text += other.text

    def __str__(self) -> str:
        """Return the result in a word or two.

        >>> str(Outcome(1)), str(Outcome(7, 2)), str(Outcome(0, 1))
        ('ok', '2 FAILED', 'FAILED')
        """
        if self.failed:
            return "FAILED" if self.passed == 0 else f"{self.failed} FAILED"
        return "ok" if self.passed == 1 else f"{self.passed} passed"


Step = tuple[str, Callable[[], Outcome]]
"""The title of a step, and what it does."""


def command(*words: str, shows: bool = False) -> Callable[[], Outcome]:
    """Return a step that runs a command and succeeds or fails as a whole.

    With `shows`, the output is shown even if the command succeeds: it holds figures.
    """

    def step() -> Outcome:
        done = run(list(words))
        good = done.returncode == 0
        text = "" if good else done.stdout + done.stderr
        return Outcome(int(good), int(not good), text=done.stdout if good and shows else text)

    return step


def run(
    words: list[str],
    *,
    talk: bool = False,
    corpus: bool = True,
    environment: Mapping[str, str] | None = None,
    folder: Path = ROOT,
    log: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder; with `talk`, its errors are shown at once.

    With `log`, its output goes to that file as it comes, for who wants to follow it.
    """
    kept = {name: value for name, value in os.environ.items() if corpus or name != CORPUS}
    path = f"{BIN}{os.pathsep}{kept['PATH']}"
    with log.open("w") if log else nullcontext(subprocess.PIPE) as output:
        done = subprocess.run(
            words,
            cwd=folder,
            env={**kept, "NO_COLOR": "1", "PATH": path, **(environment or {})},
            stdout=output,
            stderr=None if talk else subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
    if log:
        done.stdout = log.read_text(errors="replace")
    return done
