"""The function `airmile.compare`: its samples, its comparisons, and its sentences."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

import airmile
from airmile.comparison import Comparison
from airmile.comparison._rows import ROW
from tests.support.handmade import flow, typed, write

RANDOM = np.random.default_rng(5)
CHANNEL = RANDOM.normal(12, 4, 24)
CUBIC = CHANNEL + RANDOM.normal(0, 1, 24)
BBR = CHANNEL + 1.2 + RANDOM.normal(0, 1, 24)


def csv(path: Path, header: str, rows: Iterable[Iterable[Any]]) -> Path:
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def trials(tmp_path: Path) -> Path:
    rows = [
        (n, name, f"{value:.4f}")
        for name, values in (("cubic", CUBIC), ("bbr", BBR))
        for n, value in enumerate(values, 1)
    ]
    return csv(tmp_path / "trials.csv", "iteration,congestion_control,rate_mbps", rows)


def test_trials_of_an_iteration_are_pairs(trials: Path) -> None:
    (result,) = airmile.compare(trials).results
    found = result.difference
    assert found.pairs == 24
    assert found.value == pytest.approx(float((BBR - CUBIC).mean()), abs=1e-4)
    assert found.low is not None and found.high is not None
    assert found.low < found.value < found.high
    assert (found.test, found.interval) == ("sign flips", "studentised bootstrap")
    assert result.shown


def test_without_pairs_the_channel_hides_the_difference(trials: Path) -> None:
    (result,) = airmile.compare(trials, paired=False).results
    assert (result.difference.pairs, result.shown) == (None, False)
    assert "24 iterations are in both groups" in result.difference.notes[0]
    assert result.sentence.endswith("these 24 and 24 iterations do not show which is higher.")


def test_the_order_of_rows_changes_nothing(trials: Path, tmp_path: Path) -> None:
    header, *rows = trials.read_text().splitlines()
    other = tmp_path / "other.csv"
    other.write_text("\n".join([header, *sorted(rows, key=lambda row: row[::-1])]))
    (first,), (second,) = (
        airmile.compare(each, by="congestion_control", baseline="cubic").results
        for each in (trials, other)
    )
    assert first.difference.low == pytest.approx(second.difference.low)
    assert first.difference.p_value == second.difference.p_value
    assert first.difference.correlation == pytest.approx(second.difference.correlation)


def test_replays_of_a_seed_are_one_sample(tmp_path: Path) -> None:
    rows = [
        (seed, cc, 10 + seed % 3 + replay + more)
        for seed in range(8)
        for cc, more in (("a", 0), ("b", 1))
        for replay in range(5)
    ]
    path = csv(tmp_path / "x.csv", "seed,cc,rate_mbps", rows)
    found = airmile.compare(path, by="cc", paired=False)
    (result,) = found.results
    assert (result.difference.a.n, result.difference.a.rows) == (8, 40)
    assert "a: 40 rows are 8 seeds: those of one are averaged" in [
        note.replace("\u00a0", " ") for note in found.notes
    ]
    alone = airmile.compare(path, by="cc", unit=ROW, paired=False)
    assert alone.results[0].difference.a.n == 40
    assert any("each line counts as an independent sample" in note for note in alone.notes)


def test_subscribers_of_a_dataset_are_the_samples(tmp_path: Path) -> None:
    for name, first in (("a", 0), ("b", 100)):
        rows = [
            flow(uid, ue=f"10.0.0.{first + uid // 5}", dl_rate_bps=1e6 * (uid % 7 + first / 50))
            for uid in range(40)
        ]
        write(tmp_path / f"{name}.airmile", {"flows": rows}, {})
    found = airmile.compare({name: tmp_path / f"{name}.airmile" for name in "ab"})
    (result,) = found.results
    assert (result.difference.a.n, result.difference.a.word) == (8, "subscriber")
    assert result.difference.test == "Welch"
    assert result.difference.unit == "bps"


def test_two_sources_with_the_same_seeds_are_pairs(tmp_path: Path) -> None:
    for name, values in (("cubic", CUBIC), ("bbr", BBR)):
        csv(tmp_path / f"{name}.csv", "seed,rate_mbps", enumerate(values))
    found = airmile.compare({name: tmp_path / f"{name}.csv" for name in ("cubic", "bbr")})
    assert found.results[0].difference.pairs == 24


def test_medians_are_of_pairs_too(trials: Path) -> None:
    (result,) = airmile.compare(trials, estimate="median").results
    assert (result.difference.estimate, result.difference.interval) == ("median", "signed ranks")
    assert "median (Hodges-Lehmann)" in result.sentence
    assert result.difference.effect.name == "rank-biserial"


def test_several_comparisons_are_holms(tmp_path: Path) -> None:
    rows = [(n, name, v) for name in "abc" for n, v in enumerate(RANDOM.normal(10, 1, 20))]
    path = csv(tmp_path / "x.csv", "iteration,cc,rate_mbps", rows)
    results = airmile.compare(path, by="cc").results
    assert [each.family for each in results] == [3, 3, 3]
    assert all(each.holm >= each.difference.p_value for each in results)
    assert all("among 3 comparisons (Holm)" in each.sentence for each in results)
    assert len(airmile.compare(path, by="cc", baseline="b").results) == 2


def test_differences_that_resemble_their_neighbours_are_compared_in_blocks(tmp_path: Path) -> None:
    walk = np.cumsum(np.random.default_rng(4).normal(0, 1, 60))
    rows = [(n, cc, v) for n in range(60) for cc, v in (("a", 50.0), ("b", 50.0 + walk[n]))]
    rows = [(n, cc, v + (n % 2) * 0.01) for n, cc, v in rows]
    (result,) = airmile.compare(csv(tmp_path / "x.csv", "iteration,cc,x", rows), metric="x",
                                by="cc").results  # fmt: skip
    found = result.difference
    assert found.blocks is not None and found.blocks < 20
    assert found.effective_n < 20
    assert found.test == "sign flips of blocks"
    assert any("resemble their neighbours" in note for note in found.notes)


def test_few_pairs_say_that_they_cannot_show_anything(tmp_path: Path) -> None:
    rows = [(n, cc, v) for n in range(5) for cc, v in (("a", n), ("b", n + 10 + n / 10))]
    (result,) = airmile.compare(
        csv(tmp_path / "x.csv", "iteration,cc,x", rows), metric="x", by="cc"
    ).results
    assert not result.shown
    assert any("5 pairs cannot show a difference" in note for note in result.difference.notes)


def test_needed_trials_are_of_a_published_or_given_difference(trials: Path) -> None:
    (published,) = airmile.compare(trials).results[0].needed
    assert (published.difference, published.source[:13]) == (1.1, "HWY18 table 1")
    given, _ = airmile.compare(trials, difference=0.1).results[0].needed
    assert given.trials is not None and published.trials is not None
    assert given.trials > published.trials
    found = airmile.compare(trials).results[0].difference
    assert found.needs(1.1) == published.trials


def test_an_unknown_pair_gives_no_needed_trials(tmp_path: Path) -> None:
    rows = [(n, cc, n + RANDOM.normal(20)) for n in range(9) for cc in "xy"]
    found = airmile.compare(csv(tmp_path / "x.csv", "iteration,cc,rate_mbps", rows), by="cc")
    assert found.results[0].needed == []
    assert found.table["needed_trials"].to_pylist() == [None]


def test_a_table_has_a_row_for_each_comparison_and_each_group(trials: Path) -> None:
    found = airmile.compare(trials)
    assert found.table.num_rows == 1
    assert found.group_table["group"].to_pylist() == ["cubic", "bbr"]
    assert found.group_table["sd"].to_pylist()[0] == pytest.approx(float(CUBIC.std(ddof=1)), 1e-4)
    document = found.document()
    assert document["comparisons"][0]["sentence"] == found.sentences[0]


def test_pictures_are_drawn_of_what_there_is(tmp_path: Path) -> None:
    assert names(_with_radio(tmp_path)) == [
        "cdf-rate_mbps", "sinr-rate_mbps", "handovers-rate_mbps", "cdf-delay_ms", "sinr-delay_ms",
        "handovers-delay_ms", "rate-delay",
    ]  # fmt: skip


def names(found: Comparison) -> list[str]:
    return [name for name, _ in found.figures()]


def _with_radio(folder: Path) -> Comparison:
    rows = [
        (n, cc, v[n], 100 + v[n] * (1 + n % 3), v[n] + 3, n % 2)
        for cc, v in (("cubic", CUBIC), ("bbr", BBR))
        for n in range(24)
    ]
    header = "iteration,cc,rate_mbps,delay_ms,sinr_mean_db,handovers"
    path = csv(folder / "x.csv", header, rows)
    return airmile.compare(path, by="cc", metric=["rate_mbps", "delay_ms"])


def test_means_of_rate_and_delay_have_their_intervals(tmp_path: Path) -> None:
    found = _with_radio(tmp_path)
    figure = dict(found.figures())["rate-delay"]
    (axes,) = figure.axes
    assert axes.get_xlabel() == "mean delay_ms (ms)"
    drawn = axes.containers[0]
    row = found.group_table.to_pylist()[0]
    (x,), (y,) = drawn[0].get_data()
    vertical = drawn[2][1].get_segments()[0]
    assert y == pytest.approx(row["mean"])
    assert vertical[:, 1].tolist() == pytest.approx([row["low"], row["high"]])
    assert x > 100


def test_a_comparison_with_itself_shows_nothing(tmp_path: Path) -> None:
    claimed = 0
    random = np.random.default_rng(11)
    for number in range(40):
        channel = random.normal(10, 3, 20)
        rows = [(n, cc, channel[n] + random.normal()) for n in range(20) for cc in "ab"]
        path = csv(tmp_path / f"{number}.csv", "iteration,cc,rate_kbps", rows)
        claimed += airmile.compare(path, by="cc").results[0].shown
    assert claimed <= 5


def dataset(
    path: Path, flows: list[dict[str, Any]], table: str, rows: list[dict[str, Any]]
) -> Path:
    write(path, {"flows": flows}, {})
    (path / table).mkdir(exist_ok=True)
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    parquet.write_table(typed(table, columns), path / table / "part-0.parquet")
    return path


def trial(number: int, **own: Any) -> dict[str, Any]:
    return {
        "trial": number, "seed": 1, "iteration": number, "congestion_control": "cubic",
        "rate_bps": 1e7, "trustworthy": True, "kind": "download", "port": 80, "uid": number,
        "background": None, "sinr_mean_db": None, "handovers": None, **own,
    }  # fmt: skip


def test_trials_of_a_testbed_are_pairs_of_their_iterations(tmp_path: Path) -> None:
    rows = [
        trial(10 * n + more, iteration=n, seed=1 + n // 8, congestion_control=cc,
              rate_bps=1e6 * (values[n] + 5))
        for more, (cc, values) in enumerate((("cubic", CUBIC), ("bbr", BBR)))
        for n in range(24)
    ]  # fmt: skip
    rows += [trial(900, iteration=1, background=1, rate_bps=9e9)]
    rows += [trial(901, iteration=1, trustworthy=False, rate_bps=9e9)]
    path = dataset(tmp_path / "runs.airmile", [flow(1)], "trials", rows)
    found = airmile.compare(path)
    (result,) = found.results
    assert (result.difference.pairs, result.difference.unit) == (24, "bps")
    assert result.difference.value == pytest.approx(1e6 * float((BBR - CUBIC).mean()))
    assert found.group_table["series"].to_pylist() == [3, 3]
    assert found.notes[0] == "runs: 1 trials of untrustworthy runs are left out"
    fewer = airmile.compare(path, where="seed <= 2 -- the first drives")
    assert fewer.results[0].difference.pairs == 16
    with pytest.raises(airmile.UsageError, match="nothing"):
        airmile.compare(path, where="nothing > 1")
    with pytest.raises(airmile.UsageError):
        airmile.compare(path, where="true) UNION (SELECT 1")


def test_flows_of_trials_know_iteration_and_control(tmp_path: Path) -> None:
    ways = (("cubic", CUBIC), ("bbr", BBR))
    uids = {(cc, n): 100 * at + n for at, (cc, _) in enumerate(ways) for n in range(24)}
    flows = [
        flow(uids[cc, n], ul_rate_bps=1e6 * (values[n] + 5))
        for cc, values in ways
        for n in range(24)
    ]
    trials = [trial(uid, iteration=n, congestion_control=cc) for (cc, n), uid in uids.items()]
    path = dataset(tmp_path / "runs.airmile", flows, "trials", trials)
    found = airmile.compare(path, table="flows", metric="ul_rate_bps", by="congestion_control")
    assert found.results[0].difference.pairs == 24


def test_restarts_of_a_dataset_show_a_middlebox(tmp_path: Path) -> None:
    flows, gaps = [], []
    for turn in range(24):
        for port, restart in ((80, "reset"), (7777, "none")):
            uid = turn * 10 + (port == 80)
            flows.append(
                flow(uid, server_port=port, ue=f"10.0.0.{turn}", dl_rate_bps=1e6 + uid**2 % 97)
            )
            gaps += [{"uid": uid, "direction": "downlink", "restart": restart}] * 2
            gaps.append({"uid": uid, "direction": "uplink", "restart": "none"})
    path = dataset(tmp_path / "ports.airmile", flows, "idle_gaps", gaps)
    middlebox = airmile.compare(path, by="port").middlebox
    assert middlebox is not None
    assert middlebox.ports == ["80"]


def test_trials_of_an_older_version_give_what_they_have(tmp_path: Path) -> None:
    uids = [(cc, n) for cc in ("cubic", "bbr") for n in range(8)]
    flows = [flow(at, ul_rate_bps=1e6 * (5 + at % 3 + n)) for at, (_, n) in enumerate(uids)]
    rows = [
        {"uid": at, "iteration": n, "congestion_control": cc} for at, (cc, n) in enumerate(uids)
    ]
    path = dataset(tmp_path / "runs.airmile", flows, "trials", rows)
    (result,) = airmile.compare(path, table="flows", metric="ul_rate_bps").results
    assert result.difference.pairs == 8
    (path / "idle_gaps").mkdir()
    gaps = typed("idle_gaps", {"uid": [0], "direction": ["downlink"]})
    parquet.write_table(gaps, path / "idle_gaps" / "part-0.parquet")
    assert airmile.compare(path, table="flows", metric="ul_rate_bps").results[0].shown is not None


def test_trials_without_flows_add_nothing_to_flows(tmp_path: Path) -> None:
    flows = [
        flow(n, ue=f"10.0.0.{n}", server_port=80 if n % 2 else 7777, ul_rate_bps=1e6 * (n % 5 + 1))
        for n in range(12)
    ]
    path = dataset(tmp_path / "runs.airmile", flows, "trials", [{"trial": 1, "kind": "ping"}])
    (result,) = airmile.compare(path, table="flows", metric="ul_rate_bps", by="port").results
    assert result.difference.a.word == "subscriber"
    with pytest.raises(airmile.UsageError, match="no 'congestion_control' to group by"):
        airmile.compare(path, table="flows", metric="ul_rate_bps")
