"""The load of the machine: what is measured, what is quiet, and the wait for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from airmile import OutputError
from airmile.campaign import load
from airmile.campaign.folder import Place

QUIET = load.Load(0.02, 0.0, {"sshd": 0.02})
BUSY = load.Load(0.7, 0.0, {"cargo": 0.6, "pytest": 0.1})


@pytest.fixture
def proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that writes the ticks of the cores and of processes."""
    monkeypatch.setattr(load, "PROC", tmp_path)

    def write(cores: Iterable[int], **processes: int) -> None:
        (tmp_path / "stat").write_text(f"cpu  {' '.join(map(str, cores))} 9 9\ncpu0 1 2\n")
        for number, (name, ticks) in enumerate(processes.items(), 1):
            (tmp_path / str(number)).mkdir(exist_ok=True)
            fields = f"S {' 0' * 10} {ticks} 5 0"
            (tmp_path / str(number) / "stat").write_text(f"{number} ({name}) {fields}")

    return write


def test_a_load_is_the_share_of_all_cores_between_two_looks(proc: Callable[..., None]) -> None:
    # user, nice, system, idle, iowait, irq, softirq, steal
    proc([100, 0, 50, 1000, 10, 0, 0, 0], cargo=500, sshd=7)
    found = load.measure(5, lambda _: proc([130, 5, 60, 1120, 20, 3, 2, 20], cargo=540, sshd=8))
    assert found.busy_ratio == pytest.approx(50 / 200)
    assert found.stolen_ratio == pytest.approx(20 / 200)
    assert found.processes == {"cargo": pytest.approx(40 / 200)}


def test_time_that_waits_for_a_disk_and_shares_below_a_tenth_are_quiet(
    proc: Callable[..., None],
) -> None:
    proc([0, 0, 0, 0, 0, 0, 0, 0])
    assert load.measure(5, lambda _: proc([8, 0, 2, 60, 30, 0, 0, 0])).quiet
    proc([0, 0, 0, 0, 0, 0, 0, 0])
    # What the host of a virtual machine takes counts as what others use.
    assert not load.measure(5, lambda _: proc([8, 0, 2, 60, 29, 0, 0, 1])).quiet


def test_a_process_that_took_the_number_of_another_uses_no_time_back(
    proc: Callable[..., None],
) -> None:
    proc([0, 0, 0, 0, 0, 0, 0, 0], cargo=900)
    found = load.measure(5, lambda _: proc([50, 0, 0, 50, 0, 0, 0, 0], make=3))
    assert found.processes == {}


def waited(loads: Iterable[load.Load], step_s: float, limit_s: float) -> tuple[list[str], str]:
    """Return the lines of a wait whose looks take `step_s`, and its error."""
    clock, looks, lines = [0.0], iter(loads), []

    def look(_: float) -> load.Load:
        clock[0] += step_s
        return next(looks)

    try:
        for line in load.wait(limit_s, look, now=lambda: clock[0]):
            lines.append(line.replace("\u00a0", " "))
    except OutputError as error:
        return lines, error.message.replace("\u00a0", " ")
    return lines, ""


def test_a_quiet_machine_is_not_waited_for() -> None:
    assert waited([QUIET], 5, 600) == ([], "")


def test_a_busy_machine_is_quiet_only_after_a_longer_look() -> None:
    spans: list[float] = []

    def look(span_s: float) -> load.Load:
        spans.append(span_s)
        return QUIET if len(spans) == 3 else BUSY

    list(load.wait(600, look, now=lambda: 0.0))
    assert spans == [load.BRIEF_S, load.SPAN_S, load.SPAN_S]


def test_a_wait_says_what_it_waits_for_each_minute_and_when_it_ends() -> None:
    lines, error = waited([*[BUSY] * 4, QUIET], 40, 600)
    busy = "70 % of the machine's cores are in use (cargo 60 % and pytest 10 %)"
    assert lines == [
        f"waiting for a quiet machine, at most 10 min: {busy}",
        f"still waiting, 9 min left: {busy}",
        f"still waiting, 7 min left: {busy}",
        "quiet after 3 min: 2.0 % of the machine's cores are in use",
    ]
    assert error == ""


def test_a_wait_ends_at_its_limit_with_what_uses_the_machine() -> None:
    lines, error = waited([BUSY] * 40, 40, 120)
    assert error == (
        "the machine was not quiet within 2 min: 70 % of the machine's cores are in use "
        "(cargo 60 % and pytest 10 %)"
    )
    assert len(lines) == 2


def test_noted_loads_come_back_and_lines_cut_off_do_not(tmp_path: Path) -> None:
    place = Place("x", tmp_path)
    assert load.noted(place) == []
    load.note(place, BUSY)
    load.note(place, load.Load(0.05, 0.025, {}))
    with place.loads.open("a") as file:
        file.write("2026-01-01,nan,0\n2026-01-01,9,0\n2026-01")
    assert load.noted(place) == [(0.7, 0.0), (0.05, 0.025)]
