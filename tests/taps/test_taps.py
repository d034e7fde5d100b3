"""The parts of the score at the taps: fits, moments, distances, probabilities, and intervals."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.taps import eased, kinds, short
from tests.taps.distance import distance
from tests.taps.figures import Sums, fits, interval, stated, sums
from tests.taps.labels import FINER, NARROWEST, fitting, narrowest
from tests.taps.moments import Moment, compared
from tests.taps.runs import Recorded, Scored
from tests.taps.said import Claim
from tests.taps.twins import twins

MS = 1_000_000

LINK = Claim("lte_downlink")


def test_a_narrowest_cause_fits_its_label() -> None:
    for label in (*FINER, *NARROWEST):
        assert narrowest(label, None) <= fitting(label)


def test_a_cause_fits_a_label_within_the_tolerance_of_a_change() -> None:
    truth = [((0, 400 * MS), "link"), ((400 * MS, 800 * MS), "rwnd")]
    moments = compared(truth, [((0, 800 * MS), LINK)])
    times = {(m.label, m.near): t // MS for m, t in moments.items()}
    assert times == {
        ("link", ("link",)): 300,
        ("link", ("link", "rwnd")): 100,
        ("rwnd", ("link", "rwnd")): 100,
        ("rwnd", ("rwnd",)): 300,
    }


def test_what_is_unknown_or_not_in_the_capture_is_not_compared() -> None:
    truth = [((0, 100 * MS), "unknown"), ((100 * MS, 400 * MS), "link")]
    moments = compared(truth, [], within=(150 * MS, 250 * MS))
    assert {(m.label, m.near, m.claim.cause): t // MS for m, t in moments.items()} == {
        ("link", ("link", "unknown"), "none"): 50,
        ("link", ("link",), "none"): 50,
    }


def test_of_two_slices_at_once_the_earlier_one_counts() -> None:
    slices = [((0, 60), LINK), ((40, 100), Claim("sender_app"))]
    moments = compared([((0, 100), "link")], slices)
    assert {m.claim.cause: t for m, t in moments.items()} == {"lte_downlink": 60, "sender_app": 40}


@pytest.mark.parametrize(
    ("claim", "share"),
    [
        (LINK, 0.99),
        (Claim("lte_downlink", "likely", ("sender_app",)), 0.9),
        (Claim("sender_app", "likely", ("lte_downlink",)), 0.1),
        (Claim("undetermined", "open", ("sender_app", "lte_downlink")), 0.5),
        (Claim("lte_downlink", "open", ("sender_app",)), 0.5),
        (Claim("undetermined"), 0.0),
        (Claim("sender_app"), 0.0),
    ],
)
def test_what_is_stated_for_the_truth(claim: Claim, share: float) -> None:
    assert stated(claim, ("link",)) == pytest.approx(share)


def test_an_open_claim_is_not_right_but_may_name_the_truth() -> None:
    claim = Claim("undetermined", "open", ("sender_app", "lte_downlink"))
    found = Sums()
    found.add(Moment("link", ("link",), claim), 10**9, "downlink")
    assert not fits(claim, ("link",))
    assert (found.right, found.open, found.named, found.brier) == (0, 1, 1, 0.25)


def test_the_other_direction_of_the_link_fits_but_not_exactly() -> None:
    found = Sums()
    found.add(Moment("link", ("link",), Claim("lte_uplink")), 10**9, "downlink")
    assert (found.right, found.exact) == (1, 0)


def test_a_label_takes_over_what_another_can_leave() -> None:
    # Only `link` fits `lte_downlink` alone; the mixed label takes the window that is left.
    true = {"mixed_link_cwnd": 5, "link": 5}
    assert distance(true, {"lte_downlink": 5, "slow_start": 5}) == 0
    assert distance(true, {"lte_downlink": 2, "slow_start": 8}) == pytest.approx(0.3)
    assert distance({"sender_app": 3}, {"sender_app": 3}) == 0
    assert distance({}, {}) is None


def test_the_interval_of_runs_that_are_alike_is_narrow() -> None:
    assert interval([Sums(time=2, right=1)] * 5, "right", "time") == (0.5, 0.5)
    mixed = [Sums(time=1, right=n % 2) for n in range(10)]
    low, high = interval(mixed, "right", "time")
    assert low is not None and high is not None and low < 0.4 and high > 0.6
    assert interval([Sums(time=1)], "right", "time") == (None, None)


def test_a_connection_without_a_headline_is_counted_apart() -> None:
    found = Sums()
    found.headline("link", None)
    found.headline("link", LINK)
    found.headline("link", Claim("sender_app"))
    found.headline("link", Claim("lte_downlink", "likely", ("upstream_path",)))
    assert (found.headlines, found.headlines_right, found.headlines_silent) == (3, 2, 1)
    assert (found.sure_headlines, found.sure_right) == (2, 1)


def test_what_a_tap_cannot_show_is_left_out_of_the_visible_share() -> None:
    path = Moment("upstream_path", ("upstream_path",), LINK)
    scored = [_scored(tap, "upstream-line_up-s2", path) for tap in ("ue", "monitor")]
    assert [(sums(each).shown, sums(each).time) for each in scored] == [(0, 1), (1, 1)]


def test_a_cause_that_is_sure_of_both_twins_is_shown() -> None:
    likely = Claim("lte_downlink", "likely", ("upstream_path",))
    scored = [
        _scored("ue", "control-cubic_down-s2", Moment("link", ("link",), LINK)),
        _scored("ue", "upstream-line_up-s2", Moment("upstream_path", ("upstream_path",), LINK)),
        _scored("ue", "upstream-shaper-s2", Moment("upstream_path", ("upstream_path",), likely)),
    ]
    (row,) = twins(scored)
    assert (row["pair"], row["cause"]) == ("link, wired path", "lte_downlink")
    assert (row["first_sure"], row["second_sure"]) == (1, 0.5)


def _scored(tap: str, name: str, moment: Moment) -> Scored:
    run = Recorded("taps", name.partition("-")[0], name, Path())
    return Scored(run, tap, "whole", Counter({moment: 10**9}), "downlink")


def test_every_run_has_a_name_of_its_own() -> None:
    names = [run.name for of in (kinds, short) for seed in (1, 2) for run in of.runs(seed)]
    assert len(names) == len(set(names))


def test_a_run_is_repeated_with_each_of_its_own_limits_eased() -> None:
    every = {run.name: run.experiment for run in eased.runs(2)}
    whole, wide = every["short_window-033-s2-whole"], every["short_window-033-s2-window"]
    assert wide["workload"]["receive_buffer"] == 2 * whole["workload"]["receive_buffer"]
    assert wide["link"] == whole["link"]
    assert "short_window-033-s2-loss" not in every


@pytest.mark.parametrize(
    ("label", "saved", "names"),
    [
        ("rwnd", {"link": 0.02, "window": 0.4}, "right"),
        ("rwnd", {"link": 0.3, "window": 0.0}, "wrong"),
        ("link", {"link": 0.2, "app": 0.4}, "wrong"),
        ("slow_start", {"link": 0.3}, "wrong"),
        ("slow_start", {"link": 0.03}, "unchecked"),
        ("policed", {"link": 0.3}, "right"),
    ],
)
def test_a_label_is_right_if_easing_its_limit_saves_most(
    label: str, saved: dict[str, float], names: str
) -> None:
    assert eased.judged(label, saved) == names
