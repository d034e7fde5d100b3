"""`airmile plot`: the flow that was asked for, in the format that was asked for."""

from __future__ import annotations

import gzip
import itertools
import os
import re
from pathlib import Path

import pytest

import airmile as am
from airmile.draw import xplot
from airmile.draw.series import FlowSeries, flow_series
from tests.cli.conftest import EMU, LINK, WINDOW, Airmile

LOSSY = EMU / "f1_loss_fastrec" / "monitor.pcap.gz"


@pytest.fixture(scope="module")
def lossy(tmp_path_factory: pytest.TempPathFactory) -> FlowSeries:
    """Return the series of a download that lost packets."""
    dataset = am.analyze(LOSSY, out=tmp_path_factory.mktemp("lossy") / "lossy.airmile")
    return flow_series(dataset, dataset.verdict.flows[0].uid)


def test_segments_are_counted_as_in_the_table_of_flows(lossy: FlowSeries, tmp_path: Path) -> None:
    dataset = am.analyze(LOSSY, out=tmp_path / "x.airmile")
    flow = dataset.flows.to_pylist()[0]
    again = lossy.segments["retransmission"][0].size
    assert again == flow["dl_retransmissions"] + flow["dl_tail_probes"] > 0
    assert lossy.duplicate_acks[0].size == flow["dl_duplicate_acks"] > 0
    assert lossy.round_trips[1].min() == pytest.approx(flow["dl_rtt_min_ms"])
    assert lossy.in_flight[1].max() >= flow["dl_in_flight_max_bytes"]
    bits = (lossy.delivered[1][:-1] * (lossy.delivered[0][1] - lossy.delivered[0][0])).sum()
    assert bits / 8 == pytest.approx(flow["dl_unique_bytes"], rel=0.001)


def test_sack_blocks_lie_between_the_ack_and_the_highest_byte(lossy: FlowSeries) -> None:
    times, left, right = lossy.sacks
    assert times.size > 0
    assert (left < right).all()
    assert left.min() > 1 and right.max() <= lossy.segments["new data"][2].max()


def test_the_verdict_covers_the_flow_and_neighbours_differ(lossy: FlowSeries) -> None:
    causes = [cause for _, _, cause in lossy.slices]
    assert all(one != two for one, two in itertools.pairwise(causes))
    assert lossy.slices[-1][1] <= lossy.duration_s + 0.2


@pytest.mark.parametrize(
    ("extension", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_pictures_by_extension(
    airmile: Airmile, link: Path, tmp_path: Path, extension: str, begins: bytes
) -> None:
    pytest.importorskip("matplotlib")
    said = airmile("plot", link, "-o", f"flow.{extension}")
    assert (said.code, said.out) == (0, f"flow.{extension}\n"), said.err
    assert (tmp_path / f"flow.{extension}").read_bytes().startswith(begins)


def test_xplot_files_of_a_capture(airmile: Airmile, tmp_path: Path) -> None:
    said = airmile("plot", WINDOW, "-o", "w.xpl")
    assert said.code == 0, said.err
    names = ["w.xpl", "w_in_flight.xpl", "w_rtt.xpl", "w_rate.xpl"]
    assert said.out.split() == names
    for name in names:
        lines = (tmp_path / name).read_text().splitlines()
        assert (lines[0], lines[1], lines[-1]) == ("timeval double", "title", "go")
        known = r"(line|dot|diamond|[ud]arrow|utick|white|green|yellow|red|purple|pink|orange|blue)"
        odd = [line for line in lines[7:-1] if not re.match(known, line)]
        assert odd == []
    assert list(tmp_path.glob("*.airmile")) == []


def test_a_part_of_the_flow(airmile: Airmile, link: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert airmile("plot", link, "-o", "part.png", "--from", "1", "--to", "2").code == 0
    said = airmile("plot", link, "-o", "part.png", "--from", "2", "--to", "1")
    assert said.code == 2
    assert "--to 1 is not after --from 2" in said.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--from", "nan"], "--from nan is no time"),
        (["--to", "inf"], "--to inf is no time"),
        (["--from", "-1"], "--from -1 is no time"),
        (["--from", "5000"], "--from 5000: the flow is "),
    ],
)
def test_a_part_that_is_none_is_refused(
    airmile: Airmile, link: Path, tmp_path: Path, words: list[str], said: str
) -> None:
    refused = airmile("plot", link, "-o", "x.xpl", *words)
    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err
    assert list(tmp_path.iterdir()) == []


def test_xplot_files_hold_the_part_that_was_asked_for(lossy: FlowSeries, tmp_path: Path) -> None:
    xplot.write(lossy.part((1.0, 2.0)), tmp_path / "part.xpl")
    for path in tmp_path.iterdir():
        words = path.read_text().split("\n", 7)[7].split()
        times = [float(word) for word in words if re.fullmatch(r"1\d{9}\.\d{6}", word)]
        assert times, path.name
        begin = lossy.start_ns / 1e9
        assert begin + 0.999 <= min(times) and max(times) <= begin + 2.001, path.name
    held = lossy.part((1.0, 2.0)).acks
    assert (held[0][0], held[0][-1]) == (1.0, 2.0)
    assert held[1][0] == lossy.acks[1][lossy.acks[0] < 1.0][-1]


def test_the_command_cuts_xplot_files(airmile: Airmile, link: Path, tmp_path: Path) -> None:
    assert airmile("plot", link, "-o", "whole.xpl").code == 0
    assert airmile("plot", link, "-o", "part.xpl", "--from", "1", "--to", "2").code == 0
    assert (tmp_path / "part.xpl").stat().st_size < (tmp_path / "whole.xpl").stat().st_size


def test_a_pipe_is_refused_before_it_is_read(airmile: Airmile, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for source in ("-", "pipe"):
        said = airmile("plot", source, "-o", "x.xpl")
        assert said.code == 2
        assert said.err.startswith(f"error: {source}: ") and "tcpdump -w FILE" in said.err


def test_what_cannot_be_drawn_is_said(airmile: Airmile, link: Path) -> None:
    unknown = airmile("plot", link, "--flow", "7", "-o", "x.xpl")
    assert unknown.code == 2
    assert "no flow 7" in unknown.err and "10.73.0.2:80" in unknown.err
    assert airmile("plot", link, "-o", "x.gif").code == 2
    assert airmile("plot", "missing.pcap", "-o", "x.xpl").code == 3


def test_captures_that_are_gone_or_changed_are_noticed(airmile: Airmile, tmp_path: Path) -> None:
    capture = tmp_path / "c.pcap"
    capture.write_bytes(gzip.decompress(WINDOW.read_bytes()))
    assert airmile("c.pcap").code == 0
    capture.write_bytes(capture.read_bytes()[:-100])
    changed = airmile("plot", "c.airmile", "-o", "x.xpl")
    assert changed.code == 3
    assert "c.pcap" in changed.err and "hint:" in changed.err
    capture.unlink()
    gone = airmile("plot", "c.airmile", "-o", "x.xpl")
    assert gone.code == 3
    assert "gone" in gone.err


def test_a_pipe_leaves_no_packets(airmile: Airmile) -> None:
    assert airmile("-", stdin=gzip.decompress(LINK.read_bytes())).code == 0
    said = airmile("plot", "stdin.airmile", "-o", "x.xpl")
    assert said.code == 3
    assert "pipe" in said.err


def test_without_matplotlib_the_extra_is_named(
    link: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    from airmile.cli import run

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert run(["plot", str(link), "-o", str(tmp_path / "x.png")]) == 5
    assert "airmile[study]" in capsys.readouterr().err
