"""What is compared when a control is compared with itself: pairs that nothing distinguishes."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pytest

from airmile.campaign.folder import Place
from airmile.campaign.known import find
from tests.compare import self_comparison
from tests.compare.self_comparison import COMPARISONS, LABELS, MAIN, PAIRS, Tally
from tests.support.made import write

TRIALS = list(self_comparison.planned())


def test_the_two_runs_of_a_pair_differ_in_their_label_alone() -> None:
    for first, second in zip(TRIALS[::2], TRIALS[1::2], strict=True):
        assert {first.arm.name, second.arm.name} == {*LABELS}
        assert first.seed == second.seed
        assert first.arm.settings == second.arm.settings
        assert first.experiment().link == second.experiment().link


def test_no_run_is_in_two_pairs_and_each_label_begins_half_of_them() -> None:
    assert max(Counter((trial.arm.name, trial.seed) for trial in TRIALS).values()) == 1
    assert len(TRIALS) == 2 * COMPARISONS * PAIRS
    assert Counter(trial.arm.group for trial in TRIALS) == {
        f"{number:02}-{label}": PAIRS for number in range(1, COMPARISONS + 1) for label in LABELS
    }
    for label in LABELS:
        begun = [trial for trial in TRIALS[::2] if trial.arm.name == label]
        assert len(begun) == COMPARISONS * PAIRS / 2


def test_the_runs_are_those_of_the_campaign_but_for_their_length_and_place() -> None:
    campaigns = next(each for each in find("hwy18").trials(quick=True) if each.name == "cubic-1")
    here, there = (asdict(each.experiment()) for each in (TRIALS[0], campaigns))
    assert {key for key in here if here[key] != there[key]} == {"name", "options", "link"}
    places = [each["link"]["downlink"]["rate"]["sinr"].pop("offset_m") for each in (here, there)]
    assert here["link"] == there["link"]
    assert 0 <= places[0] <= self_comparison.SPACING_M


def test_a_comparison_without_a_run_is_left_out() -> None:
    last = [trial for trial in TRIALS if trial.seed == PAIRS + 1][:1]
    assert self_comparison.complete(last) == [0, *range(2, COMPARISONS)]
    assert self_comparison.complete(TRIALS) == []


def test_a_claim_is_counted_and_groups_without_spread_are_named(tmp_path: Path) -> None:
    place = Place("x", tmp_path)
    rates = {
        "01-first": (10, 12, 9, 14, 11, 13), "01-second": (11, 11, 10, 13, 12, 12),
        "02-first": (10, 12, 9, 14, 11, 13), "02-second": (13, 14, 12, 16, 14, 16),
        "03-first": (5,) * 6, "03-second": (5,) * 6,
    }  # fmt: skip
    for group, values in rates.items():
        rows = [
            {"seed": seed, "iteration": seed, "rate_bps": 1e6 * rate, "trustworthy": True}
            for seed, rate in enumerate(values)
        ]
        write(place.runs(group), trials=rows)
    found = self_comparison.tally(place, range(3), *MAIN)
    assert [claim.partition(":")[0] for claim in found.claims] == ["2"]
    assert len(found.p_values) == 2
    assert "all 6 values" in found.none[0]
    first, *more = self_comparison.lines(MAIN, found)
    assert "1 of 2 claim a difference, at most 3 may" in first
    assert len(more) == 2


@pytest.mark.parametrize(("claims", "code"), [(3, 0), (4, 1)])
def test_too_many_claims_of_the_main_metric_fail(
    claims: int, code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def tally(place: Place, comparisons: range, table: str, metric: str) -> Tally:
        return Tally([0.01] * 20, ["1: a sentence"] * (claims if (table, metric) == MAIN else 20))

    monkeypatch.setattr(self_comparison, "tally", tally)
    assert self_comparison.report(Place("x", tmp_path), range(20)) == code
