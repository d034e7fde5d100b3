"""The rule by which causes are scored, case by case."""

from __future__ import annotations

from pathlib import Path

import pytest

from airmile.testbed.scoring.cause import NO_SLICE, Bin, Slice, cause_of, fits, score
from tests.score.capture import span_ns
from tests.score.score import bulk, main, read_labels

MS = 10**6
SETS = Path(__file__).parent.parent / "data" / "emu"


def bin_(index: int, label: str, busy: float = 0.0) -> Bin:
    return Bin(index * 100 * MS, (index + 1) * 100 * MS, label, busy)


def slice_(
    start_ms: int, end_ms: int, cause: str, size: int = 1, way: str = "downlink", uid: int = 0
) -> Slice:
    return Slice(way, start_ms * MS, end_ms * MS, size, cause, uid)


@pytest.mark.parametrize(
    ("label", "cause", "busy", "expected"),
    [
        ("link", "device_queue", 0.0, 1.0),
        ("link", "receive_window", 0.0, 0.0),
        ("rwnd", "receiver_app", 0.0, 1.0),
        ("idle_or_app", NO_SLICE, 0.0, 1.0),
        ("idle_or_app", "receiver_app", 0.0, 1.0),
        ("cwnd_or_path", "upstream_path", 0.0, 1.0),
        ("mixed_link_cwnd", "lte_uplink", 0.0, 1.0),
        ("mixed_link_cwnd", "slow_start", 0.0, 1.0),
        ("rto_loss", "undesired_slow_start", 0.0, 1.0),
        ("recovery", "lte_downlink", 0.8, 1.0),
        ("recovery", "lte_downlink", 0.79, 0.0),
        ("recovery", "device_queue", 0.8, 1.0),
        ("rto_loss", "lte_uplink", 0.8, 1.0),
        ("rto_loss", "lte_uplink", 0.79, 0.0),
        ("link", "undetermined", 0.0, 0.5),
    ],
)
def test_which_cause_fits_which_label(label: str, cause: str, busy: float, expected: float) -> None:
    assert fits(cause, bin_(0, label, busy)) == expected


def test_a_connection_that_rests_does_not_hide_another() -> None:
    rests, sends = slice_(0, 100, "idle"), slice_(20, 90, "lte_uplink", uid=1)
    assert cause_of(bin_(0, "link"), [rests, sends]) == "lte_uplink"


def test_of_several_connections_the_busiest_counts() -> None:
    short = [slice_(0, 60, "idle"), slice_(60, 100, "slow_start")]
    assert cause_of(bin_(0, "idle_or_app"), short) == "idle"
    longer = [slice_(0, 50, "sender_app", uid=1), slice_(50, 100, "idle", uid=1)]
    assert cause_of(bin_(0, "idle_or_app"), [*short, *longer]) == "sender_app"


def test_the_cause_of_a_bin_has_the_largest_overlap_summed_over_slices() -> None:
    rows = [slice_(0, 40, "idle"), slice_(40, 70, "slow_start"), slice_(70, 130, "slow_start")]
    assert cause_of(bin_(0, "link"), rows) == "slow_start"


def test_a_bin_without_a_slice_has_no_cause() -> None:
    assert cause_of(bin_(5, "link"), [slice_(0, 40, "idle")]) == NO_SLICE


def test_bins_that_reach_beyond_the_capture_are_not_scored() -> None:
    bins = [bin_(0, "link"), bin_(1, "link"), bin_(2, "link")]
    assert score([], bins, 1, 250 * MS, "downlink").bins == 1


def test_the_direction_with_more_bytes_is_judged() -> None:
    rows = [
        slice_(0, 100, "lte_uplink", size=10, way="uplink"),
        slice_(0, 100, "receive_window", size=1000),
    ]
    assert bulk(rows) == "downlink"


def test_the_direction_that_was_judged_is_scored_whatever_else_was_carried() -> None:
    rows = [
        slice_(0, 100, "lte_uplink", size=1000, way="uplink"),
        slice_(0, 100, "receive_window", size=10),
    ]
    result = score(rows, [bin_(0, "rwnd")], None, None, "downlink")
    assert result.confusion == {("rwnd", "receive_window"): 1}


def test_a_change_one_bin_late_agrees_only_with_the_tolerance() -> None:
    bins = [bin_(0, "link"), bin_(1, "rwnd"), bin_(2, "rwnd"), bin_(3, "rwnd")]
    rows = [slice_(0, 200, "lte_downlink"), slice_(200, 400, "receive_window")]
    result = score(rows, bins, None, None, "downlink")
    assert (result.agreement, result.tolerant_agreement) == (0.75, 1.0)
    assert result.recall() == {"link": 1.0, "rwnd": pytest.approx(2 / 3)}


def test_scores_add_up_over_sets() -> None:
    right = score([slice_(0, 100, "lte_downlink")], [bin_(0, "link")], None, None, "downlink")
    wrong = score([slice_(0, 100, "idle")], [bin_(0, "link")], None, None, "downlink")
    both = right + wrong
    assert (both.bins, both.agreement, both.recall()) == (2, 0.5, {"link": 0.5})


def test_labels_are_read_with_exact_instants() -> None:
    bins = read_labels(SETS / "a_link_cubic")
    assert bins[0].start_ns == 1_795_246_301_465_000_000
    assert bins[0].end_ns == bins[1].start_ns
    assert bins[-1].end_ns - bins[-1].start_ns == 100 * MS
    first, last = span_ns(SETS / "a_link_cubic" / "monitor.pcap.gz")
    assert bins[0].start_ns < first < last < bins[-1].end_ns + 10**9


def test_the_script_prints_the_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    slices = tmp_path / "slices.csv"
    slices.write_text(
        "direction,start_ns,end_ns,bytes,cause\n"
        "downlink,1795246300000000000,1795246400000000000,1000,lte_downlink\n"
    )
    assert main([str(slices), str(SETS / "a_link_cubic")]) == 0
    assert capsys.readouterr().out.startswith("110 bins  agreement 8")
