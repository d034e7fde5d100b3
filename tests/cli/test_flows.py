"""The command `airmile flows`: flows and their bytes, sorted by size or by any column."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import LINK, Airmile, on_a_terminal
from tests.support import handmade


def listed(airmile: Airmile, source: Path, *words: str) -> list[dict[str, str]]:
    said = airmile("flows", source, *words, "--format", "csv")
    assert said.code == 0, said.err
    return list(csv.DictReader(io.StringIO(said.out)))


def test_the_heaviest_flow_comes_first(airmile: Airmile, parallel: Path) -> None:
    moved = [
        int(flow["dl_payload_bytes"]) + int(flow["ul_payload_bytes"])
        for flow in listed(airmile, parallel)
    ]
    assert len(moved) > 2
    assert moved == sorted(moved, reverse=True)
    lines = airmile("flows", parallel).out.splitlines()
    assert lines[0].split() == [
        *("rank", "start", "duration", "server", "down", "up", "limited", "by", "rtt", "resent"),
        "uid",
    ]
    assert [line.split()[0] for line in lines[2:]] == [str(n + 1) for n in range(len(moved))]


def test_a_flow_that_nothing_limited_says_why(airmile: Airmile, tmp_path: Path) -> None:
    tables: dict[str, list[dict[str, object]]] = {
        "flows": [
            handmade.flow(1, limited_by="idle", dl_payload_bytes=9),
            handmade.flow(2, limited_by_reason="control", dl_payload_bytes=8),
            handmade.flow(3, limited_by_reason="quic", protocol="udp", dl_payload_bytes=7),
            handmade.flow(4, dl_payload_bytes=6),
            handmade.flow(5, limited_by_reason="no_transfer", dl_payload_bytes=5),
        ]
    }
    path = handmade.write(tmp_path / "d", tables)
    lines = airmile("flows", path).out.splitlines()
    assert "- (small calls)" in lines[3] and "- (QUIC)" in lines[4]
    assert "(" not in lines[5], "an older dataset gives no reason"
    assert "- (no transfer seen)" in lines[6]


def test_other_formats_have_every_column(airmile: Airmile, parallel: Path) -> None:
    asked = airmile("query", parallel, "SELECT * FROM flows LIMIT 1", "--format", "csv").out
    assert list(listed(airmile, parallel)[0]) == next(csv.reader(io.StringIO(asked)))
    (flow, *_) = json.loads(airmile("flows", parallel, "--format", "json").out)
    assert flow["uid"].isdigit(), "an id of 64 bits is text in JSON"


def test_any_column_sorts_and_unknown_comes_last(airmile: Airmile, parallel: Path) -> None:
    for column, falls in (("dl_rtt_p50_ms", True), ("start_ns", False), ("ue_port", True)):
        values = [float(flow[column]) for flow in listed(airmile, parallel, "--sort", column)]
        assert values == sorted(values, reverse=falls), column
        turned = [
            float(f[column]) for f in listed(airmile, parallel, "--sort", column, "--reverse")
        ]
        assert turned == sorted(values, reverse=not falls), column
    servers = [flow["server"] for flow in listed(airmile, parallel, "--sort", "server")]
    assert servers == sorted(servers)


def test_unknown_values_are_last_both_ways(airmile: Airmile, parallel: Path) -> None:
    column = "promotion_delay_ms"
    for words in (["--sort", column], ["--sort", column, "--reverse"]):
        known = [flow[column] != "" for flow in listed(airmile, parallel, *words)]
        assert known == sorted(known, reverse=True)


def test_the_column_of_an_unusual_order_is_shown(airmile: Airmile, parallel: Path) -> None:
    lines = airmile("flows", parallel, "--sort", "dl_packets").out.splitlines()
    assert lines[0].split()[:2] == ["rank", "dl_packets"]
    assert "dl_payload_bytes" not in airmile("flows", parallel, "--sort", "dl_payload_bytes").out


def test_top_and_where_keep_the_rank_among_all(airmile: Airmile, parallel: Path) -> None:
    assert len(listed(airmile, parallel, "--top", "2")) == 2
    second = listed(airmile, parallel)[1]["uid"]
    lines = airmile("flows", parallel, "--where", f"uid = {second}").out.splitlines()
    assert len(lines) == 3
    assert lines[2].split()[0] == "2" and lines[2].split()[-1] == second


def test_the_link_is_called_cellular_where_a_modem_log_proves_it(
    airmile: Airmile, parallel: Path, tmp_path: Path
) -> None:
    assert "access link" in airmile("flows", parallel).out
    log = LINK.with_name("modem_dl.csv.gz")
    assert airmile("analyze", LINK, "--modem", log, "-o", "proved.airmile").code == 0
    assert "LTE downlink" in airmile("flows", tmp_path / "proved.airmile").out


def test_no_flow_is_said(airmile: Airmile, parallel: Path) -> None:
    said = airmile("flows", parallel, "--where", "server_port = 1")
    assert (said.code, said.out) == (0, "no flow where server_port = 1\n")


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--sort", "rtt"], "no column rtt in flows"),
        (["--sort", "rtt"], "handshake_rtt_ms"),
        (["--sort", "duratoin_s"], "did you mean duration_s"),
        (["--sort", "uid; DROP VIEW flows"], "no column"),
        (["--where", "no_such > 1"], "--where"),
        (["--top", "0"], "--top"),
    ],
)
def test_what_is_wrong_is_said(
    airmile: Airmile, parallel: Path, words: list[str], shown: str
) -> None:
    said = airmile("flows", parallel, *words)
    assert (said.code, said.out) == (2, "")
    assert shown in said.err and "hint: " in said.err


def test_a_capture_is_analysed_and_leaves_nothing(airmile: Airmile, tmp_path: Path) -> None:
    said = airmile("flows", LINK)
    assert (said.code, said.err) == (0, "")
    assert "10.73.0.2:80" in said.out
    piped = airmile("flows", "-", stdin=gzip.decompress(LINK.read_bytes()))
    assert piped.out == said.out
    assert list(tmp_path.iterdir()) == []


def test_a_cut_capture_ends_with_1(airmile: Airmile, tmp_path: Path) -> None:
    whole = gzip.decompress(LINK.read_bytes())
    (tmp_path / "cut.pcap").write_bytes(whole[: len(whole) // 2])
    said = airmile("flows", "cut.pcap")
    assert said.code == 1
    assert "10.73.0.2:80" in said.out


def test_what_is_no_capture_is_refused(airmile: Airmile) -> None:
    assert airmile("flows", "missing.pcap").code == 3
    assert airmile("flows", "missing.airmile").code == 3


@pytest.mark.parametrize("columns", [30, 60, 80, 100, 160])
def test_the_list_fits_the_terminal(tmp_path: Path, parallel: Path, columns: int) -> None:
    code, shown = on_a_terminal(tmp_path, "flows", parallel, columns=columns)
    lines = shown.decode().splitlines()
    assert code == 0
    assert max(map(len, lines)) <= columns
    missing = [name for name in ("uid", "start", "resent") if name not in shown.decode()]
    assert missing == [], "what there is no room for is named"


@pytest.mark.parametrize(
    ("unique", "said"), [(1_000_000, False), (950_001, False), (940_000, True)]
)
def test_sizes_with_repeated_bytes_are_explained(
    airmile: Airmile, tmp_path: Path, unique: int, said: bool
) -> None:
    tables = {"flows": [handmade.flow(1, dl_unique_bytes=unique, ul_unique_bytes=100)]}
    handmade.write(tmp_path / "again.airmile", tables)
    shown = airmile("flows", "again.airmile").out
    assert ("the report of a flow counts each byte once" in shown) == said
