"""Links that follow a recording: capacity traces and series of SINR."""

from __future__ import annotations

from pathlib import Path

import pytest

import airmile
from airmile import InputError, UsageError
from airmile.testbed import load, simulate
from airmile.testbed.recordings import write_trace

SET = Path(__file__).parents[1] / "data" / "emu" / "t01_downlink_queue"


def experiment(folder: Path, rate: str) -> Path:
    file = folder / "x.toml"
    file.write_text(f"[workload]\nname = 'bulk_download'\n[link.downlink]\nrate = {rate}\n")
    return file


def test_a_trace_beside_the_experiment_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.down").write_text("0\n3\n3\n\n10\n")
    file = experiment(tmp_path, '{ kind = "trace", file = "a.down" }')
    assert load(file).link["downlink"]["rate"] == {"kind": "trace", "ms": [0, 3, 3, 10]}


def test_a_series_beside_the_experiment_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("ms,db\n0,12.5\n100,3\n")
    rate = '{ kind = "sinr", sinr = { kind = "series", file = "a.csv" } }'
    found = load(experiment(tmp_path, rate)).link["downlink"]["rate"]["sinr"]
    assert found == {"kind": "series", "ms": [0, 100], "db": [12.5, 3]}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.down", "0\nx\n", "line 2: 'x' is not a millisecond"),
        ("a.csv", "time,db\n0,1\n", "no columns ms and db"),
        ("a.csv", "ms,db\n0,loud\n", "line 2: 'loud' is not a SINR"),
        ("a.csv", "ms,db\n0\n", "line 2: None is not a SINR"),
    ],
)
def test_a_bad_recording_is_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    trace = '{ kind = "trace", file = "a.down" }'
    series = '{ kind = "sinr", sinr = { kind = "series", file = "a.csv" } }'
    with pytest.raises(InputError, match=message):
        load(experiment(tmp_path, trace if name == "a.down" else series))


def test_a_missing_recording_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"b\.down: No such file"):
        load(experiment(tmp_path, '{ kind = "trace", file = "b.down" }'))


def test_the_trace_of_a_run_carries_what_its_link_offered(tmp_path: Path) -> None:
    run = airmile.open(SET)
    written = write_trace(run, tmp_path / "a.down")
    (offered,) = run.sql(
        "SELECT sum(available_bytes) AS bytes, count(*) AS ms FROM truth_ttis "
        "WHERE direction = 'downlink'"
    ).to_pylist()
    assert written == offered["bytes"] // 1500
    link = load(experiment(tmp_path, '{ kind = "trace", file = "a.down" }')).link
    link["downlink"] |= {"harq": {"failure": 0}, "prbs": 50}
    packets = [(n * 200_000, "core_radio", 1500, 1460) for n in range(5 * offered["ms"])]
    again = simulate(link, packets, ttis=offered["ms"])
    served = sum(again.downlink["served_bytes"].to_pylist())
    assert served == pytest.approx(offered["bytes"], rel=0.01)


def test_a_direction_without_truth_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing was offered sideways"):
        write_trace(airmile.open(SET), tmp_path / "a", direction="sideways")
