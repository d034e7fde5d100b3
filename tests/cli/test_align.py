"""`airmile align`: compares two captures of the same traffic."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import airmile as am
from tests.cli.conftest import EMU, LINK, WINDOW, Airmile
from tests.support import taps

PHONE = LINK.with_name("ue.pcap.gz")
SERVER = LINK.with_name("server.pcap.gz")
MS = 10**6


@pytest.fixture(scope="module")
def near() -> list[taps.Record]:
    """Return a capture; the tests derive the second one from it."""
    return taps.read(WINDOW)


def far(records: list[taps.Record], seed: int = 1) -> list[taps.Record]:
    """Move the capture point farther by a round trip of 20 ms (8 up, 12 down), with jitter."""
    draw = random.Random(seed)
    return taps.farther(
        records,
        lambda _: 8 * MS + int(draw.expovariate(1) * MS),
        lambda _: 12 * MS + int(draw.expovariate(1) * MS),
    )


def put(folder: Path, near: list[taps.Record], far: list[taps.Record]) -> tuple[Path, Path]:
    """Write both captures."""
    return taps.write(folder / "near.pcap", near), taps.write(folder / "far.pcap", far)


def test_the_answer_for_people(airmile: Airmile) -> None:
    said = airmile("align", PHONE, LINK)
    assert (said.code, said.err) == (0, "")
    for words in (
        "ue.pcap.gz is nearer to the phone",
        "the clocks may agree",
        "least round trip between the capture points 24.7 ms",
        "to the phone: 0 of 11 141 packets lost between the capture points",
        "the estimate at monitor.pcap.gz against throughput at ue.pcap.gz",
    ):
        assert words in said.out
    assert max(map(len, said.out.splitlines())) <= 112


@pytest.mark.parametrize(
    ("one", "two", "nearer"),
    [(PHONE, LINK, "first"), (SERVER, LINK, "second"), (SERVER, PHONE, "second")],
)
def test_captures_that_share_a_clock(one: Path, two: Path, nearer: str) -> None:
    found = am.align(one, two)
    assert found.nearer == nearer
    assert found.offset_ms is not None and found.offset_uncertainty_ms is not None
    assert abs(found.offset_ms) <= found.offset_uncertainty_ms
    assert found.drift_ppm is None or abs(found.drift_ppm) <= (found.drift_uncertainty_ppm or 0)
    assert found.steps == ()
    assert found.paired_share == (1.0, 1.0)
    assert (found.uplink.lost, found.downlink.lost) == (0, 0)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(
    ("offset_ns", "drift"),
    [(0, 0.0), (-3_500 * MS, 200e-6), (7_200_000 * MS, -120e-6), (-86_400_000 * MS, 40e-6)],
)
def test_clocks_that_differ(
    tmp_path: Path, near: list[taps.Record], offset_ns: int, drift: float, swapped: bool
) -> None:
    captures = put(tmp_path, near, taps.clock(far(near), offset_ns, drift))
    found = am.align(*(reversed(captures) if swapped else captures))
    sign = -1 if swapped else 1
    assert found.nearer == ("second" if swapped else "first")
    assert found.offset_ms is not None and found.offset_uncertainty_ms is not None
    # Half of the round trip is 10 ms; the captures do not have exactly the same middle.
    assert abs(found.offset_ms - sign * offset_ns / MS) <= found.offset_uncertainty_ms + 0.1
    assert 9.9 < found.offset_uncertainty_ms < 12
    assert found.drift_ppm is not None and found.drift_uncertainty_ppm is not None
    assert abs(found.drift_ppm - sign * drift * 1e6) <= found.drift_uncertainty_ppm
    assert found.drift_uncertainty_ppm < 40
    assert found.round_trip_ms == pytest.approx(20, abs=0.2)
    for way, least in ((found.uplink, 8), (found.downlink, 12)):
        assert way.least_ms is None and way.reason is not None
        assert way.p95_above_least_ms == pytest.approx(3, abs=0.5)
        if way.median_ms is not None and way.uncertainty_ms is not None:
            assert abs(way.median_ms - least - 0.7) <= way.uncertainty_ms


def test_a_clock_that_was_set_is_named(
    airmile: Airmile, tmp_path: Path, near: list[taps.Record]
) -> None:
    other = far(near)
    half = len(other) // 2
    other = other[:half] + taps.clock(other[half:], -1_500 * MS)
    said = airmile("align", *put(tmp_path, near, other), "--format", "json")
    assert said.code == 0, said.err
    (step,) = json.loads(said.out)["steps"]
    assert abs(step["step_ms"] + 1500) <= step["uncertainty_ms"]
    assert abs(step["first_ns"] - near[half].ns) < 200 * MS
    assert "a clock was set by -1 500" in airmile("align", "near.pcap", "far.pcap").out


def test_losses_between_capture_points_are_counted_by_direction(
    tmp_path: Path, near: list[taps.Record]
) -> None:
    other = far(near)
    # Packets that the server sent and the phone did not receive, and the reverse.
    down = [r for r in near[100:-100] if not r.up][::50]
    up = [r for r in other[100:-100] if r.up][::40]
    kept_near = [r for r in near if r not in down]
    kept_far = [r for r in other if r not in up]
    found = am.align(*put(tmp_path, kept_near, kept_far))
    assert (found.downlink.lost, found.uplink.lost) == (len(down), len(up))
    assert (found.downlink.unseen, found.uplink.unseen) == (0, 0)


def test_packets_that_occur_twice_are_not_used(tmp_path: Path, near: list[taps.Record]) -> None:
    alone = am.align(*put(tmp_path, near, far(near)))
    twice = [copy for r in near for copy in ([r, replace(r, ns=r.ns + 1000)] if r.up else [r])]
    found = am.align(*put(tmp_path, twice[:400] + near[300:], far(near)))
    assert 0 < found.pairs < alone.pairs
    assert found.steps == () and found.left_out == 0
    assert abs(found.offset_ms or 99) <= (found.offset_uncertainty_ms or 0)


@pytest.mark.parametrize("which", ["near", "far", "both"])
def test_segments_that_offloads_joined_are_paired_by_their_first_byte(
    tmp_path: Path, near: list[taps.Record], which: str
) -> None:
    other = far(near)
    one = taps.joined(near) if which != "far" else near
    two = taps.joined(other, 9_000) if which != "near" else other
    assert len(one) < len(near) or len(two) < len(near)
    found = am.align(*put(tmp_path, one, two))
    assert found.joined > 20
    assert found.paired_share == (1.0, 1.0)
    assert (found.downlink.lost, found.downlink.unseen) == (0, 0)
    assert abs(found.offset_ms or 99) <= (found.offset_uncertainty_ms or 0)


@pytest.mark.parametrize("up", [True, False])
def test_one_direction_alone_bounds_the_offset_on_one_side(
    airmile: Airmile, tmp_path: Path, near: list[taps.Record], up: bool
) -> None:
    captures = put(tmp_path, [r for r in near if r.up == up], [r for r in far(near) if r.up == up])
    said = airmile("align", *captures, "--ue-net", "10.73.9.0/24", "--format", "json")
    assert said.code == 0, said.err
    shown: dict[str, Any] = json.loads(said.out)
    unknown = ("offset_ms", "offset_uncertainty_ms", "drift_ppm", "nearer", "round_trip_ms")
    assert [shown[name] for name in unknown] == [None] * len(unknown)
    bound = "at most 8.0" if up else "at least -12.0"
    assert "on one side only" in shown["offset_reason"] and bound in shown["offset_reason"]
    way = shown["uplink" if up else "downlink"]
    assert way["median_ms"] is None and way["reason"] and way["packets"] > 0
    assert shown["bandwidth_errors"] == [] and shown["bandwidth_reason"]
    assert "offset unknown: all" in airmile("align", *captures, "--ue-net", "10.73.9.0/24").out


def test_the_estimate_is_compared_with_what_arrived() -> None:
    found = am.align(PHONE, LINK)
    errors = {(error.window_s, error.source): error for error in found.bandwidth_errors}
    assert set(errors) == {(w, s) for w in (1.0, 0.1) for s in ("queue_evident", "c_rule")}
    best = errors[1.0, "queue_evident"]
    # LTE13 figure 19 gives 7.9 % on average at 1.0 s, for its own rule.
    assert best.mean is not None and best.mean < 0.05
    assert best.compared == best.windows == best.busy
    assert len(best.cdf) == 101 and list(best.cdf) == sorted(best.cdf)
    assert best.median == best.cdf[50] and best.p90 == best.cdf[90]
    rows = found.tables["e5"].to_pylist()
    row = next(r for r in rows if r["window_s"] == 1.0 and r["error_ratio"] is not None)
    error = row["bandwidth_bps"] / row["throughput_bps"] - 1
    assert row["error_ratio"] == pytest.approx(error)
    arrived = sum(
        r.payload for r in taps.read(PHONE) if not r.up and abs(r.ns - row["time_ns"]) < 500 * MS
    )
    assert row["throughput_bps"] == pytest.approx(arrived * 8, rel=0.001)


def test_the_estimate_is_not_compared_with_what_did_not_reach_the_phone_yet() -> None:
    found = am.align(LINK, SERVER)
    assert found.bandwidth_errors == () and found.tables["e5"].num_rows == 0
    assert "not on the phone" in (found.bandwidth_reason or "")


def test_the_estimate_does_not_depend_on_the_clocks(tmp_path: Path) -> None:
    plain = am.align(PHONE, LINK).bandwidth_errors[0]
    moved = taps.write(tmp_path / "far.pcap", taps.clock(taps.read(LINK), 3_600_000 * MS, 100e-6))
    found = am.align(PHONE, moved).bandwidth_errors[0]
    assert found.mean == pytest.approx(plain.mean, abs=0.003)


def test_tables_are_written_where_query_reads_them(airmile: Airmile, tmp_path: Path) -> None:
    said = airmile("align", PHONE, LINK, "-o", "both.airmile")
    assert said.code == 0, said.err
    query = "SELECT direction, count(*) AS packets, median(delay_ms) AS ms FROM pairs GROUP BY 1"
    answer = airmile("query", "both.airmile", query + " ORDER BY 1", "--format", "json")
    rows = json.loads(answer.out)
    assert [(row["direction"], row["packets"]) for row in rows] == [
        ("downlink", 11_141), ("uplink", 3_666),
    ]  # fmt: skip
    dataset = am.open(tmp_path / "both.airmile")
    assert set(dataset.tables) == {"pairs", "clock_steps", "e5", "e5_cdf"}
    assert dataset.manifest["alignment"]["nearer"] == "first"
    assert dataset.pairs.schema.field("delay_ms").metadata[b"unit"] == b"ms"
    with pytest.raises(am.UsageError, match="no table 'flows'"):
        _ = dataset.verdict
    assert airmile("plot", "both.airmile").code == 2
    again = airmile("align", PHONE, LINK, "-o", "both.airmile")
    assert again.code == 2 and "--overwrite" in again.err
    assert airmile("align", PHONE, LINK, "-o", "both.airmile", "--overwrite").code == 0


def test_nothing_else_is_ever_replaced(airmile: Airmile, tmp_path: Path, link: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    for place in ("mine", link):
        said = airmile("align", PHONE, LINK, "-o", place, "--overwrite")
        assert said.code == 2 and "not the dataset of an alignment" in said.err
    assert (tmp_path / "mine" / "letter.txt").exists() and (link / "flows").exists()


@pytest.mark.parametrize("form", ["json", "md", "csv", "ndjson"])
def test_other_formats(airmile: Airmile, form: str) -> None:
    said = airmile("align", PHONE, LINK, "--format", form)
    assert (said.code, said.err) == (0, "")
    if form == "json":
        shown = json.loads(said.out)
        assert shown["scope"] == "alignment" and len(shown["bandwidth_errors"][0]["cdf"]) == 101
    elif form == "md":
        assert said.out.startswith("## ue.pcap.gz and monitor.pcap.gz\n")
    else:
        assert len(said.out.splitlines()) == 14_807 + (form == "csv")
    assert "\u00a0" not in said.out


def test_captures_that_share_nothing(airmile: Airmile) -> None:
    said = airmile("align", PHONE, EMU / "c_rwnd" / "ue.pcap.gz")
    assert said.code == 3 and said.out == ""
    assert "share no TCP packet" in said.err and "hint:" in said.err


def test_what_cannot_be_read(airmile: Airmile, tmp_path: Path) -> None:
    gone = airmile("align", PHONE, "gone.pcap")
    assert gone.code == 3 and "gone.pcap" in gone.err
    twice = airmile("align", PHONE, "-")
    assert twice.code == 2 and "standard input" in twice.err
    (tmp_path / "cut.pcap").write_bytes(
        taps.write(tmp_path / "x", taps.read(LINK)).read_bytes()[:-7]
    )
    cut = airmile("align", PHONE, "cut.pcap")
    assert cut.code == 1 and "cut.pcap" in cut.out and "ends" in cut.out


def test_every_table_is_described_as_it_is_written(airmile: Airmile) -> None:
    assert airmile("align", PHONE, LINK, "-o", "both.airmile").code == 0
    document = json.loads(airmile("schema", "--format", "json").out)["tables"]
    for name, written in am.align(PHONE, LINK).tables.items():
        shown = [{"unit": "", **_metadata(field)} for field in written.schema]
        kinds = [
            {"double": "float64", "string": "utf8"}.get(str(t), str(t))
            for t in written.schema.types
        ]
        names = written.column_names
        described = [
            {key: column[key] for key in column if key != "definition"}
            for column in document[name]["columns"]
        ]
        assert described == [
            {"name": column, "type": kind, **each}
            for column, kind, each in zip(names, kinds, shown, strict=True)
        ]
        assert airmile("schema", name).out.count("\n") == 2 + len(names)


def _metadata(field: pa.Field) -> dict[str, str]:
    return {key.decode(): text.decode() for key, text in field.metadata.items()}
