"""The command `airmile doctor`: its findings about this machine and about faulty captures."""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import LINK, Airmile
from tests.support import diag

HEADER = 24


def records(capture: bytes) -> list[bytes]:
    """Split a little-endian capture into its records."""
    found, at = [], HEADER
    while at < len(capture):
        length = 16 + struct.unpack_from("<I", capture, at + 8)[0]
        found.append(capture[at : at + length])
        at += length
    return found


@pytest.fixture(scope="module")
def whole() -> bytes:
    """Return a capture without faults."""
    return gzip.decompress(LINK.read_bytes())


def capture_findings(airmile: Airmile, path: Path) -> tuple[int, dict[str, dict[str, Any]]]:
    said = airmile("doctor", path, "--format", "json")
    found = json.loads(said.out)["capture"]
    return said.code, {finding["topic"]: finding for finding in found}


def test_the_machine(airmile: Airmile) -> None:
    said = airmile("doctor", "--format", "json")
    assert said.code == 0
    found = {finding["topic"]: finding for finding in json.loads(said.out)["machine"]}
    assert {"airmile", "Python", "packages", "memory", "this directory", "recording"} <= set(found)
    assert "profile" in found["airmile"]["found"]
    assert "duckdb" in found["packages"]["found"]
    assert "matplotlib" in found["extra study"]["found"]
    assert airmile("doctor").out.startswith("Machine ")


def test_leftovers_of_other_runs_stand_last(airmile: Airmile, whole: bytes, tmp_path: Path) -> None:
    (tmp_path / ".old.airmile.123.partial").mkdir()
    (tmp_path / "good.pcap").write_bytes(whole)
    for file in ([], ["good.pcap"]):
        said = airmile("doctor", *file).out
        at = said.index("left behind: .old.airmile.123.partial")
        assert said.rindex("Machine ") < said.index("recording: ") < at
        assert not file or said.index("Capture ") < said.index("place: ") < at
        assert said[:at].splitlines()[-1].startswith("Leftovers ")
    found = json.loads(airmile("doctor", "--format", "json").out)
    assert [each["topic"] for each in found["machine"]][-1] == "left behind"


def test_a_good_capture_has_no_warning(airmile: Airmile, whole: bytes, tmp_path: Path) -> None:
    (tmp_path / "good.pcap").write_bytes(whole)
    code, found = capture_findings(airmile, tmp_path / "good.pcap")
    assert code == 0
    assert {finding["status"] for finding in found.values()} == {"ok"}, found


def test_of_a_folder_each_finding_about_a_file_names_it(
    airmile: Airmile, whole: bytes, tmp_path: Path
) -> None:
    folder = tmp_path / "captures"
    folder.mkdir()
    (folder / "good.pcap").write_bytes(whole)
    (folder / "cut.pcap").write_bytes(whole[:-10])
    said = airmile("doctor", folder, "--format", "json")
    found = json.loads(said.out)["capture"]
    (broken,) = (each for each in found if each["status"] == "error")
    assert broken["file"].endswith("cut.pcap")
    assert {Path(each["file"]).name for each in found if each["topic"] == "clock"} == {
        *("cut.pcap", "good.pcap")
    }
    assert "cut.pcap: " in " ".join(airmile("doctor", folder).out.split())
    (alone,) = {
        each["file"]
        for each in json.loads(airmile("doctor", LINK, "--format", "json").out)["capture"]
    }
    assert alone is None


def test_a_missing_handshake_and_a_missing_direction(
    airmile: Airmile, whole: bytes, tmp_path: Path
) -> None:
    (tmp_path / "late.pcap").write_bytes(whole[:HEADER] + b"".join(records(whole)[500:]))
    _, late = capture_findings(airmile, tmp_path / "late.pcap")
    assert late["mid stream"]["status"] == "warning"
    assert "before the transfers" in late["mid stream"]["advice"]
    # The version is at the start of a raw record's frame; byte 12 begins the source address.
    up = [record for record in records(whole) if record[16 + 12 : 16 + 16] == b"\x0a\x49\x09\x02"]
    assert 0 < len(up) < len(records(whole))
    (tmp_path / "half.pcap").write_bytes(whole[:HEADER] + b"".join(up))
    _, half = capture_findings(airmile, tmp_path / "half.pcap")
    assert half["one sided"]["status"] == "warning"


def test_a_clock_that_steps_back_and_a_cut_file(
    airmile: Airmile, whole: bytes, tmp_path: Path
) -> None:
    found = records(whole)
    found[2000:2100], found[2100:2200] = found[2100:2200], found[2000:2100]
    cut = b"".join([whole[:HEADER], *found])[:-10]
    (tmp_path / "odd.pcap").write_bytes(cut)
    code, shown = capture_findings(airmile, tmp_path / "odd.pcap")
    assert code == 1
    assert shown["clock"]["status"] == "warning"
    assert shown["file"]["status"] == "error"


def test_what_cannot_be_read_is_a_finding(airmile: Airmile, tmp_path: Path) -> None:
    (tmp_path / "junk").write_bytes(b"\x00" * 100)
    code, found = capture_findings(airmile, tmp_path / "junk")
    assert code == 3
    assert (found["file"]["status"], list(found)) == ("error", ["file"])
    assert "junk" in found["file"]["found"] and found["file"]["advice"]
    shown = airmile("doctor", "missing.pcap")
    assert shown.code == 3
    assert "ERROR   file: missing.pcap" in shown.out


