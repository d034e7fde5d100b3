"""The command `airmile testbed campaign`: its list, its runs, and its exit codes."""

from __future__ import annotations

from html import unescape
from pathlib import Path
from typing import Any

import pytest

from airmile.campaign import known, load, names, requirements
from airmile.cli import run as cli_run
from airmile.testbed.run import campaign
from tests.campaign.support import made_up, runner


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace every campaign by one with invented runs, one of them late; return those begun."""
    begun: list[str] = []

    def of(name: str) -> dict[str, Any]:
        begun.append(name)
        return {"trustworthy": name != "a-2", "untrustworthy_because": ["late"]}

    monkeypatch.setattr(campaign, "run", runner(of))
    monkeypatch.setattr(known, "find", lambda _: made_up())
    monkeypatch.setattr("airmile.campaign.find", lambda _: made_up())
    monkeypatch.setattr(requirements, "check", lambda *_: None)
    monkeypatch.setattr(load, "measure", lambda: QUIET)
    return begun


QUIET = load.Load(0.03, 0.0, {})
BUSY = load.Load(0.62, 0.01, {"cargo": 0.5, "[odd] <name>": 0.1})


def test_without_a_name_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli_run(["testbed", "campaign"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == names()
    hwy18 = next(line for line in lines if line.startswith("hwy18"))
    assert "720 runs" in hwy18
    assert "6.0 h" in hwy18


def test_it_says_the_time_runs_and_ends_with_its_page(
    tmp_path: Path, made: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x"
    assert cli_run(["testbed", "campaign", "hwy18", "--quick", "-o", str(out), "-q"]) == 1
    said = capsys.readouterr().out.replace("\u00a0", " ")
    assert said.startswith("hwy18: 4 runs to make, which take some 3 min")
    assert "too few  2 seeds, 6 needed      bytes of b" in said
    assert "too few         bytes of b (section 5): 2 samples, and 6 decide it" in said
    assert "no value        speed of b" in said
    assert "3 runs in" in said
    assert "1 left out" in said
    assert (out / "index.html").is_file()
    assert made == ["a-1", "b-1", "b-2", "a-2", "a-2", "b-2"]
    page = (out / "index.html").read_text()
    assert "<tr><td>a</td><td>2</td><td>1</td><td>2</td><td>0</td><td>1</td></tr>" in page
    assert "<tr><td>b</td><td>2</td><td>2</td><td>0</td><td>1</td><td>0</td></tr>" in page


def test_a_plan_alone_is_printed_and_nothing_is_run(
    tmp_path: Path, made: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x"
    assert cli_run(["testbed", "campaign", "hwy18", "--plan", "-o", str(out)]) == 0
    said = capsys.readouterr().out.replace("\u00a0", " ")
    assert "tested   8 seeds, 6 needed      bytes of a, of b's [30 %, 1.1 sd]" in said
    assert "Holm's family, fixed now: 3 statements; margin 25 %" in said
    assert made == []
    assert not out.exists()


def test_more_seeds_after_results_are_another_plan_and_the_page_says_so(
    tmp_path: Path, made: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x"
    command = ["testbed", "campaign", "hwy18", "-o", str(out), "-q"]
    cli_run([*command, "--quick"])
    page = (out / "index.html").read_text().replace("\u00a0", " ")
    assert "It was written down before the first run" in page
    capsys.readouterr()
    cli_run(command)
    said = capsys.readouterr().out.replace("\u00a0", " ")
    assert "this is plan 2 of the folder: 3 runs had been finished before" in said
    page = (out / "index.html").read_text().replace("\u00a0", " ")
    assert "plan 2 of this folder" in page
    assert "3 runs were finished before it, whose results may have been seen" in page


def test_the_same_command_makes_the_page_again_and_no_run(
    tmp_path: Path, made: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x"
    command = ["testbed", "campaign", "hwy18", "-o", str(out), "-q"]
    assert cli_run([*command, "--quick"]) == 1
    (out / "index.html").unlink()
    before = list(made)
    assert cli_run([*command, "--quick", "--margin", "0.001"]) == 1
    assert made == before
    assert "0.1 %" in (out / "index.html").read_text().replace("\u00a0", " ")
    assert cli_run([*command]) == 1
    assert len(made) == len(before) + 12


def test_a_margin_of_nothing_is_refused(tmp_path: Path, made: list[str]) -> None:
    command = ["testbed", "campaign", "hwy18", "-o", str(tmp_path / "x")]
    assert cli_run([*command, "--margin", "0"]) == 2
    assert made == []


def test_all_go_on_after_one_that_fails(
    tmp_path: Path,
    made: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("airmile.campaign.names", lambda: ["eff14", "hwy18"])
    monkeypatch.setattr("airmile.campaign.find", lambda _: made_up(quick=6))
    out = tmp_path / "x"
    (out / "campaign-eff14-quick").mkdir(parents=True)
    (out / "campaign-eff14-quick" / "letter.txt").touch()
    assert cli_run(["testbed", "campaign", "all", "--quick", "-o", str(out), "-q"]) == 2
    said = capsys.readouterr()
    assert said.err.count("error:") == 1
    assert "campaign-eff14-quick exists and is not the folder of a campaign" in said.err
    assert said.out.startswith("hwy18: 12\u00a0runs to make")
    assert (out / "campaign-hwy18-quick" / "index.html").is_file()


def test_an_interrupt_ends_all(
    tmp_path: Path,
    made: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupt(*_: object) -> None:
        made.append("begun")
        raise KeyboardInterrupt

    monkeypatch.setattr("airmile.campaign.names", lambda: ["eff14", "hwy18"])
    monkeypatch.setattr("airmile.campaign.find", lambda _: made_up(quick=6))
    monkeypatch.setattr(campaign, "run", interrupt)
    out = tmp_path / "x"
    assert cli_run(["testbed", "campaign", "all", "--quick", "-o", str(out), "-q"]) == 130
    assert made == ["begun"]
    assert f"hint: airmile testbed campaign all --quick -o {out}" in capsys.readouterr().err


def test_all_that_is_quick_leaves_out_what_ten_minutes_do_not_decide(
    tmp_path: Path,
    made: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("airmile.campaign.names", lambda: ["eff14", "hwy18"])
    monkeypatch.setattr(
        "airmile.campaign.find", lambda name: made_up(quick=6 if name == "eff14" else 2)
    )
    out = tmp_path / "x"
    cli_run(["testbed", "campaign", "all", "--quick", "-o", str(out), "-q"])
    said = capsys.readouterr().out
    assert "hwy18: left out, because ten minutes decide none of its statements" in said
    assert (out / "campaign-eff14-quick" / "index.html").is_file()
    assert not (out / "campaign-hwy18-quick").exists()
    # Where ten minutes decide none of them, nothing is run, and that is no error.
    monkeypatch.setattr("airmile.campaign.find", lambda _: made_up(quick=2))
    assert cli_run(["testbed", "campaign", "all", "--quick", "-o", str(tmp_path / "y")]) == 0


def test_the_load_is_measured_before_the_first_run_and_stands_on_the_page(
    tmp_path: Path,
    made: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(load, "measure", lambda: BUSY)
    out = tmp_path / "x"
    cli_run(["testbed", "campaign", "hwy18", "--quick", "-o", str(out), "-q"])
    warned = capsys.readouterr().err.replace("\u00a0", " ")
    assert "62 % of the machine's cores are in use (cargo 50 % and [odd] <name> 10 %)" in warned
    assert "Runs may be late and left out" in warned
    page = unescape((out / "index.html").read_text()).replace("\u00a0", " ")
    assert "Before the first run 63 % of the machine's cores were in use." in page
    # Nothing is measured where nothing is run.
    monkeypatch.setattr(load, "measure", lambda: pytest.fail("the load was measured"))
    cli_run(["testbed", "campaign", "hwy18", "--quick", "-o", str(out), "-q"])


def test_wait_makes_each_run_on_a_quiet_machine(
    tmp_path: Path, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[float, int]] = []

    def wait(limit_s: float) -> list[str]:
        seen.append((limit_s, len(made)))
        return []

    monkeypatch.setattr(load, "wait", wait)
    out = tmp_path / "x"
    cli_run(["testbed", "campaign", "hwy18", "--quick", "-o", str(out), "-q", "--wait", "7"])
    # Once before the load is measured, and once before each of the six attempts.
    assert seen == [(420.0, number) for number in (0, 0, 1, 2, 3, 4, 5)]


def test_a_machine_that_is_never_quiet_ends_the_wait_with_an_error(
    tmp_path: Path,
    made: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    minutes, wait = iter(range(0, 60_000, 60)), load.wait
    monkeypatch.setattr(load, "measure", lambda: BUSY)
    monkeypatch.setattr(
        load, "wait", lambda limit_s: wait(limit_s, lambda _: BUSY, now=lambda: next(minutes))
    )
    out = tmp_path / "x"
    command = ["testbed", "campaign", "hwy18", "--quick", "-o", str(out), "-q", "--wait", "7"]
    assert cli_run(command) == 5
    assert "was not quiet within" in capsys.readouterr().err
    assert made == []
