"""The runs of a campaign: order, repetitions, and how a killed campaign continues."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from airmile import InputError, OutputError, UsageError
from airmile.campaign import conduct, folder, rounds
from airmile.campaign.design import Short
from airmile.campaign.drive import Drive
from airmile.campaign.folder import LOG, Place, held
from airmile.testbed.run import campaign
from tests.campaign.support import made_up, runner

LATE = {"trustworthy": False, "untrustworthy_because": ["the machine was late"]}


class Runs:
    """Invented runs: which were begun, and what the next run of a name reports."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.says: dict[str, list[dict[str, Any] | Exception]] = {}

    def __call__(self, name: str) -> dict[str, Any]:
        self.begun.append(name)
        waiting = self.says.get(name)
        said = waiting.pop(0) if waiting else {}
        if isinstance(said, Exception):
            raise said
        return said


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    made = Runs()
    monkeypatch.setattr(campaign, "run", runner(made))
    return made


def all_of(place: Place, quick: bool = True) -> list[str]:
    with held(place):
        return list(conduct.conduct(place, made_up().trials(quick=quick)))


def test_runs_are_made_in_order_and_only_once(tmp_path: Path, runs: Runs) -> None:
    place = Place("x", tmp_path / "x")
    lines = all_of(place)
    assert runs.begun == ["a-1", "b-1", "b-2", "a-2"]
    assert lines[0] == "1/4  a-1  complete, late 0.23 ms (p99)"
    assert all_of(place) == ["4 of 4 runs exist already"]
    # The whole campaign continues the quick one.
    all_of(place, quick=False)
    assert len(runs.begun) == len(set(runs.begun)) == 16
    with (place.out / LOG).open() as file:
        assert [row[0] for row in csv.reader(file)] == runs.begun


def test_all_arms_of_the_seed_of_an_untrustworthy_run_are_repeated_once(
    tmp_path: Path, runs: Runs
) -> None:
    place, trials = Place("x", tmp_path / "x"), made_up().trials(quick=True)
    runs.says = {"b-1": [LATE], "a-2": [{}, LATE], "b-2": [OutputError("no room")]}
    lines = all_of(place)
    # b-2 fails before a-2 was run; then both are run, in an order that the name of the seed gives.
    assert runs.begun[:2] == ["a-1", "b-1"]
    assert sorted(runs.begun[2:4]) == ["a-1", "b-1"]
    assert runs.begun[4] == "b-2"
    assert sorted(runs.begun[5:]) == ["a-2", "b-2"]
    assert "2/4  b-1  all arms of seed 1 are run again: " in "\n".join(lines)
    found = folder.tally(place, trials)
    assert [trial.name for trial in found.finished] == ["a-1", "b-1", "b-2", "a-2"]
    assert [trial.name for trial in found.repeated] == ["a-1", "b-1", "b-2"]
    assert found.arms == {
        "a": folder.Counts(planned=2, finished=2, along=1),
        "b": folder.Counts(planned=2, finished=2, late=2),
    }
    before = len(runs.begun)
    all_of(place)
    assert len(runs.begun) == before


def test_a_run_that_cannot_be_trusted_twice_is_left_out(tmp_path: Path, runs: Runs) -> None:
    place, trials = Place("x", tmp_path / "x"), made_up().trials(quick=True)
    runs.says = {"a-2": [LATE, LATE]}
    lines = all_of(place)
    assert runs.begun == ["a-1", "b-1", "b-2", "a-2", *runs.begun[4:]]
    assert sorted(runs.begun[4:]) == ["a-2", "b-2"]
    assert any(line.endswith("a-2  left out after 2 attempts") for line in lines)
    found = folder.tally(place, trials)
    assert found.left_out == {"a-2": "the machine was late"}
    # The other arm of the seed still counts, in statements that do not compare the two.
    assert [trial.name for trial in found.finished] == ["a-1", "b-1", "b-2"]
    assert found.arms["a"] == folder.Counts(planned=2, finished=1, late=2, left_out=1)
    assert found.arms["b"] == folder.Counts(planned=2, finished=2, along=1)


def test_the_order_of_a_repeated_seed_is_drawn_and_always_the_same(tmp_path: Path) -> None:
    place, trials = Place("x", tmp_path), made_up(whole=40).trials()
    orders = []
    for seed in range(1, 41):
        found = rounds.Rounds(place, trials)
        first = next(trial for trial in trials if trial.seed == seed)
        assert found.again(first)
        orders.append(found.together(first) == [each for each in trials if each.seed == seed])
        assert rounds.Rounds(place, trials).together(first) == found.together(first)
        assert not found.again(first)
    # Neither that of the campaign nor the other one in all seeds.
    assert 10 < sum(orders) < 30


