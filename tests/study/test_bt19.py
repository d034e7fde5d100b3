"""Exhibits of BT19, from datasets that are small enough to compute by hand."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import airmile as am
from airmile.study import Missing, bt19, notes_of
from tests.support.made import at, burst, campaign, dataset, flow, transfer, tti


def test_the_share_of_a_ms_is_the_largest_of_any_carrier_and_blocks_share_prbs(
    tmp_path: Path,
) -> None:
    d = dataset(
        tmp_path / "d",
        ttis=[
            *(tti(0, 50), tti(0, 50, block=1)),  # two blocks, the same 50 PRBs
            *(tti(1, 10), tti(1, 60, carrier=1, prb_total=100)),  # 0.2 and 0.6
            tti(2, 10, crc_ok=False, prb_total_source="largest_seen"),  # not decoded, but allocated
            tti(3, 50, rnti="other"),
            tti(4, 50, direction="uplink"),
            tti(5, 50, prb_total=None),
        ],
    )
    shown = {"prb_total_source": "largest_seen, mib"}
    assert bt19.fig4.table(d).to_pylist() == [
        {"prb_share": 0.2, "milliseconds": 1, "cumulative_ratio": pytest.approx(1 / 3), **shown},
        {"prb_share": 0.6, "milliseconds": 1, "cumulative_ratio": pytest.approx(2 / 3), **shown},
        {"prb_share": 1.0, "milliseconds": 1, "cumulative_ratio": 1.0, **shown},
    ]


def test_thresholds_are_passed_strictly(tmp_path: Path) -> None:
    """BT19 section 3.2.2: *more* than 90 %, *less* than 40 %."""
    ttis = [tti(0, 45), tti(1, 46), tti(2, 20), tti(3, 19)]
    found = bt19.fig4.findings(bt19.fig4.table(dataset(tmp_path / "d", ttis=ttis)))
    here = {each.quantity: each.here.replace("\u00a0", " ") for each in found}
    assert here["scheduled ms"] == "4"
    assert here["above 90 % of the PRBs"] == here["below 40 % of the PRBs"] == "25 %"
    assert here["between"] == "50 %"


def test_layers_and_carriers_count_in_parts_of_the_primary_carrier(tmp_path: Path) -> None:
    ttis = [
        tti(0, 50, layers=2),  # 2.0
        *(tti(1, 50), tti(1, 50, carrier=1, prb_total=100, layers=2)),  # 1 + 2
        *(tti(2, 25, layers=None), tti(2, 25, layers=None, block=1)),  # two blocks: two layers
        tti(3, 25, carrier=1, prb_total=100, cell=2),  # the primary one, of 50, rests
    ]
    rows = bt19.fig5.table(dataset(tmp_path / "d", ttis=ttis)).to_pylist()
    assert {row["cell"] for row in rows} == {1}
    by_share = {row["siso_share"]: row["milliseconds"] for row in rows}
    assert by_share == {0.5: 1, 1.0: 1, 2.0: 1, 3.0: 1}


def test_a_series_of_figure_5_is_a_user_on_a_cell_of_a_run(tmp_path: Path) -> None:
    runs = {
        "idle": {"ttis": [tti(0, 50), tti(1, 25, user=1)]},
        "busy": {"ttis": [tti(0, 25), tti(1, 25, cell=2)]},
    }
    rows = bt19.fig5.table(campaign(tmp_path / "c", **runs)).to_pylist()
    series = [(row["run"], row["user"], row["cell"], row["siso_share"]) for row in rows]
    assert series == [
        *(("busy", 0, 1, 0.5), ("busy", 0, 2, 0.5)),
        *(("idle", 0, 1, 1.0), ("idle", 1, 1, 0.5)),
    ]


def test_figure_3_shows_two_users_around_a_burst_of_the_second(tmp_path: Path) -> None:
    ttis = [tti(ms, 50) for ms in range(0, 400, 2)]
    ttis += [tti(ms, 50, user=7) for ms in range(101, 121, 2)] + [tti(121, 10, user=7)]
    ttis += [tti(399, 50, user=9)]
    bursts = [burst(0, 398, closed=False), burst(101, 121, user=7), burst(101, 121, user=9)]
    d = dataset(tmp_path / "d", ttis=ttis, bursts=bursts)
    rows = bt19.fig3.table(d).to_pylist()
    assert {row["user"] for row in rows} == {0, 7}
    second = [row for row in rows if row["user"] == 7]
    assert [row["ms"] for row in second] == [*range(30, 50, 2), 50]
    assert {(row["burst_begin_ms"], row["burst_end_ms"]) for row in second} == {(30.0, 50.0)}
    assert second[-1]["prb_share"] == 0.2
    first = [row for row in rows if row["user"] == 0]
    assert first[0]["ms"] == 1.0 and first[-1]["ms"] < 300
    assert {row["burst_end_ms"] for row in first} == {None}


def demands(tmp_path: Path) -> am.Dataset:
    """Return a file of 1 s at 0.9, a video of two segments, and transfers that do not count."""
    both = {"link_demand_bursttracker_ratio": 0.9, "link_demand_ratio": 0.8}
    low = {"link_demand_bursttracker_ratio": 0.5, "link_demand_ratio": 0.4}
    return dataset(
        tmp_path / "d",
        flows=[flow(1), flow(2, server_port=80), flow(3), flow(4), flow(5, server_port=7777)],
        transfers=[
            transfer(1, 1, 0, 1000, **both),
            transfer(2, 2, 2000, 3000, bytes=1_000_000, **both),
            transfer(2, 3, 9000, 12000, bytes=2_000_000, **low),
            transfer(2, 4, 13000, 13500, bytes=1, control=True, **both),
            transfer(3, 5, 0, 1000, other_bytes_ratio=0.11, **both),
            transfer(4, 6, 0, 1000, direction="uplink", **both),
            transfer(5, 7, 0, 1000, bytes=500_000, **both),
        ],
    )


def test_the_transfers_of_a_flow_are_one_application_without_its_pauses(tmp_path: Path) -> None:
    d = demands(tmp_path)
    rows, joint = (by_estimator(d, name) for name in ("bursttracker", "joint"))
    assert [(row["uid"], row["transfers"]) for row in rows] == [(1, 1), (2, 2)]
    file, video = rows
    assert file["link_demand_ratio"] == pytest.approx(0.9)
    assert file["link_throughput_bps"] == pytest.approx(2_000_000 * 8 / 0.9)
    assert video["seconds"] == pytest.approx(4)
    assert video["link_demand_ratio"] == pytest.approx((0.9 + 0.5 * 3) / 4)
    assert video["link_throughput_bps"] == pytest.approx(3_000_000 * 8 / 2.4)
    assert joint[0]["link_demand_ratio"] == pytest.approx(0.8)


def test_the_bytes_of_others_belong_to_the_throughput_of_the_link(tmp_path: Path) -> None:
    one = transfer(1, 1, 0, 1000, link_demand_bursttracker_ratio=1.0, other_bytes_ratio=0.1)
    d = dataset(tmp_path / "d", flows=[flow(1)], transfers=[one])
    (row,) = by_estimator(d, "bursttracker")
    assert row["link_throughput_bps"] == pytest.approx(2_000_000 / 0.9 * 8)


def test_a_queue_that_never_stood_has_no_throughput(tmp_path: Path) -> None:
    one = transfer(1, 1, 0, 1000, link_demand_bursttracker_ratio=0.0)
    d = dataset(tmp_path / "d", flows=[flow(1)], transfers=[one])
    (row,) = by_estimator(d, "bursttracker")
    assert (row["link_demand_ratio"], row["link_throughput_bps"]) == (0.0, None)


def test_what_is_lacking_is_said(tmp_path: Path) -> None:
    d = dataset(tmp_path / "d", flows=[flow(1)], transfers=[transfer(1, 1, 0, 1000)])
    with pytest.raises(Missing, match="no table 'ttis'") as no_table:
        bt19.fig4.table(d)
    assert "--modem" in (no_table.value.hint or "")
    with pytest.raises(Missing, match="no downlink flow"):
        bt19.fig6.table(d)
    with pytest.raises(Missing, match="PRB total"):
        bt19.fig4.table(dataset(tmp_path / "n", ttis=[tti(0, 5, prb_total=None)]))
    with pytest.raises(am.UsageError, match="no estimator 'best'"):
        bt19.fig9.table(d, estimator="best")


def test_connections_beside_each_other_are_no_applications_where_the_log_says_nothing(
    tmp_path: Path,
) -> None:
    """Methods G3: an unknown share of other flows is not 0, and their slices show it."""
    beside = {"link_demand_bursttracker_ratio": 0.9, "other_bytes_ratio": None}
    slice_ = {"direction": "downlink", "bytes": 1_000_000, "cause": "lte_downlink"}
    slices = [
        {**slice_, "uid": uid, "transfer_id": uid, "start_ns": at(begin), "end_ns": at(begin + 500)}
        for uid, begin in ((1, 0), (1, 500), (2, 0), (2, 500), (3, 5000), (3, 5500))
    ]
    tables: dict[str, Any] = {
        "flows": [flow(1), flow(2), flow(3)],
        "transfers": [transfer(uid, uid, begin, begin + 1000, **beside)
                      for uid, begin in ((1, 0), (2, 0), (3, 5000))],
    }  # fmt: skip
    d = dataset(tmp_path / "d", slices=slices, **tables)
    assert [row["uid"] for row in by_estimator(d, "bursttracker")] == [3]
    of_others = [flow(1), flow(2, ue="10.0.0.2"), flow(3)]
    d = dataset(tmp_path / "two", slices=slices, **{**tables, "flows": of_others})
    assert [row["uid"] for row in by_estimator(d, "bursttracker")] == [1, 2, 3]
    with pytest.raises(Missing, match="no downlink flow"):
        bt19.fig6.table(dataset(tmp_path / "unknown", **tables))


def test_a_transfer_that_the_log_does_not_cover_has_no_link_demand(tmp_path: Path) -> None:
    """A phone of which nothing was logged did not have an empty queue (methods G3)."""
    zero = {"link_demand_bursttracker_ratio": 0.0, "link_demand_ratio": 0.0}
    begins = {1: 0, 2: 10_000, 3: 60_000, 4: 30_000}
    d = dataset(
        tmp_path / "d", flows=[flow(uid) for uid in begins],
        transfers=[transfer(uid, uid, begin, begin + 5000, **zero)
                   for uid, begin in begins.items()],
        ttis=[tti(ms, 50) for ms in (0, 16_000, 60_000, 63_500)],
    )  # fmt: skip
    d.manifest["modem"] = [{"name": "phone.qmdl"}]
    # The second and the fourth lie in silences of the log, and the third outlasts it.
    assert [row["uid"] for row in by_estimator(d, "bursttracker")] == [1]


def test_the_truth_of_the_link_is_beside_the_estimators(tmp_path: Path) -> None:
    """The burst rule may say 94 % where the queue held data for 68 % of the time."""
    demand = {"link_demand_bursttracker_ratio": 0.94, "link_demand_ratio": 0.69}
    states = [("ACTIVE" if ms % 100 < 68 else "UNDERFLOW") for ms in range(1000)]
    truth = [
        {"time_ns": at(ms), "direction": "downlink", "state": state}
        for ms, state in enumerate(states)
    ]
    d = dataset(
        tmp_path / "d", flows=[flow(1)], transfers=[transfer(1, 1, 0, 1000, **demand)],
        truth_ttis=truth,
    )  # fmt: skip
    rows = bt19.fig6.table(d)
    found = {row["estimator"]: row["link_demand_ratio"] for row in rows.to_pylist()}
    assert found == pytest.approx({"bursttracker": 0.94, "joint": 0.69, "truth": 0.68})
    figure = pytest.importorskip("matplotlib") and bt19.fig6.draw(rows)
    assert figure is not None
    assert len(figure.axes[0].get_legend_handles_labels()[1]) == 3


def by_estimator(d: am.Dataset, estimator: str) -> list[dict[str, Any]]:
    """Return the rows of figure 6 by one estimator."""
    rows = bt19.fig6.table(d).to_pylist()
    return [row for row in rows if row["estimator"] == estimator]


def test_a_transfer_too_short_for_its_beginning_to_be_seen_does_not_count(tmp_path: Path) -> None:
    """Slices have 100 ms, and the beginning of a transfer is a quarter of it."""
    begins = (0, 1000, 2000)
    tables = {
        "flows": [flow(1)],
        "slices": [{"uid": 1, "transfer_id": n, "start_ns": at(begin), "end_ns": at(begin + 20),
                    "bytes": 1_000_000} for n, begin in enumerate(begins)],
    }  # fmt: skip
    short, long = (
        dataset(
            tmp_path / str(ms),
            transfers=[transfer(1, n, begin, begin + ms) for n, begin in enumerate(begins)],
            **tables,
        )
        for ms in (399, 400)
    )
    assert set(bt19.fig8.table(long)["transfer_id"].to_pylist()) == {0, 1, 2}
    with pytest.raises(Missing, match=r"two downlink transfers of 0\.4 s or more"):
        bt19.fig8.table(short)


def test_a_few_bursts_show_no_growth(tmp_path: Path) -> None:
    d = dataset(
        tmp_path / "d", flows=[flow(1)], ttis=[tti(0, 50)],
        transfers=[transfer(1, 1, 0, 1000, link_demand_bursttracker_ratio=0.2)],
        bursts=[burst(100 * n, 100 * n + 10 * n) for n in range(1, 5)],
    )  # fmt: skip
    with pytest.raises(Missing, match="no transfer has 5 bursts or more"):
        bt19.fig7.table(d)


def test_pictures_and_tables_come_together(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    ttis = [tti(ms, 50) for ms in range(40)] + [tti(40, 10)]
    d = dataset(tmp_path / "d", ttis=ttis, bursts=[burst(0, 40)])
    for exhibit in (bt19.fig3, bt19.fig4, bt19.fig5):
        figure, table = exhibit(d)
        assert figure is not None and table.num_rows > 0
        exhibit.write(table, tmp_path / f"{exhibit.name}.svg")
        assert (tmp_path / f"{exhibit.name}.svg").read_text().startswith("<?xml")


def growing(tmp_path: Path) -> am.Dataset:
    """Return a transfer after an idle gap, with bursts of 2 to 16 ms, and one of two bursts."""
    begins = [10, 40, 80, 130, 200]
    lengths = [2, 4, 8, 16, 16]
    bursts = [burst(b, b + n) for b, n in zip(begins, lengths, strict=True)]
    bursts += [burst(-20, -5), burst(1010, 1020), burst(1050, 1055)]
    ttis = [tti(b + ms, 50) for b, n in zip(begins, lengths, strict=True) for ms in range(n)]
    ttis += [tti(b + n, 5) for b, n in zip(begins, lengths, strict=True)]
    ttis += [tti(100, 50, user=7)]
    demand = {"link_demand_bursttracker_ratio": 0.2}
    gap = {"uid": 1, "direction": "downlink", "start_ns": at(-900), "end_ns": at(0)}
    return dataset(
        tmp_path / "d",
        flows=[flow(1, server_port=80, vantage="ue"), flow(2, vantage="ue")],
        transfers=[transfer(1, 1, 0, 300, **demand), transfer(2, 2, 1000, 1200, **demand)],
        idle_gaps=[{**gap, "restart": "reset"}],
        ttis=ttis,
        bursts=[*bursts, burst(20, 30, user=7)],
    )


def test_bursts_of_a_transfer_are_numbered_and_correlated_by_rank(tmp_path: Path) -> None:
    rows = bt19.fig7.table(growing(tmp_path)).to_pylist()
    first = [row for row in rows if row["transfer_id"] == 1]
    assert [(row["burst"], row["throughput_time_ms"]) for row in first] == [
        *((1, 2.0), (2, 4.0), (3, 8.0), (4, 16.0), (5, 16.0)),
    ]
    assert first[1]["begin_s"] == pytest.approx(0.040)
    # Ranks 1, 2, 3, 4.5, 4.5 against 1 to 5: 9.5 / sqrt(9.5 * 10).
    assert [row["rank_correlation"] for row in first] == [pytest.approx(0.9746794)] * 5
    assert {row["restart"] for row in first} == {"reset"}
    others = [row for row in rows if row["transfer_id"] == 2]
    assert [(row["rank_correlation"], row["restart"]) for row in others] == [(None, None)] * 2


def test_bursts_of_one_length_show_no_growth(tmp_path: Path) -> None:
    d = dataset(
        tmp_path / "d",
        flows=[flow(1)],
        transfers=[transfer(1, 1, 0, 1000, link_demand_bursttracker_ratio=0.2)],
        ttis=[tti(0, 50)],
        bursts=[burst(100 * n, 100 * n + 10) for n in range(6)],
    )
    assert set(bt19.fig7.table(d)["rank_correlation"].to_pylist()) == {None}


def test_the_transfer_with_most_bursts_is_shown_per_ms(tmp_path: Path) -> None:
    rows = bt19.fig7b.table(growing(tmp_path)).to_pylist()
    assert {row["transfer_id"] for row in rows} == {1} and {row["user"] for row in rows} == {0}
    assert len(rows) == 2 + 4 + 8 + 16 + 16 + 5
    ends = {(row["burst_begin_ms"], row["burst_end_ms"]) for row in rows}
    assert (10.0, 12.0) in ends and len(ends) == 5


def test_bursts_that_go_on_behind_the_transfer_count_as_far_as_it_is_shown(tmp_path: Path) -> None:
    d = dataset(
        tmp_path / "d",
        flows=[flow(1)],
        transfers=[transfer(1, 1, 0, 100, link_demand_bursttracker_ratio=0.2)],
        ttis=[tti(ms, 50) for ms in range(100)],
        bursts=[burst(-50, 20), burst(10, 30), burst(60, 4000)],
    )
    shown = {found.quantity: found.here for found in bt19.fig7b.findings(bt19.fig7b.table(d))}
    assert shown["in bursts (throughput time)"].replace("\xa0", " ") == "70 %"
    assert shown["scheduled"].replace("\xa0", " ") == "100 %"


DOUBT = "The burst rule's assumption does not hold here: 76 % of the time hangs on it"


def doubtful(path: Path, *words: str) -> am.Dataset:
    """Return a transfer with bursts of phones whose log shows how far the burst rule holds."""
    d = growing(path)
    users = [
        {
            **{"user": number, "aligned": {"offset_ms": 0.0, "uncertainty_ms": 1.0}},
            **{"assumption": {"word": word, "sentence": f"{DOUBT}."}, "active_time_s": 1.0},
        }
        for number, word in enumerate(words)
    ]
    file = d.path / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "radio": users}))
    return am.open(d.path)


@pytest.mark.parametrize("name", ["fig3", "fig6", "fig7", "fig7b", "fig9"])
def test_what_rests_on_the_burst_rule_says_where_it_does_not_hold(
    name: str, tmp_path: Path
) -> None:
    d = doubtful(tmp_path, "does_not_hold")
    assert DOUBT in notes_of(bt19.EXHIBITS[name].table(d))


def test_the_caveat_of_the_burst_rule_is_said_of_nothing_else(tmp_path: Path) -> None:
    d = doubtful(tmp_path / "1", "does_not_hold")
    assert notes_of(bt19.fig4.table(d)) == []
    assert notes_of(bt19.fig6.table(doubtful(tmp_path / "2", "holds"))) == []
    several = notes_of(bt19.fig6.table(doubtful(tmp_path / "3", "holds", "unknown")))
    assert [note.replace("\xa0", " ")[-17:] for note in several] == ["for 1 of 2 phones"]


def test_what_is_wrong_with_the_capture_is_said_of_every_figure(tmp_path: Path) -> None:
    slices = sliced(1, 1, 0, [1000])
    d = dataset(tmp_path / "d", ttis=[tti(0, 50)], flows=[flow(1)], slices=slices)
    file = d.path / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "warnings": ["half is missing"]}))
    assert notes_of(bt19.fig4.table(am.open(d.path))) == ["half is missing"]


def sliced(
    uid: int, transfer_id: int, begin_ms: float, bytes_each: list[int]
) -> list[dict[str, Any]]:
    """Return slices of 100 ms."""
    return [
        {
            **{"uid": uid, "transfer_id": transfer_id, "bytes": each},
            **{"start_ns": at(begin_ms + 100 * n), "end_ns": at(begin_ms + 100 * (n + 1))},
        }
        for n, each in enumerate(bytes_each)
    ]


def test_successive_transfers_by_port(tmp_path: Path) -> None:
    transfers = [
        transfer(1, n, 2000 * n, 2000 * n + 1000, bytes=(9 if n else 1) * 10**5) for n in range(5)
    ]
    transfers += [transfer(2, 10 + n, 2000 * n, 2000 * n + 1000) for n in range(2)]
    transfers += [transfer(3, 20, 0, 1000)]
    slices = [s for n in range(5) for s in sliced(1, n, 2000 * n, [1000] * 5 + [50_000] * 5)]
    slices += [s for n in range(2) for s in sliced(2, 10 + n, 2000 * n, [25_000] * 10)]
    gap = {"direction": "downlink", "start_ns": at(1000), "end_ns": at(2000)}
    d = dataset(
        tmp_path / "d",
        flows=[flow(1, server_port=80), flow(2, server_port=7777), flow(3, server_port=80)],
        transfers=transfers,
        slices=slices,
        idle_gaps=[
            {**gap, "uid": 1, "restart": "reset"},
            {**gap, "uid": 1, "restart": None},
            {**gap, "uid": 2, "restart": "none"},
        ],
    )
    rows = bt19.fig8.table(d)
    shown = {(row["port"], row["transfer_id"]) for row in rows.to_pylist()}
    assert shown == {("80", 1), ("80", 2), ("80", 3), ("other", 10), ("other", 11)}
    first = rows.to_pylist()[0]
    assert (first["begin_s"], first["throughput_bps"], first["restarts"]) == (0.0, 80_000.0, 1)
    here = [each.here.replace("\u00a0", " ") for each in bt19.fig8.findings(rows)]
    place = "an unknown point (perhaps before the queue)"
    first = ["3", place, "80.0 kbps, 2.9 Mbps", "1"]
    assert here == [*first, "2", place, "2.0 Mbps, 2.0 Mbps", "0"]


def test_throughput_over_transfers_is_that_at_the_phone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the server, the sender's bursts pass before the queue and exceed the link's rate."""

    def captured_at(place: str, uid: int, bytes_each: int) -> dict[str, Any]:
        bursts = [s for n in range(2) for s in sliced(uid, n, 2000 * n, [bytes_each] * 10)]
        return {
            "flows": [flow(uid, server_port=80, ue_port=40_000, vantage=place)],
            "transfers": [transfer(uid, n, 2000 * n, 2000 * n + 1000) for n in range(2)],
            "slices": bursts,
        }

    runs = campaign(tmp_path / "runs", first=captured_at("monitor", 1, 500_000))
    assert set(bt19.fig8.table(runs)["vantage"].to_pylist()) == {"monitor"}
    phone = dataset(tmp_path / "phone", **captured_at("ue", 7, 25_000))
    (runs.path / "first.airmile" / "ue.pcap").write_bytes(b"")
    monkeypatch.setattr(am, "analyze", lambda *_, **__: phone)
    rows = bt19.fig8.table(runs).to_pylist()
    assert {(r["uid"], r["vantage"], r["throughput_bps"]) for r in rows} == {(1, "ue", 2e6)}


