"""A whole run stays within `--memory`, whatever fills it (`benches.budget` prints the table)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benches import budget
from tests.support.share import WHOLE

ROOT = Path(__file__).parents[2]
CASES = [(128, "phones"), (128, "growing")]
if WHOLE:
    CASES = [(memory, load) for memory in budget.BUDGETS_MIB for load in budget.UNITS]


@pytest.mark.parametrize(("memory_mib", "load"), CASES)
def test_a_run_takes_little_more_than_its_budget(memory_mib: int, load: str) -> None:
    # A process begins with the largest size of the one that started it (getrusage(2)), so a small
    # one starts the run.
    words = [sys.executable, "-m", "benches.budget", "--threads", "2"]
    words += ["--memory", str(memory_mib), "--load", load]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    ended = int(done.stdout.splitlines()[-1].split()[5])
    assert ended > 0 or WHOLE, "the capture needs more than the budget"
