"""`airmile plot`: draws the requested flow in the requested format."""

from __future__ import annotations

import gzip
import itertools
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import airmile as am
from airmile import causes
from airmile._colours import WHITE
from airmile.draw import xplot
from airmile.draw.series import FlowSeries, flow_series
from tests.cli.conftest import EMU, LINK, WINDOW, Airmile

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    assert len(causes) > 2
    assert all(one != two for one, two in itertools.pairwise(causes))
    ends = [end for _, end, _ in lossy.slices]
    assert [start for start, _, _ in lossy.slices[1:]] == pytest.approx(ends[:-1], abs=1e-3)
    assert ends[-1] == pytest.approx(lossy.duration_s, abs=0.2)


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


def one_way(folder: Path, server: bytes, *, from_server: bool) -> Path:
    """Write the packets of one direction of a capture of raw IPv4."""
    whole = gzip.decompress(WINDOW.read_bytes())
    kept, at = bytearray(whole[:24]), 24
    while at < len(whole):
        end = at + 16 + int.from_bytes(whole[at + 8 : at + 12], "little")
        if (whole[at + 28 : at + 32] == server) is from_server:
            kept += whole[at:end]
        at = end
    capture = folder / "one-way.pcap"
    capture.write_bytes(kept)
    return capture


def series_of(capture: Path, folder: Path) -> FlowSeries:
    dataset = am.analyze(capture, out=folder / "series.airmile")
    return flow_series(dataset, dataset.flows["uid"][0].as_py())


def texts(series: FlowSeries) -> list[list[str]]:
    """Return the texts of each panel of a picture, with its legend last."""
    pytest.importorskip("matplotlib")
    from airmile.draw import picture

    return [
        [
            *(text.get_text() for text in axes.texts),
            *(text.get_text() for text in (legend.get_texts() if legend else ())),
        ]
        for axes in picture.drawn(series).axes
        for legend in [axes.get_legend()]
    ]


def test_a_capture_beside_the_receiver_shows_no_round_trip(tmp_path: Path) -> None:
    phone = series_of(LOSSY.with_name("ue.pcap.gz"), tmp_path)
    assert (phone.vantage, phone.direction) == ("ue", "downlink")
    assert not phone.round_trips[0].size and not phone.sack_round_trips[0].size
    assert not phone.in_flight[0].size
    _, _, flight, trip, rates = texts(phone)
    assert "downlink data in flight cannot be measured at the phone" in flight
    assert trip == ["the round trip of downlink data cannot be measured at the phone"]
    assert rates[-1] == "available: unknown (it cannot be measured where the data arrive)"
    assert rates[0].startswith("used, at most")
    xplot.write(phone, tmp_path / "phone.xpl")
    written = (tmp_path / "phone_rtt.xpl").read_text()
    assert "the round trip of downlink data cannot" in written.splitlines()[2]
    assert "dot" not in written


@pytest.mark.parametrize("tap", ["monitor", "server"])
def test_other_capture_points_show_round_trips(tmp_path: Path, tap: str) -> None:
    series = series_of(LOSSY.with_name(f"{tap}.pcap.gz"), tmp_path)
    assert series.vantage == tap
    assert series.round_trips[0].size and series.in_flight[0].size
    assert not set(series.unseen) & {"in_flight", "round_trips", "delivered", "windows"}


def test_what_a_capture_of_one_direction_lacks_is_said(tmp_path: Path) -> None:
    series = series_of(one_way(tmp_path, bytes([10, 73, 0, 2]), from_server=True), tmp_path)
    assert series.segments["new data"][0].size and not series.acks[0].size
    _, sequence, flight, trip, rates = texts(series)
    missing = "no ACK of the receiver was captured"
    assert flight == [missing, f"receive window: unknown ({missing})"]
    assert trip == [missing]
    assert rates == [
        missing,
        "available: unknown (it can be measured only while data queue at the link)",
    ]
    assert [text for text in sequence if "acknowledged" in text or "edge" in text] == []


def test_a_window_that_dwarfs_the_flight_leaves_the_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from airmile.draw import picture

    upload = series_of(EMU / "t02_uplink_queue" / "monitor.pcap.gz", tmp_path)
    most, window = upload.in_flight[1].max(), upload.windows[1].max()
    assert window > 10 * most
    axes = picture.drawn(upload).axes[2]
    assert axes.get_ylim()[1] * 1000 < 4 * most
    assert any("up to 1.4" in label for label in texts(upload)[2])


def test_a_rate_unknown_from_duplicate_acks_is_not_zero(tmp_path: Path) -> None:
    timeouts = series_of(EMU / "f2_loss_rto" / "monitor.pcap.gz", tmp_path)
    assert not timeouts.sacks[0].size
    ((begin, end),) = (spell for spell in timeouts.unknown if spell[1] - spell[0] > 1)
    inside = (timeouts.duplicate_acks[0] > begin) & (timeouts.duplicate_acks[0] < end)
    assert inside.sum() > 1000
    used, unknown, *_ = texts(timeouts)[4]
    assert unknown == "unknown (duplicate ACKs without SACK)"
    most = float(re.findall(r"at most ([\d.]+) Mbps", used)[0])
    assert most < 20, "eight seconds of data that one ACK acknowledges are no rate"