def test_a_transfer_lasts_as_long_as_the_phone_receives_it(tmp_path: Path) -> None:
    """Before the base station, a whole transfer passes in a millisecond."""
    at_once = {"link_demand_bursttracker_ratio": 1.0, "link_demand_ratio": 1.0}
    run = dataset(
        tmp_path / "d",
        flows=[flow(1)],
        transfers=[transfer(1, 1, 0, 1, **at_once)],
        ttis=[tti(0, 50)],
        bursts=[
            burst(-100, 200), burst(700, 1200), burst(0, 1000, user=7),
            burst(100, 1000, estimator="joint"),
        ],
    )  # fmt: skip
    assert [each["link_demand_ratio"] for each in by_estimator(run, "bursttracker")] == [1.0]
    dataset(run.path / "ue.airmile", flows=[flow(9)], transfers=[transfer(9, 1, 0, 1000)])
    (row,) = by_estimator(run, "bursttracker")
    assert row["link_demand_ratio"] == pytest.approx(0.5)
    assert row["link_throughput_bps"] == pytest.approx(2_000_000 * 8 / 0.5)
    assert bt19.fig9.table(run, estimator="joint")["mean_link_demand_ratio"].to_pylist() == [
        pytest.approx(0.9)
    ]


def test_link_demand_by_port(tmp_path: Path) -> None:
    def pair(uid: int, demand: float) -> list[dict[str, Any]]:
        ratio = {"link_demand_bursttracker_ratio": demand}
        return [transfer(uid, 2 * uid + n, 2000 * n, 2000 * n + 1000, **ratio) for n in range(2)]

    d = dataset(
        tmp_path / "d",
        flows=[flow(1, server_port=80), flow(2, server_port=80), flow(3, server_port=7777)],
        transfers=[*pair(1, 0.5), *pair(2, 0.7), *pair(3, 0.9)],
    )
    rows = bt19.fig9.table(d).to_pylist()
    assert [(r["port"], r["flows"], r["server_ports"]) for r in rows] == [
        ("80", 2, "[80]"),
        ("other", 1, "[7777]"),
    ]
    assert rows[0]["mean_link_demand_ratio"] == pytest.approx(0.6)
    assert rows[0]["deviation_ratio"] == pytest.approx(0.2 / 2**0.5)
    assert rows[1]["deviation_ratio"] is None


