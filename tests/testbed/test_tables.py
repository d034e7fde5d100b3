"""The tables of a run from its CSV files, and the labels that follow from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import airmile
from airmile.store import _truth_tables
from airmile.testbed.hosts.sockets import Senders
from airmile.testbed.record.senders import COLUMNS
from airmile.testbed.truth import labels, tables

TTIS = (
    "t_unix,tti,q_start,prb_avail,bytes_avail_full_tti,prb_alloc,served,state,sched_other,blocked,"
    "late_us,qdisc,prb_retx,tbs_bytes,prb_other,sinr_db"
)
START = 1_700_000_000


def folder(path: Path, downlink: list[str], sender: list[dict[str, int]]) -> Path:
    """Write the files of a run with one flow."""
    path.mkdir()
    (path / "truth_dl.csv").write_text("\n".join([TTIS, *downlink]) + "\n")
    (path / "truth_ul.csv").write_text(TTIS + "\n")
    (path / "events.csv").write_text(
        "t_unix,event,dir,sport,dport,seq,payload,x\n"
        f"{START}.000250,rrc_promotion,UL,,,,,251.500\n"
        f"{START}.100250,wired_loss,DL,80,5000,12345,1448,0.000\n"
    )
    (path / "arrivals.csv").write_text("ns,end,bytes,payload\n98457,Phone,60,0\n")
    (path / "senders_server.csv").write_text("\n".join([COLUMNS, *map(line, sender)]) + "\n")
    (path / "manifest.json").write_text(json.dumps({"schema": 1}))
    return path


def tti(number: int, queue: int, state: str) -> str:
    rest = f"{min(queue, 2500)},{state},0,0,20,0,0,2500,0,"
    return f"{START}.{number * 1000:06d},{number},{queue},50,2500,50,{rest}"


def line(values: dict[str, int]) -> str:
    known: dict[str, object] = {"sport": 80, "dport": 5000, "cwnd": 10, **values}
    known["t_unix"] = f"{START + values.get('t_unix', 0) / 1000:.6f}"
    known["cc"] = "cubic"
    # Without pacing the kernel's value, all ones, is written as an empty field.
    return ",".join(
        "" if name == "pacing_bps" else str(known.get(name, 0)) for name in COLUMNS.split(",")
    )


def test_the_tables_hold_what_was_written(tmp_path: Path) -> None:
    run = folder(tmp_path / "run", [tti(0, 0, "UNDERFLOW"), tti(1, 3000, "ACTIVE")], [{}])
    tables.collect(run)
    truth = airmile.open(run)
    assert [row["time_ns"] - START * 10**9 for row in truth.truth_ttis.to_pylist()] == [0, 10**6]
    assert truth.truth_ttis["direction"].to_pylist() == ["downlink"] * 2
    assert truth.truth_ttis["blocked"].to_pylist() == [None, None]
    promotion, loss = truth.truth_events.to_pylist()
    assert (promotion["value"], promotion["source_port"]) == (251.5, None)
    assert (loss["direction"], loss["sequence"]) == ("downlink", 12345)
    assert truth.truth_packets["end"].to_pylist() == ["phone"]
    assert truth.truth_tcp.to_pylist()[0]["pacing_bps"] is None
    assert not list(run.glob("*.csv"))


def test_every_column_says_what_it_is(tmp_path: Path) -> None:
    run = folder(tmp_path / "run", [tti(0, 0, "UNDERFLOW")], [{}])
    tables.collect(run)
    for name, (_, columns) in _truth_tables.TABLES.items():
        if name == "truth_labels":
            continue
        schema = airmile.open(run).table(name).schema
        assert schema.names == [column.name for column in columns]
        assert all(schema.field(n).metadata[b"doc"] for n in schema.names)


@pytest.mark.parametrize(
    ("queued", "sender", "label"),
    [
        # Nothing was sent in this bin.
        (0, [{"t_unix": 0}, {"t_unix": 90}], "idle_or_app"),
        # 80 of the 100 TTIs had a queue.
        (80, [{"t_unix": 0}, {"t_unix": 90, "busy_us": 90_000}], "link"),
        # The kernel's clock of the receive window ran for more than 30 ms.
        (79, [{"t_unix": 0}, {"t_unix": 90, "busy_us": 90_000, "rwnd_lim_us": 31_000}], "rwnd"),
        # A timeout has precedence over a queue.
        (90, [{"t_unix": 0}, {"t_unix": 90, "busy_us": 90_000, "ca_state": 4}], "rto_loss"),
    ],
)
def test_a_label_follows_from_queue_and_sender(
    tmp_path: Path, queued: int, sender: list[dict[str, int]], label: str
) -> None:
    ttis = [
        tti(n, 3000 if n < queued else 0, "ACTIVE" if n < queued else "UNDERFLOW")
        for n in range(100)
    ]
    # The window is full, so that a sender that waits is not starved by its application.
    full = [{"unacked": 10, "notsent": 1, **sample} for sample in sender]
    run = folder(tmp_path / "run", ttis, full)
    tables.collect(run)
    labels.write(airmile.open(run), "downlink", Senders("server"))
    found = airmile.open(run).truth_labels.to_pylist()
    assert [row["label"] for row in found] == [label]
    assert found[0]["active_ttis"] == queued