@pytest.mark.parametrize("moved", [0, 1, 2])
def test_a_seed_of_which_some_runs_had_been_moved_when_it_was_killed_is_repeated(
    tmp_path: Path, runs: Runs, moved: int
) -> None:
    place, trials = Place("x", tmp_path / "x"), made_up().trials(quick=True)
    runs.says = {"b-2": [LATE]}
    with held(place):
        place.runs().mkdir()
        for trial in trials:
            runner(runs)(trial.experiment(), place.run(trial), lambda _: None)
        (place.out / "left-out").mkdir()
        for trial in [each for each in trials if each.seed == 2][:moved]:
            place.run(trial).rename(place.out / "left-out" / f"{trial.name}.1")
    lines = all_of(place)
    assert sorted(runs.begun[4:]) == ["a-2", "b-2"]
    assert lines[0] == "2 of 4 runs exist already"
    found = folder.tally(place, trials)
    assert (found.arms["a"].along, found.arms["b"].late) == (1, 1)


def test_a_failure_that_was_noted_before_a_kill_repeats_the_seed(
    tmp_path: Path, runs: Runs
) -> None:
    place, trials = Place("x", tmp_path / "x"), made_up().trials(quick=True)
    with held(place):
        place.runs().mkdir()
        runner(runs)(trials[0].experiment(), place.run(trials[0]), lambda _: None)
        (place.out / "left-out" / "b-1.1").mkdir(parents=True)
        (place.out / "left-out" / "b-1.1" / folder.WHY).write_text("no room")
    all_of(place)
    assert sorted(runs.begun[1:3]) == ["a-1", "b-1"]


@pytest.mark.parametrize(
    "text", ["{", "[1]", "3", '{":1": 9}', '{":1": 0}', '{":1": "2"}', '{":1": {}}']
)
def test_a_damaged_file_of_rounds_is_refused(tmp_path: Path, runs: Runs, text: str) -> None:
    place = Place("x", tmp_path / "x")
    with held(place):
        place.rounds.write_text(text)
    with pytest.raises(InputError, match="not the rounds"):
        all_of(place)


def test_a_folder_in_which_an_earlier_version_repeated_a_run_alone_goes_on(
    tmp_path: Path, runs: Runs
) -> None:
    place = Place("x", tmp_path / "x")
    runs.says = {"b-2": [LATE]}
    with held(place):
        place.runs().mkdir()
        for trial in made_up().trials(quick=True):
            if trial.name != "b-2":
                runner(runs)(trial.experiment(), place.run(trial), lambda _: None)
        (place.out / "left-out" / "a-2.1").mkdir(parents=True)
    all_of(place)
    assert (place.out / "left-out" / "a-2.3").is_dir()
    assert place.run(made_up().trials(quick=True)[3]).is_dir()


def test_the_dataset_of_runs_holds_those_that_count(tmp_path: Path, runs: Runs) -> None:
    import airmile

    place = Place("x", tmp_path / "x")
    runs.says = {"a-2": [LATE, LATE]}
    all_of(place)
    dataset = airmile.open(place.runs())
    assert dataset.sql("SELECT run FROM flows ORDER BY run")["run"].to_pylist() == [
        "a-1", "b-1", "b-2",
    ]  # fmt: skip


def test_what_was_killed_before_it_was_judged_is_judged(tmp_path: Path, runs: Runs) -> None:
    """A kill between the end of an untrusted run and its move to the folder `left-out`."""
    place, trials = Place("x", tmp_path / "x"), made_up().trials(quick=True)
    with held(place):
        place.runs().mkdir()
        runner(lambda _: LATE)(trials[0].experiment(), place.run(trials[0]), lambda _: None)
    all_of(place)
    assert runs.begun.count("a-1") == 1
    assert len(place.attempts(trials[0])) == 1


