"""What follows from fitted clocks: delays, uncertainties, steps, and windows of methods E5."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from airmile import Alignment, InputError, OutputError, UsageError, _engine
from airmile.answers.pair import steps, validation, write
from airmile.answers.pair.found import SET_BETWEEN, Found
from airmile.answers.pair.summary import sum_up
from airmile.printed import printed
from airmile.verbs import _align as alignment

START = 1_800_000_000 * 10**9
SECOND = 10**9


def found(
    first: np.ndarray, second: np.ndarray, up: np.ndarray, *, nearer: str | None = "first"
) -> Found:
    """Return the packets of a pair of captures, of which the first is on the phone."""
    clocks = steps.clocks(first, second, up)
    no_clock = None if clocks.found else SET_BETWEEN
    pairs = pa.table({"whole": np.ones(first.size, dtype=bool)})
    way = {"packets": first.size // 2, "alone": 0}
    counts = {name: {"uplink": way, "downlink": way} for name in ("first", "second")}
    return Found(
        pairs, first, second, up, up, nearer, *clocks, no_clock, 0, counts,  # type: ignore[arg-type]
        ([], []), (pa.table({}), pa.table({})), False,
    )  # fmt: skip


def summed(packets: Found) -> Alignment:
    values = sum_up(["one", "two"], packets, validation.none("not asked for"), None)
    return printed(Alignment, values)


def traffic(
    count: int = 400, *, queue_ms: float = 0.0, step_s: float = 0.0, drift: float = 0.0
) -> tuple[Any, ...]:
    """Send a packet each 100 ms, 5 ms each way; the last quarter has a queue and another clock."""
    number = np.arange(count)
    up, late = number % 2 == 0, number >= count * 3 // 4
    here = number * SECOND // 10
    delay_ms = np.where(late & up, 5 + queue_ms, 5.0)
    sent = np.where(up, delay_ms, -delay_ms)
    offset_ms = np.where(late, step_s * 1e3, 0.0) + drift * (here - here[-1] // 2) / 1e6
    second = START + here + np.round((sent + offset_ms) * 1e6).astype(np.int64)
    return START + here, second, up, delay_ms


def test_delays_have_the_uncertainty_of_their_own_clock() -> None:
    first, second, up, delay_ms = traffic(queue_ms=400, step_s=30)
    shown = summed(found(first, second, up))
    (step,) = shown.steps
    assert abs(step.step_ms - 30_000) <= step.uncertainty_ms
    # The shorter period is uncertain by 200 ms, so its delays are not in the summary.
    assert shown.uplink.packets == 200
    assert shown.uplink.uncertainty_ms == pytest.approx(5, abs=0.1)
    assert shown.uplink.p95_above_least_ms == pytest.approx(0, abs=0.1)
    delay, unsure = (shown.tables["pairs"][name].to_numpy() for name in (
        "delay_ms", "delay_uncertainty_ms"))  # fmt: skip
    held = np.isfinite(delay)
    assert held.sum() >= 395
    assert (np.abs(delay - delay_ms) <= unsure + 0.01)[held].all()
    assert np.nanmax(unsure[:290]) < 6 < 200 < np.nanmin(unsure[310:])


def test_the_uncertainty_grows_away_from_the_origin() -> None:
    """Least delays that fall by 4 ms look like drift, so that the ends are less certain."""
    first, second, up, _ = traffic()
    wander = np.where(up, np.linspace(4, 0, up.size), 0.0)
    second = second + np.round(wander * 1e6).astype(np.int64)
    packets = found(first, second, up)
    (clock,) = packets.clocks
    ends = clock.uncertainty_at(np.array([clock.from_ns, clock.origin_ns, clock.to_ns]))
    assert ends[1] == pytest.approx(clock.uncertainty_s, abs=1e-5)
    assert max(ends[0], ends[2]) > clock.uncertainty_s + 0.3e-3
    shown = summed(packets)
    assert shown.uplink.uncertainty_ms == pytest.approx(max(ends[0], ends[2]) * 1e3, rel=0.01)
    # The same holds beyond this period, where a clock has a step.
    far = clock.uncertainty_at(np.array([clock.to_ns + 100 * SECOND]))[0]
    assert far == pytest.approx(
        max(
            np.max(clock.ceilings + clock.slopes * 120 - clock.offset_s - clock.slope * 120),
            np.max(clock.offset_s + clock.slope * 120 - clock.floors - clock.slopes * 120),
        ),
        rel=0.05,
    )


def volume(seconds: list[float], ue: str = "u", size: int = 12_500) -> pa.Table:
    """Give the payload of 10 Mbit/s in bins of 10 ms."""
    bins = np.unique((np.array(seconds) * 100).round().astype(np.int64))
    times = START + bins * validation.BIN_NS
    return pa.table({"ue": [ue] * len(bins), "time_ns": times, "bytes": [size] * len(bins)})


def samples(seconds: np.ndarray, ue: str = "u") -> pa.Table:
    return pa.table(
        {
            "ue": [ue] * seconds.size,
            "time_ns": START + (seconds * 1e9).astype(np.int64),
            "bandwidth_bps": [10e6] * seconds.size,
            "source": ["queue_evident"] * seconds.size,
        }
    )


def one_clock() -> list[Any]:
    return found(*traffic()[:3]).clocks


def test_a_record_with_a_wild_time_makes_no_windows_of_years() -> None:
    usual = np.arange(0, 20, 0.01)
    wild = volume([*usual, 300 * 365 * 86_400 / 10])
    shown = validation.compare(wild, samples(np.arange(0, 20, 0.5)), one_clock(), "first")
    plain = validation.compare(
        volume(list(usual)), samples(np.arange(0, 20, 0.5)), one_clock(), "first"
    )
    assert shown.rows.num_rows < plain.rows.num_rows + 30
    kept = [row for row in shown.rows.to_pylist() if row["time_ns"] < START + 19 * SECOND]
    assert kept == [r for r in plain.rows.to_pylist() if r["time_ns"] < START + 19 * SECOND]
    assert plain.errors[0].windows == 191 and plain.errors[0].mean == pytest.approx(0, abs=1e-9)


def test_phones_that_the_nearer_capture_does_not_hold_take_no_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slid = []
    monkeypatch.setattr(validation, "_slide", lambda _, group, *__: slid.append(group))
    many = pa.concat_tables([samples(np.arange(3.0), f"10.0.0.{number}") for number in range(200)])
    validation.compare(volume([1, 2], "10.0.0.7"), many, one_clock(), "first")
    assert slid == [("10.0.0.7", "queue_evident", window) for window in validation.WINDOWS_S]


def test_each_phone_has_its_own_samples_and_payload() -> None:
    ues = ("b", "a")
    passed = pa.concat_tables([volume(list(np.arange(0, 5, 0.01)), ue) for ue in ues])
    taken = pa.concat_tables([samples(np.array([3.0, 1.0]) + n, ue) for n, ue in enumerate(ues)])
    rows = validation.compare(passed, taken, one_clock(), "first").rows.to_pylist()
    assert len({(r["ue"], r["window_s"], r["time_ns"]) for r in rows}) == len(rows)
    for ue, at in (("a", (2, 4)), ("b", (1, 3))):
        shown = [
            r["time_ns"]
            for r in rows
            if r["ue"] == ue and r["window_s"] == 0.1 and r["bandwidth_bps"]
        ]
        assert {round((ns - START) / 1e9) for ns in shown} == set(at)


@pytest.mark.parametrize("set_back", ["first", "second"])
def test_what_a_clock_shows_twice_is_not_compared(set_back: str) -> None:
    """The clock of one capture is set back by 10 s after 30 s."""
    first, second, up, _ = traffic(step_s=-10)
    nearer = "first"
    if set_back == "first":
        first, second, up, nearer = second, first, ~up, "first"
    clocks = found(first, second, up).clocks
    assert len(clocks) == 2
    # The clock of the nearer capture was set back: it shows the time from 20 to 30 s twice.
    plain = np.arange(0, 30 if set_back == "first" else 40, 0.01)
    shown = validation.compare(
        volume(list(plain)),
        samples(np.arange(0, 30, 0.1)),
        clocks,
        nearer,  # type: ignore[arg-type]
    )
    rows = [row for row in shown.rows.to_pylist() if row["window_s"] == 0.1]
    at = np.array([(row["time_ns"] - START) / 1e9 for row in rows])
    known = np.array([row["error_ratio"] is not None for row in rows])
    if set_back == "first":
        assert not ((at > 20.1) & (at < 29.9)).any() and known.any()
    else:
        # A sample from 20 to 30 s of the far clock may be from the first or the second time.
        assert known[at < 19.5].all() and not known[(at > 20.5) & (at < 39)].any()


def stored(path: Path) -> Alignment:
    return replace(summed(found(*traffic()[:3])), path=path)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, ValueError, OSError])
def test_a_write_that_stops_leaves_nothing_and_keeps_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    target = tmp_path / "both.airmile"
    write.write(stored(target), target, "1")
    before = (target / "manifest.json").read_bytes()

    def refuse(*_: object, **__: object) -> None:
        raise stop

    with monkeypatch.context() as patch:
        patch.setattr(parquet, "write_table", refuse)
        with pytest.raises(OutputError if stop is OSError else stop):
            write.write(stored(target), target, "2", overwrite=True)
    with monkeypatch.context() as patch:
        patch.setattr(_engine, "put", refuse)
        with pytest.raises(OutputError if stop is OSError else stop):
            write.write(stored(target), target, "2", overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["both.airmile"]
    assert (target / "manifest.json").read_bytes() == before
    write.write(stored(target), target, "2", overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["both.airmile"]
    assert (target / "manifest.json").read_bytes() != before


@pytest.mark.parametrize("name", [".{}.partial", ".{}.old"])
def test_what_lies_beside_the_place_is_neither_removed_nor_in_the_way(
    tmp_path: Path, name: str
) -> None:
    target = tmp_path / "both.airmile"
    kept = tmp_path / name.format(f"both.airmile.{os.getpid()}")
    kept.mkdir()
    (kept / "letter.txt").write_text("dear")
    for version in ("1", "2"):
        write.write(stored(target), target, version, overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [kept.name, "both.airmile"]
    assert (kept / "letter.txt").read_text() == "dear"


@pytest.mark.parametrize("name", ["letter.txt", "pairs/letter.txt", "pairs/part-1.parquet/letter"])
def test_a_dataset_with_a_file_of_somebody_is_not_replaced(tmp_path: Path, name: str) -> None:
    target = tmp_path / "both.airmile"
    write.write(stored(target), target, "1")
    write.check(target, overwrite=True, captures=())
    (target / name).parent.mkdir(parents=True, exist_ok=True)
    (target / name).write_text("dear")
    with pytest.raises(UsageError, match="which airmile did not write"):
        write.check(target, overwrite=True, captures=())


@pytest.mark.parametrize(
    ("vantage", "said"), [(None, "is unknown"), ("monitor", "radio link"), ("ue", None)]
)
def test_only_what_was_taken_on_the_phone_tests_the_estimate(
    monkeypatch: pytest.MonkeyPatch, vantage: str | None, said: str | None
) -> None:
    dataset = SimpleNamespace(manifest={"vantage": {"value": vantage}, "interrupted": False})
    monkeypatch.setattr(alignment, "analyze", lambda *_, **__: dataset)
    monkeypatch.setattr(validation, "samples_of", lambda _: samples(np.arange(3.0)))
    packets = replace(found(*traffic()[:3]), volumes=(volume([1, 2]), volume([1, 2])))
    reason = alignment._compared(["near", "far"], packets, {}, None, []).reason
    assert reason == said or (said and reason and said in reason)


def test_packets_of_both_ways_with_a_step_between_each_give_no_clock() -> None:
    first = START + np.array([0, 1, 2]) * SECOND
    second = first + np.array([0, 1, 2]) * SECOND
    packets = found(first, second, np.array([True, False, True]), nearer=None)
    shown = summed(packets)
    assert packets.clocks == [] and shown.offset_ms is None and shown.nearer is None
    assert "clock was set between them" in (shown.offset_reason or "")
    for reason in (shown.drift_reason, shown.nearer_reason):
        assert reason == "it needs packets of both directions in a period without a step of a clock"
    for way in (shown.uplink, shown.downlink):
        assert way.reason == "the offset of the clocks is unknown"
    reason = alignment._compared(["near", "far"], packets, {}, None, []).reason
    assert reason == "the offset of the clocks is unknown"


def test_packets_of_one_way_after_a_step_are_counted() -> None:
    first, second, up, _ = traffic(step_s=-30)
    kept = (np.arange(400) < 300) | up
    shown = summed(found(first[kept], second[kept], up[kept]))
    assert shown.steps == () and shown.offset_ms is not None
    (warning,) = shown.warnings
    assert "50 packets" in warning.replace("\u00a0", " ") and "one direction only" in warning


def recorders(
    count: int, seed: int, jitter_s: float = 20e-6, path_s: float = 0.0
) -> tuple[Any, ...]:
    """Return captures at nearly the same point, whose clocks differ by 3 s and drift."""
    draw = np.random.default_rng(seed)
    here = np.sort(draw.uniform(0, 60, count))
    up = draw.random(count) < 0.5
    delay = np.where(up, path_s / 2, -path_s / 2)
    there = here + 3 + 40e-6 * (here - 30) + delay + draw.normal(0, jitter_s, count)
    return START + np.round(here * 1e9).astype(np.int64), START + np.round(there * 1e9).astype(
        np.int64), up  # fmt: skip


@pytest.mark.parametrize("path_s", [0.0, 40e-6, 100e-6, 200e-6])
@pytest.mark.parametrize("count", [20, 300, 3000])
def test_recorders_at_one_place_have_one_clock(count: int, path_s: float) -> None:
    for seed in range(3):
        packets = recorders(count, seed, path_s=path_s)
        clocks, left_out, one_way = steps.clocks(*packets)
        assert len(clocks) == 1 and not one_way.any()
        assert left_out.sum() <= count // 100
        (clock,) = clocks
        true = 3 + 40e-6 * ((clock.origin_ns - START) / 1e9 - 30)
        shown = clock.base_ns / 1e9 + clock.offset_s
        assert abs(shown - true) <= clock.uncertainty_s < 1e-3
        assert path_s > 0 or clock.overlaps


def test_wrong_pairs_one_after_the_other_are_no_steps() -> None:
    first, second, up, _ = traffic(4000)
    second = second.copy()
    wrong = np.sort(np.concatenate([np.arange(30, 3990, 150), np.arange(33, 3990, 150)]))
    second[wrong] += np.where(up[wrong], -1, 1) * 3 * SECOND
    packets = found(first, second, up)
    assert len(packets.clocks) == 1
    assert np.flatnonzero(packets.left_out).tolist() == wrong.tolist()
    shown = summed(packets)
    assert shown.steps == () and shown.left_out == 2 * 27
    assert shown.uplink.p95_above_least_ms == pytest.approx(0, abs=1e-3)
    delay = shown.tables["pairs"]["delay_ms"].to_numpy()
    assert np.isnan(delay[wrong]).all()


def test_a_few_wrong_pairs_near_an_end_make_no_stretch_of_their_own() -> None:
    first, second, up, _ = traffic()
    second = second.copy()
    second[4:8] += np.where(up[4:8], -1, 1) * 3 * SECOND
    packets = found(first, second, up)
    assert len(packets.clocks) == 1 and packets.left_out.sum() <= 8


def test_times_that_contradict_each_other_are_refused_with_what_to_do() -> None:
    draw = np.random.default_rng(1)
    first, second, up, _ = traffic(3000)
    second = second + draw.integers(0, 10 * SECOND, 3000)
    with pytest.raises(InputError, match="no delay explains") as shown:
        steps.clocks(first, second, up)
    assert "--ue-net" in (shown.value.hint or "")


@pytest.mark.parametrize("step_s", [0.5, -0.5])
def test_a_step_is_found_in_spite_of_jitter(step_s: float) -> None:
    first, second, up = recorders(1000, 2)
    second = second + np.where(np.arange(1000) >= 600, int(step_s * SECOND), 0)
    clocks, left_out, _ = steps.clocks(first, second, up)
    assert len(clocks) == 2 and left_out.sum() <= 10
    assert abs(clocks[1].rows.start - 600) <= 3


def test_cuts_that_one_clock_bridges_are_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "wrong_pairs", lambda first, *_: np.zeros(first.size, dtype=bool))
    first, second, up, _ = traffic()
    second = second.copy()
    wrong = np.array([100, 103, 250, 253])
    second[wrong] += np.where(up[wrong], -1, 1) * 3 * SECOND
    packets = found(first, second, up)
    assert len(packets.clocks) == 1 and packets.left_out[wrong].all()


def test_a_step_is_as_unsure_as_both_clocks_are_there() -> None:
    first, second, up, _ = traffic(step_s=-30)
    wander = np.where(up, np.linspace(4, 0, up.size), 0.0)
    packets = found(first, second + np.round(wander * 1e6).astype(np.int64), up)
    (step,) = summed(packets).steps
    middles = sum(clock.uncertainty_s for clock in packets.clocks) * 1e3
    assert step.uncertainty_ms > middles + 0.05
