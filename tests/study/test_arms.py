"""Runs of an experiment: its arms are kept apart, as several datasets are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import airmile as am
from airmile.render.study_page import Paper, page
from airmile.study import EXHIBITS, PAPERS
from airmile.study._several import Result, results
from tests.support.made import Rows, campaign, dataset, flow, tti

SIZES = {"cubic-1": 1000, "cubic-2": 3000, "bbr-1": 9000}


def runs(path: Path) -> am.Dataset:
    """Return two runs of one arm and one of another, each with a flow."""
    made: dict[str, dict[str, Rows]] = {
        name: {"flows": [flow(1, dl_payload_bytes=size, quality="")], "ttis": [tti(0, 50)]}
        for name, size in SIZES.items()
    }
    return campaign(path, **made)


def of(name: str, sources: dict[str, Any], study: str = "lte13") -> Result:
    (result,) = results([EXHIBITS[study][name]], sources, arms=True)
    return result


def counts(result: Result) -> dict[str, int | None]:
    """Return the number of flows behind the first number of each dataset."""
    _, row = result.findings()[0]
    return {label: each.n for label, each in row.items()}


def test_arms_have_columns_of_their_own(tmp_path: Path) -> None:
    d = runs(tmp_path / "runs")
    assert counts(of("fig2", {"runs": d})) == {"bbr": 1, "cubic": 2}
    both = counts(of("fig2", {"A": d, "B": dataset(tmp_path / "b", flows=[flow(1)])}))
    assert both == {"A: bbr": 1, "A: cubic": 2, "B": 1}


def test_one_arm_is_one_dataset(tmp_path: Path) -> None:
    d = am.dataset.Dataset(runs(tmp_path / "runs").path, runs=["cubic-1", "cubic-2"])
    assert list(of("fig2", {"runs": d}).tables) == ["runs"]


def test_an_exhibit_that_compares_runs_has_them_together(tmp_path: Path) -> None:
    result = of("fig5", {"runs": runs(tmp_path / "runs")}, "bt19")
    assert [row["run"] for row in result.tables["runs"].to_pylist()] == sorted(SIZES)


def test_the_arms_of_a_network_of_eff14_belong_together(tmp_path: Path) -> None:
    made: dict[str, dict[str, Rows]] = {
        f"{network}-{arm}-1": {"flows": [flow(1)]}
        for network in ("3.5g", "4g") for arm in ("A", "B")
    }  # fmt: skip
    result = of("table1", {"runs": campaign(tmp_path / "runs", **made)}, "eff14")
    assert list(result.parts) == ["3.5g", "4g"]


def test_the_page_says_how_to_get_the_table_of_an_arm(tmp_path: Path) -> None:
    sources = {"runs": runs(tmp_path / "runs")}
    text = page([Paper("lte13", PAPERS["lte13"], [of("fig2", sources)])], sources, ["runs"])
    plain = text.replace("<span>", "").replace("</span>", "")
    assert "airmile study lte13 runs --figure fig2 --arm cubic --format csv" in plain
