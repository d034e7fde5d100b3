"""Exhibits of EFF14: the paper's values from its own percentiles, and from other data."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import airmile as am
from airmile._words import NBSP
from airmile.model import Inputs, efficiency, read
from airmile.study import Missing, eff14, notes_of
from airmile.study.eff14.fig6b_loaded_rtt import crossing
from tests.support.made import MS, at, dataset, flow

ROOT = Path(__file__).parents[2]
HSPA, LTE = "EFF14, 3.5G", "EFF14, 4G"


@pytest.fixture(scope="module")
def fig5() -> pa.Table:
    """Return figure 5 of the paper's own percentiles."""
    return eff14.fig5.table("eff14")


@pytest.fixture(scope="module")
def fig6() -> pa.Table:
    """Return figure 6 of the paper's own percentiles."""
    return eff14.fig6.table("eff14")


def curve(table: pa.Table, name: str, column: str = "efficiency_mean") -> np.ndarray[Any, Any]:
    """Return a column of a source, by size."""
    return np.array([row[column] for row in table.to_pylist() if row["source"] == name])


def test_alone_35g_is_above_4g_and_4g_falls_below_a_half(fig5: pa.Table) -> None:
    assert (curve(fig5, HSPA) > curve(fig5, LTE)).all()
    sizes = curve(fig5, LTE, "size_bytes")
    low = sizes[curve(fig5, LTE) < 0.5]
    assert low.size and low.max() < 36_000
    assert curve(fig5, LTE)[-1] > 0.9


@pytest.mark.parametrize("name", [HSPA, LTE])
def test_one_byte_more_than_fits_into_rounds_is_a_step_down(fig5: pa.Table, name: str) -> None:
    by_size = dict(zip(curve(fig5, name, "size_bytes"), curve(fig5, name), strict=True))
    steps = [by_size[14_600 * n] - by_size[14_600 * n + 1] for n in (1, 3, 7)]
    assert steps[0] > steps[1] > steps[2] > 0
    inside = [size for size in by_size if size <= 14_600]
    assert (np.diff([by_size[size] for size in inside]) > 0).all()


def test_a_flow_in_the_background_reverses_the_order(fig6: pa.Table) -> None:
    assert (curve(fig6, LTE) > curve(fig6, HSPA)).all()
    assert (curve(fig6, HSPA) < curve(fig6, HSPA, "alone_efficiency_mean")).all()
    assert (curve(fig6, LTE) > curve(fig6, LTE, "alone_efficiency_mean")).all()


def test_figure_6_has_figure_5_beside_it(fig5: pa.Table, fig6: pa.Table) -> None:
    for name in (HSPA, LTE):
        assert (curve(fig6, name, "alone_efficiency_mean") == curve(fig5, name)).all()


def test_formula_1_as_printed_is_never_below_the_sum_round_by_round(fig5: pa.Table) -> None:
    printed, exact = (curve(fig5, LTE, c) for c in ("eff14_efficiency_mean", "efficiency_mean"))
    # An object that exactly fits into rounds is an exception: it waits once more.
    fits = np.isin(curve(fig5, LTE, "size_bytes"), 14_600 * (2.0 ** np.arange(1, 10) - 1))
    assert (printed >= exact)[~fits].all() and (printed > exact + 0.003).any()
    assert (printed < exact)[fits].any()
    assert (printed - exact).max() < 0.01  # as the guide says


def test_captions_state_inputs_and_approximation(fig5: pa.Table, fig6: pa.Table) -> None:
    notes = "\n".join(notes_of(fig6))
    assert "log-normal" in notes and "approximation" in notes and "Table I" in notes
    assert f"{HSPA} under load: assumed" in notes
    assert "under load" not in "\n".join(notes_of(fig5))


def inputs(**groups: list[float]) -> Inputs:
    """Return samples of another network."""
    held = {"rates_bps": [4e6, 5e6, 9e6], "rtts_s": [0.04, 0.05, 0.07], **groups}
    return Inputs("mine", **{name: np.array(values) for name, values in held.items()})  # type: ignore[arg-type]