def test_a_capture_without_tcp_is_an_error(airmile: Airmile, whole: bytes, tmp_path: Path) -> None:
    """A packet that is not IP, such as ARP, leaves nothing to analyse."""
    odd = struct.pack("<IIII", 1000, 0, 28, 28) + bytes(28)
    (tmp_path / "arp.pcap").write_bytes(whole[:HEADER] + odd)
    code, found = capture_findings(airmile, tmp_path / "arp.pcap")
    assert code == 1
    assert found["content"]["status"] == "error"
    assert "flows" not in found


def test_cut_headers_are_not_called_missing_tcp(
    airmile: Airmile, whole: bytes, tmp_path: Path
) -> None:
    """Raw IPv4 records of 30 bytes contain an IP header and half of a TCP header."""
    cut = [
        record[:8] + struct.pack("<I", 30) + record[12:16] + record[16 : 16 + 30]
        for record in records(whole)[:100]
    ]
    head = whole[:16] + struct.pack("<I", 30) + whole[20:HEADER]
    (tmp_path / "cut.pcap").write_bytes(head + b"".join(cut))
    code, found = capture_findings(airmile, tmp_path / "cut.pcap")
    assert code == 1
    content = found["content"]
    assert content["status"] == "error"
    assert "100 packets of TCP without the header" in content["found"].replace("\u00a0", " ")
    assert "snap length was 30 bytes" in content["found"]
    assert "-s 128" in content["advice"]


def test_segments_in_fragments_are_a_finding(
    airmile: Airmile, whole: bytes, tmp_path: Path
) -> None:
    """Each large packet becomes a first fragment with the headers, and one without them."""
    halves = b"".join(half for record in records(whole)[:300] for half in fragments(record))
    (tmp_path / "fragments.pcap").write_bytes(whole[:HEADER] + halves)
    _, found = capture_findings(airmile, tmp_path / "fragments.pcap")
    assert found["fragments"]["status"] == "warning"
    assert "MSS" in found["fragments"]["advice"]
    assert "content" not in found, "they are joined"


def fragments(record: bytes) -> list[bytes]:
    """Split a raw IPv4 packet behind 800 bytes (RFC 791 section 3.2)."""
    seen, packet = record[:8], record[16:]
    length, (size,) = 20 + 800, struct.unpack_from(">H", packet, 2)
    if size <= length:
        return [record]

    def part(size: int, field: int, kept: bytes) -> bytes:
        ip = packet[:2] + struct.pack(">H", size) + packet[4:6] + struct.pack(">H", field)
        data = ip + packet[8:20] + kept
        return seen + struct.pack("<II", len(data), size) + data

    return [
        part(length, 0x2000, packet[20:length]),
        part(20 + size - length, 100, packet[length:]),
    ]


def test_steps_of_the_clock_do_not_lengthen_a_capture(
    airmile: Airmile, whole: bytes, tmp_path: Path
) -> None:
    """The second half of the records is thirty years later than the first."""
    found = records(whole)
    half = len(found) // 2
    later = [
        struct.pack("<I", struct.unpack_from("<I", record)[0] + 946_080_000) + record[4:]
        for record in found[half:]
    ]
    (tmp_path / "whole.pcap").write_bytes(whole)
    (tmp_path / "jump.pcap").write_bytes(b"".join([whole[:HEADER], *found[:half], *later]))
    length = airmile("whole.pcap").out.split("  ")[1:]
    plain = next(part for part in length if part.endswith(" s"))
    first_line = " ".join(airmile("jump.pcap").out.split("Limited by")[0].split())
    assert f"{plain} (clock steps left out)" in first_line
    assert "clock steps left out" in airmile("info", "jump.pcap").out


def test_the_log_of_a_modem_without_allocations_says_what_it_holds(
    airmile: Airmile, tmp_path: Path
) -> None:
    begin_ms = 1_700_000_000_000
    other = b"".join(diag.log(0xB0EE, begin_ms + n, bytes(8)) for n in range(5))
    (tmp_path / "phone.qmdl").write_bytes(other)
    said = airmile("doctor", tmp_path / "phone.qmdl", "--format", "json")
    found = {finding["topic"]: finding for finding in json.loads(said.out)["log"]}
    assert found["allocations"]["status"] == "warning"
    assert found["allocations"]["found"] == "no allocation: the log holds 0xB0EE (5)"


def test_the_log_of_a_modem_with_versions_and_layouts_that_do_not_hold(
    airmile: Airmile, tmp_path: Path
) -> None:
    begin_ms = 1_700_000_000_000
    # No block has this size. Version 99 is unknown, and version 40 is not confirmed.
    blocks = [diag.Block(ms, 50, 1500) for ms in range(1000, 1100)]
    unknown = diag.log(diag.PDSCH_STAT, begin_ms + 1200, bytes([99, 0, 0, 0]))
    wrong = diag.log(diag.PDSCH_STAT, begin_ms + 1300, bytes([40, 1, 0, 0, *bytes(40)]))
    (tmp_path / "phone.qmdl").write_bytes(diag.stream(blocks, begin_ms) + unknown + wrong)
    said = airmile("doctor", tmp_path / "phone.qmdl", "--format", "json")
    found = {finding["topic"]: finding for finding in json.loads(said.out)["log"]}
    assert said.code == 0
    assert found["file"]["status"] == "ok" and "5 records" in found["file"]["found"]
    assert "version 99 not understood" in found["version"]["found"]
    assert "0xB173 version 40 refused: " in found["layout"]["found"]
    assert "0xB173 v24 size 100 of 100" in found["self-checks"]["found"]
    assert found["self-checks"]["status"] == "note"
