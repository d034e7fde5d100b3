"""The values that are read from the kernel's tcp_info, and how unknown ones appear."""

from __future__ import annotations

import struct
from pathlib import Path

from pyarrow import parquet

from airmile.testbed.record.senders import COLUMNS, _line
from airmile.testbed.truth import tables

ALL = 240
"""The size of a tcp_info with every field that is read."""


def read(size: int = ALL, **words: int) -> dict[str, str]:
    """Read an INET_DIAG message whose tcp_info has the given words, by `at_OFFSET`."""
    info = bytearray(size)
    for name, value in words.items():
        struct.pack_into("=I", info, int(name.removeprefix("at_")), value)
    head = bytes([0, 1, 0, 0]) + struct.pack("!HH", 80, 5000)
    attribute = struct.pack("=HH", 4 + len(info), 2) + bytes(info)
    (line,) = _line(head.ljust(72, b"\0") + attribute, "1700000000.000000")
    return dict(zip(COLUMNS.split(","), line.rstrip("\n").split(","), strict=True))


def test_a_threshold_that_no_loss_has_set_is_unknown() -> None:
    assert read(at_76=0x7FFFFFFF)["ssthresh"] == ""
    assert read(at_76=28)["ssthresh"] == "28"


def test_a_round_trip_before_the_first_sample_is_unknown() -> None:
    assert read(at_148=0xFFFFFFFF)["min_rtt_us"] == ""
    assert read(at_148=34_000)["min_rtt_us"] == "34000"


def test_what_an_older_kernel_does_not_report_is_unknown() -> None:
    short = read(192, at_80=10, at_168=90_000)
    assert (short["cwnd"], short["busy_us"]) == ("10", "90000")
    assert (short["snd_wnd"], short["rcv_wnd"]) == ("", "")
    shorter = read(104)
    assert (shorter["busy_us"], shorter["pacing_bps"], shorter["total_retrans"]) == ("", "", "0")


def test_unknowns_are_null_in_the_table(tmp_path: Path) -> None:
    row = read(192, at_76=0x7FFFFFFF, at_148=0xFFFFFFFF)
    (tmp_path / "senders_server.csv").write_text(f"{COLUMNS}\n{','.join(row.values())}\n")
    query = tables._queries(tmp_path)["truth_tcp"]
    (found,) = tables._answer(query, tmp_path).to_pylist()
    unknown = ("ssthresh", "min_rtt_us", "snd_wnd", "rcv_wnd")
    assert [found[name] for name in unknown] == [None] * 4
    assert found["cwnd"] == 0


def test_a_run_is_read_under_its_own_name_alone(tmp_path: Path) -> None:
    for name, cwnd in (("run[1]", "7"), ("run1", "8")):
        (tmp_path / name).mkdir()
        row = {**read(192), "cwnd": cwnd}
        file = tmp_path / name / "senders_server.csv"
        file.write_text(f"{COLUMNS}\n{','.join(row.values())}\n")
    tables.collect(tmp_path / "run[1]")
    part = tmp_path / "run[1]" / "truth_tcp" / "part-0.parquet"
    assert parquet.read_table(part)["cwnd"].to_pylist() == [7]
