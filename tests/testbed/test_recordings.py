"""Links that follow a recording: capacity traces and series of SINR."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import airmile
from airmile import InputError, UsageError
from airmile.testbed import load, simulate
from airmile.testbed.experiment.recordings import write_trace

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
        ("a.down", "0\nsecret\n", "line 2: not a millisecond$"),
        ("a.down", "0\n-314159\n", "line 2: not a millisecond$"),
        ("a.down", "0\n314159e9\n", "line 2: not a millisecond$"),
        ("a.down", "0\n" + "9" * 5000 + "\n", "line 2: not a millisecond$"),
        ("a.down", "0\n314159\n\n27182\n", "line 4: the time is before that of the previous line$"),
        ("a.csv", "time,db\n0,1\n", "lacks the columns ms and db"),
        ("a.csv", "ms,db\n0,secret\n", "line 2: not a SINR in dB$"),
        ("a.csv", "ms,db\n0,nan\n", "line 2: not a SINR in dB$"),
        ("a.csv", "ms,db\n0\n", "line 2: not a SINR in dB$"),
        ("a.csv", 'ms,db\n0,"' + "1" * 200_000 + '"\n', "line 1: not CSV$"),
        ("a.csv", "secret:314159\n", "lacks the columns ms and db\n"),
    ],
)
def test_a_bad_recording_is_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    trace = '{ kind = "trace", file = "a.down" }'
    series = '{ kind = "sinr", sinr = { kind = "series", file = "a.csv" } }'
    with pytest.raises(InputError, match=message) as raised:
        load(experiment(tmp_path, trace if name == "a.down" else series))
    for content in ("secret", "314159", "27182"):
        assert content not in raised.value.message


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../a.down", "further/a.down", "./a.down", "link", "", ".", ".."]
)
def test_what_is_not_beside_the_experiment_is_not_read(tmp_path: Path, name: str) -> None:
    for folder in (tmp_path, tmp_path / "own", tmp_path / "own" / "further"):
        folder.mkdir(exist_ok=True)
        (folder / "a.down").write_text("0\n3\n")
    (tmp_path / "own" / "link").symlink_to(tmp_path / "a.down")
    file = experiment(tmp_path / "own", f'{{ kind = "trace", file = "{name}" }}')
    with pytest.raises((UsageError, InputError)) as raised:
        load(file)
    assert raised.value.message.endswith(
        (f"file = {name!r} is not beside the experiment", "Is a directory", "not an ordinary file")
    )


def test_a_pipe_and_an_endless_file_are_no_recordings(tmp_path: Path) -> None:
    rate = '{ kind = "trace", file = "a.down" }'
    os.mkfifo(tmp_path / "a.down")
    with pytest.raises(InputError, match="not an ordinary file"):
        load(experiment(tmp_path, rate))
    (tmp_path / "a.down").unlink()
    with (tmp_path / "a.down").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(InputError, match="more than 16000000 bytes"):
        load(experiment(tmp_path, rate))


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
    with pytest.raises(UsageError, match="the link could carry nothing sideways"):
        write_trace(airmile.open(SET), tmp_path / "a", direction="sideways")