def test_densities_are_those_of_scipy_and_hold_one() -> None:
    rows = eff14.fig2.table(inputs(loaded_rtts_s=[0.1, 0.2])).to_pylist()
    own = [r for r in rows if r["own"] and r["quantity"] == "rtt_ms"]
    places, heights = (np.array([row[c] for row in own]) for c in ("value", "density"))
    samples = np.array([40.0, 50.0, 70.0])
    assert heights == pytest.approx(stats.gaussian_kde(samples, 3**-0.5)(places))
    assert np.trapezoid(heights, places) == pytest.approx(1, abs=2e-3)
    assert (own[0]["samples"], own[0]["p50"]) == (3, pytest.approx(50.0))


def test_figures_2_and_3_are_compared_with_one_technology_each() -> None:
    def names(exhibit: Any, source: Any) -> list[str]:
        return list(dict.fromkeys(exhibit.table(source)["source"].to_pylist()))

    assert names(eff14.fig2, inputs()) == ["mine", HSPA]
    assert names(eff14.fig3, inputs()) == ["mine", LTE]
    assert names(eff14.fig2, "eff14") == [HSPA]
    assert names(eff14.fig3, "eff14") == [LTE]
    assert names(eff14.fig3, "eff14-3.5g") == [HSPA, LTE]
    assert names(eff14.fig2, [inputs(), *eff14.read("eff14")]) == ["mine", HSPA]


def test_too_few_samples_are_a_row_of_nulls_with_the_reason() -> None:
    few = inputs(rates_bps=[4e6])
    rows = {r["quantity"]: r for r in eff14.fig3.table(few).to_pylist() if r["own"]}
    assert rows["throughput_mbps"]["samples"] == 1
    assert rows["throughput_mbps"]["density"] is None
    assert "only 1 sample of throughput" in rows["throughput_mbps"]["reason"]
    assert rows["loaded_rtt_ms"]["samples"] == 0 and rows["loaded_rtt_ms"]["value"] is None
    assert rows["rtt_ms"]["density"] is not None and rows["rtt_ms"]["reason"] is None
    assert any("only 1 sample of throughput" in note for note in notes_of(eff14.fig3.table(few)))
    said = [finding.here for finding in eff14.fig3.findings(eff14.fig3.table(few))]
    assert said.count("too few") == 2 and said[-1] == "unknown"


def test_a_paper_beside_is_no_answer_of_ones_own() -> None:
    for exhibit in (eff14.fig5, eff14.fig6b):
        with pytest.raises(Missing, match="only 1 sample of throughput"):
            exhibit.table(inputs(rates_bps=[4e6]))
    with pytest.raises(Missing, match="no round trip under load"):
        eff14.fig6.table("lte13")
    with pytest.raises(Missing, match="all 3 samples"):
        eff14.table1.table(inputs(rates_bps=[4e6] * 3, rtts_s=[0.04]))


def test_of_two_sources_one_may_lack_samples() -> None:
    rows = eff14.fig5.table([inputs(), Inputs("bare")]).to_pylist()
    (bare,) = (row for row in rows if row["source"] == "bare")
    assert (bare["rates"], bare["efficiency_mean"]) == (0, None)
    assert bare["reason"].startswith("bare: no throughput")


def test_where_the_order_is_reversed() -> None:
    rows = eff14.fig6b.table("eff14").to_pylist()
    own = [row for row in rows if row["source"] == HSPA and row["size_bytes"] == 320 * 1024]
    assert own[0]["loaded_rtt_p50_ms"] == pytest.approx(50, abs=0.1)
    assert (np.diff([row["efficiency_mean"] for row in own]) < 0).all()
    assert own[0]["efficiency_mean"] > own[0]["alone_efficiency_mean"] > own[-1]["efficiency_mean"]
    said = {f.quantity: f.here for f in eff14.fig6b.findings(eff14.fig6b.table("eff14"))}
    assert said["  320 KiB: less than 4G"].startswith("from")


def test_the_guide_has_these_numbers(fig5: pa.Table) -> None:
    guide = " ".join((ROOT / "docs" / "guide" / "studies.md").read_text().split())
    low = curve(fig5, LTE).min()
    assert f"4G falls to {low:.2f}" in guide
    said = {f.quantity: f.here for f in eff14.fig6b.findings(eff14.fig6b.table("eff14"))}
    small, page = (said[f"  {size} KiB: less than 4G"].replace(NBSP, " ") for size in (35.9, 320))
    assert f"falls below 4G {small} on for a flow of 35.9 KiB, and {page} on for a flow" in guide


