"""Run checks: ``python -m tools.check``, as `make` does."""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Sequence

from tools.check.lints import lints
from tools.check.newcomer import newcomer
from tools.check.outcome import CORPUS, Outcome, Step
from tools.check.quick import quick
from tools.check.skips import expected_skips, unexpected
from tools.check.suites import WHOLE, cargo_test, pytest
from tools.check.whole import whole

Lane = Sequence[Step]
"""Steps that run one after another."""


def main() -> int:
    """Run the steps that are asked for, and print the sums."""
    parser = argparse.ArgumentParser(description="Run the checks of the project.")
    parser.add_argument("--lint", action="store_true", help="formatters, linters and types only")
    parser.add_argument("--quick", action="store_true", help="what the present change touches only")
    parser.add_argument("--whole", action="store_true", help="every case of every test")
    parser.add_argument("--newcomer", action="store_true", help=f"then once more without {CORPUS}")
    asked = parser.parse_args()
    if asked.whole:
        os.environ[WHOLE] = "1"
    total = Outcome()
    lost = [title for stage in stages(asked) for title in run_beside(stage, total)]
    return conclude(total, lost)


def stages(asked: argparse.Namespace) -> Iterable[Sequence[Lane]]:
    """Yield lanes to run beside each other, stage by stage.

    A suite of tests occupies every processor by itself, so it has a stage of its own.
    """
    if asked.quick:
        yield from quick()
        return
    yield lints()
    if not asked.lint:
        steps = [("Rust tests (cargo test)", cargo_test), ("Python tests (pytest)", pytest)]
        yield [[*steps, *(newcomer() if asked.newcomer else []), *(whole() if asked.whole else [])]]


def run_beside(lanes: Sequence[Lane], total: Outcome) -> list[str]:
    """Run lanes beside each other, and add what comes out of them to a total.

    Returns the titles of the steps without an outcome: their thread has ended before.
    """
    lock = threading.Lock()
    lost = [title for lane in lanes for title, _ in lane]

    def run_lane(lane: Lane) -> None:
        for title, step in lane:
            run_step(title, step, total, lock)
            lost.remove(title)

    threads = [threading.Thread(target=run_lane, args=(lane,)) for lane in lanes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return lost


def run_step(title: str, step: Callable[[], Outcome], total: Outcome, lock: threading.Lock) -> None:
    """Run a step; print its title before and its outcome afterwards."""
    print(f"airmile: {title} ...", flush=True)
    begun = time.monotonic()
    try:
        outcome = step()
    except Exception:
        outcome = Outcome(failed=1, text=traceback.format_exc())
    with lock:
        total.add(outcome)
        print(outcome.text, end="", flush=True)
        print(f"airmile: {title}: {outcome} ({time.monotonic() - begun:.0f} s)", flush=True)


def conclude(total: Outcome, lost: Sequence[str]) -> int:
    """Print what was skipped, what is left to others, and the sums; return the exit code."""
    for name, reason in sorted(total.skipped.items()):
        print(f"skipped: {name}: {reason}")
    for name in unexpected(total.skipped, expected_skips()):
        print(f"FAILED: {name} was skipped, and tests/expected-skips.txt does not name it")
        total.failed += 1
    for title in lost:
        print(f"FAILED: {title} gave no outcome")
        total.failed += 1
    if total.left:
        print("A share ran, the same in each run. `make check-all` runs all; here ran")
        print(*(f"  {each}" for each in sorted(total.left)), sep="\n")
    skips = f", {len(total.skipped)} skipped" if total.skipped else ""
    print(f"{total.passed} passed, {total.failed} failed{skips}")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
