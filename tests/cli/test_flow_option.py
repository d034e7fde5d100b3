"""The option `--flow` of `analyze` and `plot` finds a flow by uid, rank or server."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

import airmile as am
from airmile._errors import UsageError
from airmile.answers.verdict import _flows
from tests.cli.conftest import EMU, Airmile
from tests.support.handmade import flow, write


def test_a_flow_has_its_own_vantage(airmile: Airmile, tmp_path: Path) -> None:
    captures = EMU / "a_link_cubic" / "ue.pcap.gz", EMU / "c_rwnd" / "server.pcap.gz"
    both = am.analyze(*captures, out=tmp_path / "both.airmile")
    assert both.manifest["vantage"]["value"] is None
    for server, place, taken in (
        ("10.73.0.2", "ue", "at the phone, by the handshake"),
        ("server.example", "server", "at the server, by the handshake (a proxy that answers"),
    ):
        said = " ".join(airmile("analyze", "both.airmile", "--flow", server).out.split())
        assert f"captured {taken}" in said and f"1 TCP flow captured {taken.split(',')[0]}" in said
        written = airmile("analyze", "both.airmile", "--flow", server, "--format", "json").out
        assert json.loads(written)["vantage"] == place
    both_said = " ".join(airmile("analyze", "both.airmile").out.split())
    assert "capture point unknown" in both_said


def test_frames_are_reported_with_the_file_that_counts_them(tmp_path: Path) -> None:
    captures = EMU / "a_link_cubic" / "ue.pcap.gz", EMU / "c_rwnd" / "server.pcap.gz"
    both = am.analyze(*captures, out=tmp_path / "both.airmile")
    for heavy, name in zip(both.verdict.flows, ("ue", "server"), strict=True):
        spans = [str(line) for line in heavy.evidence if "frames" in str(line)]
        assert spans and all(text.endswith(f" of {name}.pcap.gz") for text in spans)
        assert heavy.evidence[0].to_dict()["files"] == [f"{name}.pcap.gz"]
    alone = am.analyze(captures[0], out=tmp_path / "alone.airmile").verdict.flows[0].evidence[0]
    assert "frames" in str(alone) and ".pcap" not in str(alone)


def test_what_lies_in_several_files_has_no_frames(tmp_path: Path) -> None:
    whole = gzip.decompress((EMU / "c_rwnd" / "monitor.pcap.gz").read_bytes())
    at, ends = 24, []
    while at < len(whole):
        at += 16 + int.from_bytes(whole[at + 8 : at + 12], "little")
        ends.append(at)
    half = ends[len(ends) // 2]
    (tmp_path / "1.pcap").write_bytes(whole[:half])
    (tmp_path / "2.pcap").write_bytes(whole[:24] + whole[half:])
    both = am.analyze(tmp_path / "1.pcap", tmp_path / "2.pcap", out=tmp_path / "both.airmile")
    shown = [str(line) for line in both.verdict.flows[0].evidence]
    (again,) = (text for text in shown if "retransmitted" in text)
    assert again.endswith("in 1.pcap and 2.pcap") and "frame" not in again
    assert any(re.search(r"frames .+ of [12]\.pcap$", text) for text in shown)


def test_what_is_days_after_the_first_packet_has_a_date(airmile: Airmile, tmp_path: Path) -> None:
    first = bytearray(gzip.decompress((EMU / "c_rwnd" / "monitor.pcap.gz").read_bytes()))
    (tmp_path / "1.pcap").write_bytes(first)
    at = 24
    while at < len(first):
        later = int.from_bytes(first[at : at + 4], "little") + 3 * 86_400
        first[at : at + 4] = later.to_bytes(4, "little")
        at += 16 + int.from_bytes(first[at + 8 : at + 12], "little")
    (tmp_path / "2.pcap").write_bytes(first)
    said = airmile("analyze", "1.pcap", "2.pcap", "-o", "both.airmile").out
    assert "from 0.00 to 11.13 s" in said and "2592" not in said
    assert re.search(r"from 20\d\d-\d\d-\d\d [\d:.]+ to [\d:.]+ UTC", " ".join(said.split()))
    listed = airmile("flows", "both.airmile").out
    assert " 0.000 s " in listed and re.search(r" 20\d\d-\d\d-\d\d \S+ UTC ", listed)


@pytest.fixture
def dataset(tmp_path: Path) -> am.Dataset:
    """Return five flows: the uid of the lightest is also a rank, and the heaviest is UDP."""
    rows = [
        flow(901, server="192.0.2.1", server_name="WWW.example.org", dl_payload_bytes=500),
        flow(902, server="192.0.2.1", server_name="www.example.org", dl_payload_bytes=9000),
        flow(903, server="2001:db8::1", dl_payload_bytes=7000),
        flow(904, server="192.0.2.1", server_port=80, server_name="it's", dl_payload_bytes=8000),
        flow(2, server="192.0.2.9", dl_payload_bytes=1, ul_payload_bytes=0),
        flow(906, server="192.0.2.1", protocol="udp", dl_payload_bytes=90_000),
    ]
    return am.open(write(tmp_path / "hand.airmile", {"flows": rows}))


@pytest.mark.parametrize(
    ("wanted", "uid"),
    [
        ("904", 904),
        ("3", 904),
        ("2", 2),  # It is the uid of a flow, although the second heaviest flow is another.
        ("192.0.2.1", 902),
        ("192.0.2.1:80", 904),
        ("www.example.org", 902),
        ("WWW.Example.ORG.:443", 902),
        ("2001:db8::1", 903),
        ("2001:0DB8:0::1", 903),
        ("[2001:db8::1]:443", 903),
        ("it's:80", 904),
    ],
)
def test_a_flow_is_found(dataset: am.Dataset, wanted: str, uid: int) -> None:
    assert _flows.find(dataset, wanted).uid == uid


@pytest.mark.parametrize(
    "wanted",
    [
        *(
            "9" * 5000,
            "192.0.2.1:" + "9" * 5000,
            "0",
            "7",
            "-1",
            "1.5",
            str(2**64),
            "192.0.2.2",
            "192.0.2.1:443:1",
            "[2001:db8::1]:80",
        ),
        *("example.org", "", "' OR 1=1 --", "www.example.org:70000", "www.example.org:x"),
    ],
)
def test_what_no_flow_is_meant_by_is_refused(dataset: am.Dataset, wanted: str) -> None:
    with pytest.raises(UsageError) as refused:
        _flows.find(dataset, wanted)
    assert "no flow" in refused.value.message
    assert refused.value.hint


def test_a_flow_without_tcp_is_named_and_refused(dataset: am.Dataset) -> None:
    with pytest.raises(UsageError, match=r"flow 906 \(192\.0\.2\.1:443\) is udp"):
        _flows.find(dataset, "1")


def test_of_several_the_heaviest_is_taken_and_said(dataset: am.Dataset) -> None:
    found = _flows.find(dataset, "192.0.2.1:443")
    assert (found.rank, found.alike) == (2, 1)
    assert "2\xa0flows to 192.0.2.1:443: the heaviest is taken, uid 902" in (found.choice or "")
    assert _flows.find(dataset, "192.0.2.1:80").choice is None


def test_the_name_of_a_server_cannot_steer_the_terminal(tmp_path: Path) -> None:
    rows = [flow(1, server_name="a\x1b[2Jb"), flow(2, server_name="a\x1b[2Jb")]
    dataset = am.open(write(tmp_path / "evil.airmile", {"flows": rows}))
    assert "\x1b" not in (_flows.find(dataset, "a\x1b[2Jb").choice or "")
    with pytest.raises(UsageError) as refused:
        _flows.find(dataset, "b\x1b")
    assert "\x1b" not in refused.value.message + (refused.value.hint or "")


def test_analyze_judges_the_flow_alone(airmile: Airmile, parallel: Path) -> None:
    uid = str(am.open(parallel).verdict.flows[-1].uid)
    document = json.loads(airmile("analyze", parallel, "--flow", uid, "--format", "json").out)
    assert document["scope"] == "flow"
    assert [str(flow["uid"]) for flow in document["flows"]] == [uid]
    assert {str(transfer["uid"]) for transfer in document["transfers"]} == {uid}
    said = airmile("analyze", parallel, "--flow", uid)
    assert "1 TCP flow" in said.out and f"uid {uid}" in said.out
    assert json.loads(airmile(parallel, "--format", "json").out)["scope"] == "capture"


def test_rank_and_server_mean_the_same_in_every_verb(
    airmile: Airmile, parallel: Path, tmp_path: Path
) -> None:
    first = airmile("flows", parallel, "--top", "1", "--format", "json").out
    uid = json.loads(first)[0]["uid"]
    for wanted in ("1", uid, "10.73.0.2"):
        said = airmile("analyze", parallel, "--flow", wanted)
        assert (said.code, f"uid {uid}" in said.out) == (0, True)
        plotted = airmile("plot", parallel, "--flow", wanted, "-o", "x.xpl")
        assert plotted.code == 0
        shown = "the heaviest is taken" in said.err + plotted.err
        assert shown == (wanted == "10.73.0.2")
        quiet = airmile("plot", parallel, "--flow", wanted, "-o", "x.xpl", "-q")
        assert quiet.err == ""


def test_ranks_count_what_a_condition_leaves_out(airmile: Airmile, parallel: Path) -> None:
    flows = json.loads(airmile("flows", parallel, "--format", "json").out)
    where = f"uid <> {flows[0]['uid']}"
    said = airmile("analyze", parallel, "--where", where, "--flow", "2")
    assert f"uid {flows[1]['uid']}" in said.out
    assert (
        "no flow meets the condition"
        in airmile("analyze", parallel, "--where", where, "--flow", "1").out
    )


def test_a_flow_that_is_not_there(airmile: Airmile, parallel: Path) -> None:
    for verb in ("analyze", "plot"):
        said = airmile(verb, parallel, "--flow", "nowhere.example")
        assert (said.code, said.out) == (2, "")
        assert "no flow nowhere.example" in said.err and "rank 1" in said.err
