"""Runs side by side: only after a trial in which their links were as punctual as alone."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from airmile.campaign import beside, conduct, folder, rehearsal
from airmile.campaign.folder import Place, held
from airmile.testbed.experiment.toml_file import Experiment
from airmile.testbed.run import campaign
from airmile.testbed.run.campaign import Failed
from tests.campaign.support import made_up, runner
from tests.faults.runs import hear_signals

Late = tuple[float, float]
"""The lateness of a run's TTIs in µs: the median, and the 99th percentile."""


class Machine:
    """A machine on which runs at the same time have links as late as told."""

    def __init__(self) -> None:
        self.begun: list[list[str]] = []
        self.alone: Late = (25, 40)
        self.together: Late = (25, 40)
        self.facts: dict[str, list[dict[str, Any] | str]] = {}

    def made(self, experiments: Sequence[Experiment], folders: Sequence[Path]) -> list[str]:
        self.begun.append([each.name for each in experiments])
        p50, p99 = self.alone if len(experiments) == 1 else self.together
        late = {"link": {"late_us": {"p50": p50, "p99": p99}}}
        return [
            self._one(experiment, out, late)
            for experiment, out in zip(experiments, folders, strict=True)
        ]

    def _one(self, experiment: Experiment, out: Path, late: dict[str, Any]) -> str:
        waiting = self.facts.get(experiment.name)
        more = waiting.pop(0) if waiting else {}
        if isinstance(more, str):
            return Failed(more)
        run = runner(lambda _: {**late, **more})
        run(experiment, out / f"{experiment.name}.airmile", lambda _: None)
        return "complete"


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine()
    monkeypatch.setattr(beside, "made", made.made)
    return made


def tried(place: Place, number: int = 2) -> tuple[list[str], rehearsal.Rehearsal]:
    trials = made_up().trials()
    lines = [each.replace("\u00a0", " ") for each in rehearsal.rehearse(place, trials, number)]
    return lines, rehearsal.found(place, trials, number)


def test_the_trial_makes_one_run_alone_and_side_by_side_in_turn(
    tmp_path: Path, machine: Machine
) -> None:
    lines, found = tried(Place("x", tmp_path))
    assert machine.begun == [["a-1"], ["a-1", "a-1"]] * 3
    assert found.unchanged
    assert lines[0] == "a trial of a-1, 3 times alone and 3 times 2 at once"
    assert lines[-1] == (
        "2 runs at a time: the links are as punctual "
        "(p50 25 µs alone, 25 µs side by side, p99 40 µs alone, 40 µs side by side)"
    )


@pytest.mark.parametrize(
    ("together", "unchanged"),
    [((25, 60), True), ((25, 61), False), ((41, 60), True), ((42, 40), False)],
)
def test_links_are_unchanged_up_to_a_quarter_and_ten_microseconds(
    tmp_path: Path, machine: Machine, together: Late, unchanged: bool
) -> None:
    machine.together = together
    lines, found = tried(Place("x", tmp_path))
    assert found.unchanged == unchanged
    assert lines[-1].startswith("2 runs at a time" if unchanged else "one run at a time")


def test_a_run_side_by_side_that_cannot_be_trusted_or_fails_decides_against(
    tmp_path: Path, machine: Machine
) -> None:
    late = {"trustworthy": False, "untrustworthy_because": ["the ring of w0 lost 3 packets"]}
    machine.facts = {"a-1": [{}, late]}
    lines, found = tried(Place("x", tmp_path / "late"))
    assert not found.unchanged
    assert lines[-1] == "one run at a time: side by side the ring of w0 lost 3 packets"
    machine.facts = {"a-1": [{}, {}, "FAILED: no room"]}
    lines, found = tried(Place("x", tmp_path / "failed"))
    assert not found.unchanged
    assert lines[-1] == "one run at a time: side by side a run failed"


def test_no_trial_is_no_leave(tmp_path: Path) -> None:
    assert not rehearsal.found(Place("x", tmp_path), made_up().trials(), 2).unchanged
    assert rehearsal.noted(Place("x", tmp_path), made_up().trials()) == ""


def test_a_trial_is_made_once(tmp_path: Path, machine: Machine) -> None:
    place = Place("x", tmp_path)
    tried(place)
    before = len(machine.begun)
    lines, found = tried(place)
    assert len(machine.begun) == before
    assert found.unchanged
    assert lines == [rehearsal.noted(place, made_up().trials()).replace("\u00a0", " ")]


def test_runs_side_by_side_are_made_in_order_and_repeated_by_seed(
    tmp_path: Path, machine: Machine
) -> None:
    place, trials = Place("x", tmp_path / "x"), made_up().trials(quick=True)
    late = {"trustworthy": False, "untrustworthy_because": ["late"]}
    # Both runs of a seed are late at once, and one of them again.
    machine.facts = {"a-1": [late], "b-1": [late, late]}
    with held(place):
        lines = list(conduct.conduct(place, trials, at_once=2))
    assert machine.begun[0] == ["a-1", "b-1"]
    assert sorted(machine.begun[1]) == ["a-1", "b-1"]
    assert machine.begun[2:] == [["b-2", "a-2"]]
    assert sum("are run again" in line for line in lines) == 1
    assert sum("left out after" in line for line in lines) == 1
    found = folder.tally(place, trials)
    assert [trial.name for trial in found.finished] == ["a-1", "b-2", "a-2"]
    assert found.left_out == {"b-1": "late"}
    assert (found.arms["a"].late, found.arms["b"].late) == (1, 2)


def test_a_process_makes_a_run_and_says_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import io

    experiment = made_up().trials()[0].experiment()
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(asdict(experiment))))
    monkeypatch.setattr(campaign, "run", runner(lambda _: {}))
    assert beside.main(tmp_path) == 0
    assert json.loads(capsys.readouterr().out) == {
        "line": "complete, late 0.23 ms (p99)", "failed": False
    }  # fmt: skip
    assert (tmp_path / "a-1.airmile").is_dir()


def test_a_process_that_ends_without_a_line_is_a_run_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "airmile.testbed.hosts.programs.python", lambda *_: ["/bin/sh", "-c", "cat; exit 7"]
    )
    experiment = made_up().trials()[0].experiment()
    (line,) = beside.made([experiment], [tmp_path])
    assert isinstance(line, Failed)
    assert line == "FAILED: the process of the run ended with code 7"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_lets_each_run_remove_what_it_made(tmp_path: Path, number: int) -> None:
    """The runs are told to end, and are waited for, before the campaign ends."""
    script = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from airmile.campaign import beside\n"
        "from airmile.testbed.hosts import programs\n"
        "from tests.campaign.support import made_up\n"
        'run = \'trap "echo >> $0/removed; exit" TERM; cat > /dev/null; echo >> $0/begun;'
        " while :; do sleep 0.1; done'\n"
        f"programs.python = lambda *_: ['/bin/sh', '-c', run, {str(tmp_path)!r}]\n"
        "experiment = made_up().trials()[0].experiment()\n"
        "beside.made([experiment] * 2, [Path('x')] * 2)\n"
    )
    campaign = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parents[2],
        stderr=subprocess.DEVNULL,
        preexec_fn=hear_signals,
    )
    begun = tmp_path / "begun"
    while not begun.exists() or len(begun.read_text()) < 2:
        time.sleep(0.05)
        assert campaign.poll() is None
    campaign.send_signal(number)
    assert campaign.wait(300) != 0
    assert (tmp_path / "removed").read_text() == "\n\n"
