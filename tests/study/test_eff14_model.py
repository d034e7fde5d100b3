"""Real short flows beside the model: runs that are made up, whose figures are computed by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import airmile as am
from airmile.study import Missing, eff14
from airmile.study._several import results
from airmile.study.eff14 import _model_flows
from tests.support.made import Rows, at, campaign, dataset, flow

SIZE = 320 * 1024
EXACT_S, EFF14_S = 0.291944, 0.274720
"""Of 320 KiB at 20 Mbit/s of payload, 40 ms, 10 segments of 1460 bytes (methods I1)."""

LINK_BYTES = 2_568.493150684931
"""What 20 Mbit/s of payload take of the link in a TTI: 2500 bytes, and their share of headers."""


def run(seed: int, measured_ms: float, **more: Any) -> dict[str, Rows]:
    """Return the tables of a run with one download from 100 ms on, on a link of 20 Mbit/s."""
    begin, end = 100, 100 + measured_ms
    down, up = more.get("harq", ()), more.get("grants", ())
    return {
        "flows": [flow(
            1, ue_port=7, server_port=80, start_ns=at(begin), handshake_rtt_ms=40.0,
            dl_unique_bytes=SIZE, dl_last_payload_ns=at(end),
        )],
        "trials": [
            {"kind": "download", "seed": seed, "ue_port": 7, "port": 80, "bytes": 320_000},
            {"kind": "download", "seed": seed, "ue_port": 8, "bytes": 9, "background": 1},
            {"kind": "pings", "seed": seed},
        ],
        "truth_tcp": [
            sample(begin + 45, cwnd=10),
            sample(begin + 300, cwnd=99, ssthresh=more.get("ssthresh")),
            # A later connection with the same ports is another flow.
            sample(5000, cwnd=3, ssthresh=2),
        ],
        "truth_ttis": [
            each for ms in range(0, 1000)
            for each in (
                tti(ms, "downlink", repeated_prbs=5 if ms in down else 0),
                tti(ms, "uplink", blocked="grant" if ms in up else None),
            )
        ],
        "truth_events": [lost(begin + 50), lost(begin + 51), lost(9000), lost(begin + 52, to=8)],
    }  # fmt: skip


def sample(ms: float, **values: Any) -> dict[str, Any]:
    return {
        **{"time_ns": at(ms), "place": "server", "local_port": 80, "peer_port": 7, "snd_mss": 1460},
        **values,
    }


def tti(ms: int, direction: str, **values: Any) -> dict[str, Any]:
    # The bytes of a TTI are whole: 2568 and 2569 in turn are 2568.49 on average.
    carried = 2568 + (ms * 4931507 // 10**7 - (ms - 1) * 4931507 // 10**7)
    return {
        **{"time_ns": at(ms), "tti": ms, "direction": direction, "available_bytes": carried},
        "repeated_prbs": 0, **values,
    }  # fmt: skip


def lost(ms: float, to: int = 7) -> dict[str, Any]:
    return {
        **{"time_ns": at(ms), "event": "codel_drop", "direction": "downlink"},
        **{"source_port": 80, "destination_port": to},
    }


def runs(path: Path, **tables: dict[str, Rows]) -> am.Dataset:
    """Write runs whose own tables are those of the capture at the phone."""
    campaign(path, **{name.replace("_", "-"): each for name, each in tables.items()})
    for manifest in path.glob("*/manifest.json"):
        plain = json.loads(manifest.read_text())
        plain["inputs"][0]["name"] = "ue.pcap"
        manifest.write_text(json.dumps(plain))
    return am.open(path)


def test_the_model_gets_what_the_run_itself_had(tmp_path: Path) -> None:
    (row,) = _model_flows.flows(runs(tmp_path / "runs", link_1=run(1, 320)))
    assert (row["requested_bytes"], row["bytes"], row["seed"]) == (320_000, SIZE, 1)
    assert (row["initial_window"], row["segment_bytes"], row["rtt_ms"]) == (10, 1460, 40.0)
    assert row["measured_s"] == pytest.approx(0.320)
    assert row["link_bps"] == pytest.approx(LINK_BYTES * 8e3, rel=1e-5)
    assert row["exact_s"] == pytest.approx(EXACT_S, abs=2e-6)
    assert row["eff14_s"] == pytest.approx(EFF14_S, abs=2e-6)
    assert row["exact_error"] == pytest.approx((EXACT_S - 0.320) / 0.320, abs=1e-5)
    assert row["eff14_error"] == pytest.approx((EFF14_S - 0.320) / 0.320, abs=1e-5)


def test_what_the_model_leaves_out_is_counted_within_the_flow_alone(tmp_path: Path) -> None:
    # The flow lasts from 100 to 420 ms; the first and the last of each are outside.
    told = {"harq": (99, 100, 300, 421), "grants": (99, 120, 121, 122, 500)}
    (row,) = _model_flows.flows(runs(tmp_path / "runs", link_1=run(1, 320, **told)))
    assert (row["harq_retransmissions"], row["lost_packets"]) == (2, 2)
    assert row["grant_wait_ms"] == pytest.approx(3.0)
    assert row["left_slow_start"] is False
    (row,) = _model_flows.flows(runs(tmp_path / "left", link_1=run(1, 320, ssthresh=50)))
    assert row["left_slow_start"] is True


def test_predictions_are_those_of_the_worked_example() -> None:
    one = {
        **{"bytes": SIZE, "link_bps": 20e6 * 1500 / 1460, "rtt_ms": 40.0, "initial_window": 10},
        **{"segment_bytes": 1460, "measured_s": 0.25},
    }
    ten, three = _model_flows.predicted([one, {**one, "initial_window": 3}])
    assert ten["exact_s"] == pytest.approx(EXACT_S, abs=5e-7)
    assert ten["exact_error"] == pytest.approx(EXACT_S / 0.25 - 1, abs=2e-6)
    assert (three["exact_s"], three["eff14_s"]) == pytest.approx((0.359680, 0.347128), abs=5e-7)


def test_errors_are_medians_of_flows_and_effects_of_pairs_of_one_seed(tmp_path: Path) -> None:
    with_harq, without = (400, 320, 500), (300, 310, 400)
    made = {f"link_{seed}": run(seed, ms) for seed, ms in enumerate(with_harq, 1)}
    made |= {f"link_no_harq_{seed}": run(seed, ms) for seed, ms in enumerate(without, 1)}
    made |= {"link_no_harq_9": run(9, 1e3 * EXACT_S, harq=(150,))}
    link, no_harq = eff14.model.table(runs(tmp_path / "runs", **made)).to_pylist()
    assert [(each["arm"], each["flows"], each["seeds"]) for each in (link, no_harq)] == [
        ("link", 3, 3), ("link-no-harq", 4, 4)
    ]  # fmt: skip
    error = {ms: EXACT_S / (ms / 1e3) - 1 for ms in (*with_harq, *without)}
    assert link["exact_error_ratio"] == pytest.approx(error[400], abs=1e-5)
    assert link["exact_absolute_error_ratio"] == pytest.approx(-error[400], abs=1e-5)
    assert link["effect_ratio"] is None
    # Of 0, -0.03, -0.06 and -0.27 the middle two.
    assert no_harq["exact_error_ratio"] == pytest.approx((error[300] + error[310]) / 2, abs=1e-5)
    pairs = sorted(error[b] - error[a] for a, b in zip(with_harq, without, strict=True))
    assert no_harq["effect_ratio"] == pytest.approx(pairs[1], abs=1e-5)
    assert no_harq["harq_retransmissions"] == pytest.approx(1 / 4)


def test_the_findings_say_both_errors_and_what_an_effect_costs(tmp_path: Path) -> None:
    told = {"harq": (150, 160), "grants": range(200, 212), "ssthresh": 50}
    made = {"link_1": run(1, 400, **told), "link_no_harq_1": run(1, 300)}
    table = eff14.model.table(runs(tmp_path / "runs", **made))
    whole, part = eff14.model.findings(table)
    said = f"{whole.quantity}: {whole.here}".replace("\xa0", " ")
    assert said == (
        "link, 320 KB: exact -27.0 % (27.0 % either way); eff14 -31.3 % (31.3 % either way); "
        "truth: 2.0 HARQ retransmissions, 12 ms of waits for grants, 2.0 lost packets, 100 % left "
        "slow start"
    )
    assert part.here.replace("\xa0", " ").endswith("; what it lacks costs +24.3 %")
    assert (whole.n, part.n) == (1, 1)


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("arms", [("4g_1",), ("link_1", "link_no_harq_1", "link_wired_1")])
def test_pictures_show_each_arm(arms: tuple[str, ...], narrow: bool, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    table = eff14.model.table(runs(tmp_path / "runs", **{name: run(1, 400) for name in arms}))
    figure = eff14.model.draw(table, narrow=narrow)
    assert figure is not None
    figure.canvas.draw()
    assert len(figure.axes) == min(len(arms), 2)
    labels = {text for axes in figure.axes for text in axes.get_legend_handles_labels()[1]}
    assert len(labels) == len(arms) + 1


def test_a_capture_alone_has_no_truth_to_compare_with(tmp_path: Path) -> None:
    with pytest.raises(Missing, match="no table 'trials'") as raised:
        eff14.model.table(dataset(tmp_path / "d", flows=[flow(1)]))
    assert "airmile testbed run" in str(raised.value.hint)
    with pytest.raises(Missing, match="do not show single flows"):
        eff14.model.table("eff14-4g")


def test_runs_without_the_phones_analysis_lack_one_exhibit_and_keep_the_others(
    tmp_path: Path,
) -> None:
    made = run(1, 400)
    made["flows"][0] |= {"dl_first_payload_ns": at(150), "end_ns": at(500)}
    source = campaign(tmp_path / "runs", **{"4g-B-cubic-1": made})
    exhibits = list(eff14.EXHIBITS.values())
    found = {each.exhibit.name: each for each in results(exhibits, {"d": source})}
    lacking = found["model"].missing["d"]
    assert "the capture at ue was not analysed" in lacking.message
    assert "ue.pcap" in (lacking.hint or "")
    assert found["fig1"].tables["d"].num_rows == 1
    assert found["fig4"].tables["d"].num_rows == 1


def test_a_flow_without_a_handshake_has_no_round_trip_to_predict_from(tmp_path: Path) -> None:
    made = run(1, 400)
    made["flows"][0]["handshake_rtt_ms"] = None
    with pytest.raises(Missing, match="no download with a handshake"):
        eff14.model.table(runs(tmp_path / "runs", link_1=made))