def test_a_crossing_is_found_on_the_logarithm_of_the_round_trip() -> None:
    falling = [
        {"loaded_rtt_p50_ms": ms, "efficiency_mean": height}
        for ms, height in ((100.0, 0.8), (400.0, 0.4), (1600.0, 0.2))
    ]
    assert crossing(falling, 0.6).replace(NBSP, " ") == "from 200 ms"
    assert crossing(falling, 0.9) == "always"
    assert crossing(falling, 0.1).replace(NBSP, " ") == "not up to 1.6 s"


def test_the_sweep_of_like_samples_is_the_formula() -> None:
    tight = inputs(rates_bps=[5e6, 5e6 * (1 + 1e-9)], rtts_s=[0.05, 0.05 * (1 + 1e-9)])
    row = next(r for r in eff14.fig6b.table(tight).to_pylist() if r["own"])
    expected = efficiency(row["size_bytes"], 5e6, 0.05, flows=2)
    assert row["efficiency_mean"] == pytest.approx(float(expected), rel=1e-6)


def test_table_1_has_ones_own_percentiles_and_says_which_round_trips_are_not_cellular() -> None:
    rows = eff14.table1.table(inputs()).to_pylist()
    own = {row["quantity"]: row for row in rows if row["own"]}
    assert (own["downlink_kbps"]["samples"], own["downlink_kbps"]["p50"]) == (3, 5000.0)
    assert own["rtt_ms"]["p5"] == pytest.approx(41.0)
    printed = {(row["source"], row["quantity"]): row for row in rows if not row["own"]}
    york = printed["SpeedTest, New York", "rtt_ms"]
    assert (york["p5"], york["p50"], york["p95"]) == (21, 54, 336)
    assert "not cellular" in york["remark"] and "68 / 159 / 786" in york["remark"]
    assert [name for (name, _), row in printed.items() if row["remark"]] == [
        "SpeedTest, New York",
        "SpeedTest, Manchester",
    ]
    assert printed[LTE, "downlink_kbps"]["p95"] == 57_771


def test_a_csv_file(tmp_path: Path) -> None:
    path = tmp_path / "drive.csv"
    path.write_text("rate_mbps,rtt_ms,loaded_rtt_ms\n4,40,90\n6,50,\n20,60,200\n")
    rows = eff14.fig6.table(path).to_pylist()
    own = [row for row in rows if row["own"]]
    assert {row["source"] for row in own} == {"drive.csv"}
    assert (own[0]["rates"], own[0]["rtts"], own[0]["loaded_rtts"]) == (3, 3, 2)
    assert {row["source"] for row in rows if not row["own"]} == {HSPA, LTE}


def measured(uid: int, rtt_ms: float, begin_ms: float, **values: Any) -> dict[str, Any]:
    """Return a flow that opened at a time; one with bytes filled the link for 8 s."""
    return flow(
        uid, protocol="tcp", ue="10.0.0.1", start_ns=at(begin_ms), handshake_rtt_ms=rtt_ms,
        **{"initiator": "ue", **values},
    )  # fmt: skip


def test_a_dataset_gives_rates_of_large_flows_and_round_trips(tmp_path: Path) -> None:
    def large(uid: int, rtt_ms: float, begin_ms: float, size: int) -> dict[str, Any]:
        span = {
            "dl_first_payload_ns": at(begin_ms),
            "dl_last_payload_ns": at(begin_ms) + 8000 * MS,
        }
        return measured(uid, rtt_ms, begin_ms, dl_unique_bytes=size, **span)

    flows = [
        large(1, 40, 0, 4_000_000),
        large(2, 60, 20_000, 8_000_000),
        measured(3, 50, 40_000, dl_unique_bytes=1000),
    ]
    d = dataset(tmp_path / "drive.airmile", flows=flows)
    own = {r["quantity"]: r for r in eff14.table1.table(d).to_pylist() if r["own"]}
    assert (own["downlink_kbps"]["samples"], own["rtt_ms"]["samples"]) == (2, 3)
    assert own["downlink_kbps"]["p50"] == pytest.approx(6000)
    with pytest.raises(Missing, match="under load"):
        eff14.fig6.table(d)


