"""The page and the files of a campaign with invented runs."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from airmile.campaign.drive import Drive
from airmile.campaign.folder import Place, held
from airmile.campaign.results import Outcome
from airmile.campaign.statements import ordered
from airmile.study import Finding
from airmile.testbed.run import campaign
from tests.campaign.support import made_up, runner


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Outcome]:
    def begun(name: str) -> dict[str, Any]:
        late = name == "b-8"
        return {"trustworthy": not late, "untrustworthy_because": ["<late>"] * late}

    monkeypatch.setattr(campaign, "run", runner(begun))
    drive = Drive(Place("x", tmp_path / "x"), made_up())
    with held(drive.place):
        list(drive.run())
        return drive.place.out, drive.report()


def test_statements_are_judged_over_pairs_of_one_seed(made: tuple[Path, Outcome]) -> None:
    _, found = made
    ratio, level, lacking = found.lines
    assert ratio.found is not None
    assert level.found is not None
    # One run is left out, and so is the run paired with it.
    assert (ratio.found.n, level.found.n) == (7, 7)
    assert ratio.found.value == pytest.approx(0.5, abs=0.01)
    assert [line.outcome for line in found.lines] == ["reproduced", "reproduced", "no value"]
    assert lacking.found is None
    assert "none" in lacking.reason


def test_the_page_shows_statements_that_fail_before_those_that_hold(
    made: tuple[Path, Outcome],
) -> None:
    out, found = made
    failing = replace(found.lines[1], outcome="not")
    assert [line.outcome for line in ordered(replace(found, lines=(*found.lines, failing)))] == [
        "not", "no value", "reproduced", "reproduced",
    ]  # fmt: skip
    table = (out / "index.html").read_text().split("<tbody>")[1]
    assert table.index("speed of b") < table.index("bytes of a") < table.index("bytes of b<")


def test_the_files_hold_what_the_page_says(made: tuple[Path, Outcome]) -> None:
    out, found = made
    plain = json.loads((out / "results.json").read_text())
    assert plain["runs"]["left_out"] == {"b-8": "<late>"}
    assert (plain["runs"]["planned"], plain["runs"]["finished"]) == (16, 15)
    assert plain["kernels"] == ["6.1"]
    assert plain["seeds"] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert plain["command"] == "sudo airmile testbed campaign x"
    with (out / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["outcome"] for row in rows] == [line.outcome for line in found.lines]
    assert float(rows[0]["low"]) == pytest.approx(plain["statements"][0]["low"])
    assert rows[2]["value"] == ""


def test_the_page_says_all_and_escapes_what_it_was_given(made: tuple[Path, Outcome]) -> None:
    out, _ = made
    page = (out / "index.html").read_text().replace("\xa0", " ")
    for said in (
        "3 statements of the paper: 1 no value, 2 reproduced.", "15 runs of 16 count, 1 left out",
        "b-8: &lt;late&gt;", "&lt;b&gt;nothing&lt;/b&gt;", "seeds 1 to 8 (8)", "kernel 6.1",
        "sudo airmile testbed campaign x", "25 %", "<svg",
    ):  # fmt: skip
        assert said in page, said
    assert "<script" not in page
    assert "http-equiv" in page


def test_the_report_is_the_same_when_it_is_made_again(made: tuple[Path, Outcome]) -> None:
    out, _ = made
    before = (out / "results.json").read_text()
    Drive(Place("x", out), made_up()).report()
    assert (out / "results.json").read_text() == before


def test_a_quick_page_uses_its_own_runs_beside_those_of_the_whole_campaign(
    made: tuple[Path, Outcome],
) -> None:
    out, _ = made
    campaign = replace(made_up(), study="lte13", exhibits=["fig2"])
    found = Drive(Place("x", out), campaign, quick=True).report()
    assert len(found.tally.finished) == 4
    assert _findings(found)["no downlink payload"].n == 4
    assert found.seeds == [1, 2]
    assert found.others == 11
    page = (out / "index.html").read_text().replace("\xa0", " ")
    assert "11 finished runs that belong to more iterations" in page


def test_a_page_of_all_runs_mentions_no_others(made: tuple[Path, Outcome]) -> None:
    out, found = made
    assert found.others == 0
    assert "more iterations" not in (out / "index.html").read_text()


def _findings(found: Outcome) -> dict[str, Finding]:
    (result,) = found.exhibits
    return {quantity: row["runs"] for quantity, row in result.findings()}


def test_exhibits_of_eff14_see_the_flows_of_the_runs(made: tuple[Path, Outcome]) -> None:
    out, _ = made
    found = Drive(Place("x", out), replace(made_up(), study="eff14", exhibits=["fig1"])).report()
    (result,) = found.exhibits
    assert "single flows" not in result.missing["runs"].message


def test_what_is_not_reproduced_comes_first_and_what_is_set_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaign, "run", runner(lambda _: {}))
    ratio, level, lacking = made_up().statements
    wrong = replace(level, quantity="wrong", value=2)
    fixed = replace(level, quantity="fixed", set_by="the <link>")
    elsewhere = replace(level, quantity="elsewhere", arms="c")
    shown = [fixed, ratio, level, elsewhere, lacking, wrong]
    drive = Drive(Place("x", tmp_path / "x"), replace(made_up(), statements=shown))
    with held(drive.place):
        drive.keep()
        list(drive.run())
        drive.report()
    page = (tmp_path / "x" / "index.html").read_text().replace("\xa0", " ")
    rows = page[page.index("<tbody>") : page.index("</tbody>")].split("<tr>")[1:]
    assert [row[: row.index("<small>")].removeprefix("<th>") for row in rows] == [
        "wrong", "speed of b", "bytes of a, of b&#x27;s", "bytes of b", "fixed", "elsewhere",
    ]  # fmt: skip
    classes = [row.split('class="outcome ')[1].split('"')[0] for row in rows]
    assert classes == ["bad", "none", "good", "good", "set", "none"]
    assert "set: the &lt;link&gt;" in rows[4]
    assert "no effect: p" not in rows[4]
    said = "6 statements of the paper: 1 not, 1 no value, 2 reproduced, 1 set, 1 not run."
    assert said in page
    assert "The plan: 4 statements tested together (Holm), 1 set, 1 not run." in page