@pytest.mark.parametrize("killed_after", [1, 3])
def test_a_killed_campaign_goes_on_and_makes_no_finished_run_again(
    tmp_path: Path, killed_after: int
) -> None:
    log, out = tmp_path / "log", tmp_path / "x"
    script = (
        "import time\n"
        "from pathlib import Path\n"
        "from airmile.campaign import conduct, folder\n"
        "from airmile.testbed.run import campaign\n"
        "from tests.campaign.support import made_up, runner\n"
        "def begun(name):\n"
        f"    with open({str(log)!r}, 'a') as file: file.write(name + '\\n')\n"
        "    time.sleep(0.2)\n"
        "    return {}\n"
        "campaign.run = runner(begun)\n"
        f"where = folder.Place('x', Path({str(out)!r}))\n"
        "with folder.held(where):\n"
        "    list(conduct.conduct(where, made_up().trials(quick=True)))\n"
    )
    command = [sys.executable, "-c", script]
    first = subprocess.Popen(command, cwd=Path(__file__).parents[2])
    while not log.exists() or len(log.read_text().splitlines()) <= killed_after:
        time.sleep(0.01)
        assert first.poll() is None
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    subprocess.run(command, cwd=Path(__file__).parents[2], check=True)
    begun = log.read_text().split()
    killed = begun[killed_after]
    # The killed run begins again; each other run is made once, in the same order.
    assert begun == ["a-1", "b-1", "b-2", "a-2"][: killed_after + 1] + [
        "a-1", "b-1", "b-2", "a-2",
    ][killed_after:]  # fmt: skip
    assert begun.count(killed) == 2


def test_a_folder_of_something_else_is_refused(tmp_path: Path, runs: Runs) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "thesis.tex").write_text("")
    with pytest.raises(UsageError, match="exists and is not the folder of a campaign"):
        all_of(Place("x", tmp_path / "x"))
    all_of(Place("x", tmp_path / "y"))
    with pytest.raises(UsageError, match="belongs to the campaign x"):
        all_of(Place("z", tmp_path / "y"))


def test_two_processes_do_not_share_a_campaign(tmp_path: Path) -> None:
    place = Place("x", tmp_path / "x")
    with held(place), pytest.raises(UsageError, match="another process"), held(place):
        pass


def test_a_folder_with_a_link_to_elsewhere_is_refused(tmp_path: Path, runs: Runs) -> None:
    place, elsewhere = Place("x", tmp_path / "x"), tmp_path / "elsewhere"
    all_of(place)
    elsewhere.write_text("mine")
    for name in ("runs.csv", "left-out", ".index.html.part"):
        link = place.out / name
        link.unlink(missing_ok=True)
        link.symlink_to(elsewhere)
        with pytest.raises(UsageError, match=f"{name} is a symbolic link"):
            all_of(place)
        link.unlink()
    assert elsewhere.read_text() == "mine"


def test_a_file_is_no_folder_for_a_campaign(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(UsageError, match="is a file"), held(Place("x", tmp_path / "x")):
        pass


def test_a_campaign_that_was_killed_while_it_marked_its_folder_goes_on(
    tmp_path: Path, runs: Runs
) -> None:
    place = Place("x", tmp_path / "x")
    place.out.mkdir()
    (place.out / "campaign.part").write_text("{")
    assert len(all_of(place)) == 4


def test_a_log_and_an_attempt_that_were_cut_off_do_not_stop_the_report(
    tmp_path: Path, runs: Runs
) -> None:
    place = Place("x", tmp_path / "x")
    all_of(place)
    with (place.out / LOG).open("a") as log:
        log.write("a-1,2026-01")
    assert folder.took_s(place, made_up().trials()) >= 0
    trial = made_up().trials(quick=True)[0]
    place.run(trial).rename(tmp_path / "gone")
    for number in (1, 2):
        (place.out / "left-out" / f"{trial.name}.{number}").mkdir(parents=True)
    left_out = folder.tally(place, [trial]).left_out
    assert left_out == {"a-1": "it was killed before it said why it failed"}


def test_finished_runs_with_other_settings_are_not_gone_on_from(tmp_path: Path, runs: Runs) -> None:
    place = Place("x", tmp_path / "x")
    all_of(place)
    changed = [
        replace(trial, arm=replace(trial.arm, settings={"workload.seconds": 3}))
        for trial in made_up().trials(quick=True)
    ]
    with held(place), pytest.raises(UsageError, match="another experiment called a-1"):
        list(conduct.conduct(place, changed))


def test_a_plan_of_other_settings_is_not_kept(tmp_path: Path, runs: Runs) -> None:
    place = Place("x", tmp_path / "x")
    all_of(place)
    short = Short({"workload.seconds": 3}, 4, "Each download lasts 3 s.")
    drive = Drive(place, replace(made_up(), short=short), quick=True)
    with held(place), pytest.raises(UsageError, match="another experiment called a-1"):
        drive.keep()
    assert not place.plans.exists()