def test_table_1_pools_short_and_long_flows_that_have_the_link_for_themselves(
    tmp_path: Path,
) -> None:
    def download(uid: int, begin_ms: float, long_ms: float, size: int) -> dict[str, Any]:
        ends = {
            "dl_first_payload_ns": at(begin_ms + 50),
            "dl_last_payload_ns": at(begin_ms + long_ms),
        }
        return measured(uid, 40 + uid, begin_ms, dl_unique_bytes=size, initiator="ue", **ends)

    flows = [
        download(1, 0, 8000, 8_000_000),
        download(2, 10_000, 1000, 327_680),
        download(3, 20_000, 1000, 327_679),
        download(4, 30_000, 4000, 1_000_000),
        download(5, 31_000, 1000, 400_000),
    ]
    d = dataset(tmp_path / "drive.airmile", flows=flows)
    own = {r["quantity"]: r for r in eff14.table1.table(d).to_pylist() if r["own"]}
    assert own["downlink_kbps"]["samples"] == 2
    assert own["downlink_kbps"]["p50"] == pytest.approx((8000 + 2621.44) / 2)


@pytest.mark.parametrize("figure", [eff14.fig2, eff14.fig3])
def test_figures_2_and_3_have_the_long_flows_of_table_1(figure: Any, tmp_path: Path) -> None:
    """One definition of throughput: from the SYN, without another flow (methods I0)."""

    def download(uid: int, begin_ms: float, long_ms: float) -> dict[str, Any]:
        ends = {
            "dl_first_payload_ns": at(begin_ms + 1000),
            "dl_last_payload_ns": at(begin_ms + long_ms),
        }
        return measured(uid, 40 + uid, begin_ms, dl_unique_bytes=uid * 4_000_000, **ends)

    alone = [download(1, 0, 8000), download(2, 20_000, 8000), download(3, 40_000, 4000)]
    beside = [download(4, 60_000, 9000), download(5, 61_000, 8000)]
    d = dataset(tmp_path / "drive.airmile", flows=[*alone, *beside])
    own = {r["quantity"]: r for r in figure.table(d).to_pylist() if r["own"]}
    assert own["throughput_mbps"]["samples"] == 2
    assert own["throughput_mbps"]["p50"] == pytest.approx((4 + 8) / 2)
    table = {r["quantity"]: r for r in eff14.table1.table(d).to_pylist() if r["own"]}
    assert table["downlink_kbps"]["samples"] == 3
    assert table["downlink_kbps"]["p50"] == pytest.approx(8000)
    notes = notes_of(figure.table(d))
    assert not any("capacity" in note for note in notes), "it is another quantity, of figure 5"


def test_round_trips_under_load_are_those_beside_cubic_and_newreno(tmp_path: Path) -> None:
    def run(control: str) -> am.Dataset:
        flows = [
            measured(1, 40, 0, dl_first_payload_ns=at(0), dl_last_payload_ns=at(9000)),
            measured(2, 90, 1000),
        ]
        bins = [{"uid": 1, "start_ns": at(1000), "bytes": 625_000, "throughput_bps": 1e7}]
        d = dataset(tmp_path / control, flows=flows, throughput=bins)
        file = d.path / "manifest.json"
        background = [{"name": "bulk_download", "congestion_control": control}]
        manifest = {
            **json.loads(file.read_text()),
            "testbed": {"experiment": {"background": background}},
        }
        file.write_text(json.dumps(manifest))
        return am.open(d.path)

    assert read(run("reno")).loaded_rtts_s.tolist() == [0.09]
    westwood = read(run("westwood"))
    assert westwood.loaded_rtts_s.size == 0
    assert any("1 runs with other flows are left out" in note for note in westwood.notes)


def test_pictures_carry_their_caption(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for name in ("fig2", "fig5", "fig6b"):
        figure, table = eff14.EXHIBITS[name](inputs(loaded_rtts_s=[0.1]))
        assert figure is not None and figure.axes
        assert "log-normal" in figure.get_supxlabel()
        eff14.EXHIBITS[name].write(table, tmp_path / f"{name}.png")


def test_sources_of_one_last_name_keep_apart_and_colours_come_again() -> None:
    one = replace(read("eff14-4g"), name="a/x.airmile")
    several = [replace(one, name=f"{folder}/x.airmile") for folder in "abcdefgh"]
    table = eff14.fig5.table([*several, "lte13"])
    names = table["source"].unique().to_pylist()
    assert names[:2] == ["a/x.airmile", "b/x.airmile"] and "LTE13, LTE" in names
    assert eff14.fig5.draw(table) is not None