def test_rates_between_idle_spells_are_not_cut(lossy: FlowSeries) -> None:
    used = rates_axes(lossy, [0.0] * 140 + [1e6] * 8 + [10e6, 40e6])
    assert used.get_ylim()[1] > 40
    assert not any("higher" in str(line.get_label()) for line in used.lines)


def test_the_last_bin_of_the_rate_is_shown_as_a_whole(lossy: FlowSeries) -> None:
    pytest.importorskip("matplotlib")
    from airmile.draw.picture import drawn

    edges = np.arange(3, dtype=np.float64) * lossy.duration_s * 0.8
    longer = replace(lossy, delivered=(edges, np.full(3, 1e6)))
    assert drawn(longer).axes[0].get_xlim()[1] >= edges[-1] > lossy.duration_s


def test_a_legend_covers_no_data(lossy: FlowSeries) -> None:
    pytest.importorskip("matplotlib")
    from airmile.draw.picture import drawn

    figure = drawn(lossy)
    figure.canvas.draw()
    for axes in figure.axes:
        legend = axes.get_legend()
        if legend is not None:
            inside = axes.get_window_extent()
            assert legend.get_window_extent().y0 >= inside.y0 + 0.97 * inside.height


def test_idle_time_and_the_sides_of_an_answer_have_colours_of_their_own() -> None:
    looks = {key: cause.declared.colour for key, cause in causes.every().items()}
    assert looks["idle"] != WHITE, "white is a time without a cause"
    assert looks["round_trip"] != looks["sender_app"], "they alternate in short slices"


def test_a_rate_beyond_the_picture_is_marked(lossy: FlowSeries) -> None:
    used = rates_axes(lossy, [1e6] * 150 + [90e6])
    top = used.get_ylim()[1]
    (mark,) = (line for line in used.lines if "higher" in str(line.get_label()))
    assert top < 90 and mark.get_ydata() == [top] and mark.get_xdata() == [150.5]
    assert mark.get_label() == "higher: 1, up to 90.0 Mbps"


def rates_axes(series: FlowSeries, rates: list[float]) -> Axes:
    """Return the panel of rates, one each second, of a flow without estimates."""
    pytest.importorskip("matplotlib")
    from airmile.draw import picture

    delivered = np.arange(len(rates) + 1.0), np.array([*rates, rates[-1]])
    none = np.empty(0), np.empty(0)
    changed = replace(series, delivered=delivered, available=none)
    return picture.drawn(changed, (0.0, float(len(rates)))).axes[4]


def test_a_long_title_is_folded(lossy: FlowSeries) -> None:
    pytest.importorskip("matplotlib")
    from airmile.draw import picture

    figure = picture.drawn(replace(lossy, title="name " * 40))
    width = figure.get_size_inches()[0] * figure.dpi
    assert figure.get_suptitle().count("\n") > 1
    assert figure._suptitle.get_window_extent().x1 < width  # type: ignore[attr-defined]


def test_a_rate_with_sack_is_known_throughout(lossy: FlowSeries) -> None:
    assert lossy.duplicate_acks[0].size and lossy.unknown == []


def test_a_part_of_the_flow(airmile: Airmile, link: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert airmile("plot", link, "-o", "part.png", "--from", "1", "--to", "2").code == 0
    said = airmile("plot", link, "-o", "part.png", "--from", "2", "--to", "1")
    assert said.code == 2
    assert "--to 1 is not after --from 2" in said.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--from", "nan"], "--from nan is not a time within a flow"),
        (["--to", "inf"], "--to inf is not a time within a flow"),
        (["--from", "-1"], "--from -1 is not a time within a flow"),
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


def test_xplot_files_hold_the_requested_part(lossy: FlowSeries, tmp_path: Path) -> None:
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
    assert "c.pcap is missing; c.airmile was made from it" in gone.err


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


def test_a_long_flow_is_drawn_in_hours(lossy: FlowSeries) -> None:
    pytest.importorskip("matplotlib")
    from airmile.draw import picture

    for hours in (2, 30, 24 * 40):
        axes = picture.drawn(lossy, (0.0, hours * 3600.0)).axes[4]
        ticks = [axes.xaxis.get_major_formatter()(value) for value in axes.get_xticks()]
        assert axes.get_xlabel().startswith("hours:minutes")
        assert len(ticks) <= 13 and all(":" in tick for tick in ticks)
    seconds = picture.drawn(lossy, (0.0, 10.0)).axes[4].get_xlabel()
    assert seconds == "seconds since the first packet of the flow"