def test_errors_against_the_truth_of_the_link(tmp_path: Path) -> None:
    states = ["ACTIVE"] * 400 + ["CONTENTION"] * 400 + ["LAST_ACTIVE"] * 100 + ["UNDERFLOW"] * 100
    truth = [
        {"time_ns": at(ms), "tti": ms, "direction": "downlink", "state": state}
        for ms, state in enumerate(states)
    ]
    truth += [{"time_ns": at(0), "tti": 0, "direction": "uplink", "state": "ACTIVE"}]
    truth += [{"time_ns": at(1000), "tti": 1000, "direction": "downlink", "state": "ACTIVE"}]
    estimates = {"link_demand_bursttracker_ratio": 0.84, "link_demand_ratio": 0.8}
    d = dataset(
        tmp_path / "d",
        flows=[flow(1)],
        transfers=[transfer(1, 1, 0, 1000, **estimates)],
        ttis=[tti(ms, 50) for ms in range(400)],
        truth_ttis=truth,
    )
    rows = {row["quantity"]: row for row in bt19.table1.table(d).to_pylist()}
    assert {name: row["p50_ratio"] for name, row in rows.items()} == {
        "throughput_time": pytest.approx(0.8),
        "bursttracker_error": pytest.approx(0.05),
        "joint_error": pytest.approx(0.0, abs=1e-9),
        "active_time_error": pytest.approx(0.5),
    }
    assert {row["flows"] for row in rows.values()} == {1}
    figure, _ = bt19.table1(d)
    assert figure is None


@pytest.mark.parametrize("name", bt19.EXHIBITS)
def test_without_tables_every_exhibit_says_what_it_lacks(name: str, tmp_path: Path) -> None:
    with pytest.raises(Missing) as lacking:
        bt19.EXHIBITS[name].table(dataset(tmp_path / "d", slices=[]))
    assert lacking.value.hint


def test_pictures_of_transfers(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    d = growing(tmp_path)
    for exhibit in (bt19.fig6, bt19.fig7, bt19.fig7b, bt19.fig9):
        figure, table = exhibit(d)
        assert figure is not None and figure.axes and table.num_rows > 0


def test_without_matplotlib_there_are_tables_and_a_word_about_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    d = dataset(tmp_path / "d", ttis=[tti(0, 50)])
    assert bt19.fig4.table(d).num_rows == 1
    with pytest.raises(am.OutputError) as refused:
        bt19.fig4(d)
    assert "airmile[study]" in (refused.value.hint or "")
