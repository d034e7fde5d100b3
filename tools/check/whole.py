"""The steps of ``make check-all`` beyond the suites: programs that take each case many times."""

from __future__ import annotations

import os
import sys

from tools.check.outcome import CORPUS, PYTHON, ROOT, Outcome, Step, command, run
from tools.check.suites import WHOLE, pytest

CALIBRATED = ROOT / "target" / "check-all" / "calibrate.json"

RECORDINGS = "AIRMILE_RECORDINGS"
"""The variable that names a folder with the recorded runs of tests.everyday, physics and taps."""

TABLES = ROOT / "target" / "check-all" / "taps"
"""The beginning of the names of the files with the scores of these runs."""


def whole() -> list[Step]:
    """Return the steps; what this machine cannot run says so in its outcome."""
    return [
        (
            "signals, closed streams and full disks, many times",
            command(PYTHON, "-m", "tests.faults", shows=True),
        ),
        ("statistics of compare, 20,000 times each", calibrate),
        ("captures beside tcptrace and tshark (make corpus)", corpus),
        ("recorded runs at three taps (python -m tests.taps)", taps),
        ("Python tests with the oldest packages (make oldest)", oldest),
        ("tests that need root (make testbed-test)", testbed),
    ]


def calibrate() -> Outcome:
    """Calibrate the statistics from the start, whatever an earlier run has kept."""
    CALIBRATED.unlink(missing_ok=True)
    calibrated = command(PYTHON, "-m", "tests.compare.calibrate", "-o", str(CALIBRATED), shows=True)
    return calibrated()


def corpus() -> Outcome:
    """Compare the captures outside of the repository with the answers of other programs."""
    if CORPUS not in os.environ:
        return Outcome(left={f"none of `make corpus`: {CORPUS} is not set"})
    return command("make", "corpus", shows=True)()


def taps() -> Outcome:
    """Score the recorded runs outside of the repository; the tables are in ``target``."""
    folder = os.environ.get(RECORDINGS)
    if folder is None:
        return Outcome(left={f"none of `python -m tests.taps`: {RECORDINGS} is not set"})
    TABLES.parent.mkdir(parents=True, exist_ok=True)
    words = ["-m", "tests.taps", "--score", folder, "--csv", str(TABLES)]
    return command(PYTHON, *words, "--at-once", str(os.cpu_count() or 1), shows=True)()


def oldest() -> Outcome:
    """Run a share of the Python tests with the oldest packages; all cases ran with the newest."""
    if sys.version_info[:2] != (3, 11):
        return Outcome(left={"none of `make oldest`: the oldest packages are those of Python 3.11"})
    return command("env", f"{WHOLE}=0", "make", "oldest")()


def testbed() -> Outcome:
    """Run the tests that make network namespaces, one after another."""
    lacking = run(["tools/need", "testbed-test"])
    if lacking.returncode:
        return Outcome(left={f"none of `make testbed-test`: {lacking.stderr.splitlines()[0]}"})
    return pytest("tests/testbed", workers=1, environment={"AIRMILE_TESTBED": "1"})
