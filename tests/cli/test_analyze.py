"""`airmile analyze`: the verdict in every format, conditions, and output folders."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
import struct
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.cli.conftest import LINK, WINDOW, Airmile


def test_a_capture_in_the_place_of_a_verb_is_analysed(airmile: Airmile, tmp_path: Path) -> None:
    said = airmile(LINK)
    assert said.code == 0
    assert said.out.startswith("Capture ")
    assert "Mainly the access link" in said.out
    assert (tmp_path / "monitor.airmile" / "manifest.json").exists()


def test_the_text_names_verdict_evidence_and_where_to_look(airmile: Airmile) -> None:
    said = airmile("analyze", WINDOW)
    assert "receive window" in said.out.split("Limited by")[1].splitlines()[0]
    for heading in ("Capture", "Limited by", "Why", "Input", "Next", "Tables"):
        assert f"\n{heading}" in f"\n{said.out}"
    assert 'airmile query monitor.airmile "SELECT' in said.out
    assert max(len(line) for line in said.out.splitlines()) <= 120
    assert "\x1b" not in said.out
    assert said.err == ""


def test_json_has_the_fields_of_the_contract(airmile: Airmile) -> None:
    document = json.loads(airmile("analyze", WINDOW, "--format", "json").out)
    assert {
        *("schema", "scope", "limited_by", "shares", "link_is_bottleneck", "used_bps"),
        *("available_bps", "link_demand_ratio", "source", "quality", "flows", "transfers"),
    } <= set(document)
    assert document["limited_by"] == "receive_window"
    assert document["link_is_bottleneck"] is False
    assert sum(document["shares"].values()) == pytest.approx(1)
    for transfer in document["transfers"]:
        if transfer["limited_by"] is not None:
            assert sum(transfer["shares"].values()) == pytest.approx(1)


@pytest.mark.parametrize("form", ["ndjson", "csv"])
def test_tables_go_to_the_next_program(airmile: Airmile, form: str) -> None:
    said = airmile("analyze", LINK, "--format", form)
    first: dict[str, object] = (
        json.loads(said.out.splitlines()[0])
        if form == "ndjson"
        else dict(next(csv.DictReader(io.StringIO(said.out))))
    )
    assert str(first["server_port"]) == "80"


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_binary_formats_are_what_they_say(
    airmile: Airmile, tmp_path: Path, form: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    from airmile.cli import run

    assert run(["analyze", str(LINK), "-o", str(tmp_path / "x"), "--format", form, "-q"]) == 0
    data = capfdbinary.readouterr().out
    table = (
        parquet.read_table(io.BytesIO(data))
        if form == "parquet"
        else pa.ipc.open_stream(data).read_all()
    )
    assert table["server_port"].to_pylist() == [80]
    assert table.schema.field("start_ns").metadata[b"unit"] == b"ns"


def test_markdown_is_a_section_of_a_report(airmile: Airmile) -> None:
    said = airmile("analyze", LINK, "--format", "md")
    assert said.out.startswith("## ")
    assert "| limited by | share of time |" in said.out


def test_an_existing_dataset_is_refused_without_overwrite(airmile: Airmile) -> None:
    assert airmile(LINK).code == 0
    again = airmile(LINK)
    assert again.code == 2
    assert "--overwrite" in again.err
    assert airmile(LINK, "--overwrite").code == 0


def test_standard_input_is_read(airmile: Airmile, tmp_path: Path) -> None:
    said = airmile("-", stdin=gzip.decompress(WINDOW.read_bytes()))
    assert said.code == 0
    assert "receive window" in said.out
    assert (tmp_path / "stdin.airmile").is_dir()


def test_where_judges_only_some_flows(airmile: Airmile) -> None:
    said = airmile("analyze", LINK, "--where", "server_port = 443")
    assert said.code == 0
    assert "nothing to judge" in said.out


def test_fail_if_is_an_exit_code(airmile: Airmile) -> None:
    holds = airmile("analyze", WINDOW, "--fail-if", "share_receive_window > 0.3")
    assert holds.code == 4
    assert "receive window" in holds.out
    other = airmile("analyze", LINK, "-o", "link", "--fail-if", "share_receive_window > 0.9")
    assert other.code == 0


def test_fail_if_says_which_condition_held_and_by_what_value(airmile: Airmile) -> None:
    said = airmile(
        *("analyze", WINDOW, "-q", "--fail-if", "share_receive_window > 0.3 AND flows < 2"),
        *("--fail-if", "flows > 5", "--fail-if", "link_demand_ratio > 0.5"),
    )
    assert said.code == 4
    lines = said.err.splitlines()
    held = "--fail-if: share_receive_window > 0.3 AND flows < 2 holds: share_receive_window = 0."
    assert lines[0].startswith(held) and lines[0].endswith(", flows = 1")
    assert lines[1:] == [
        "--fail-if: link_demand_ratio > 0.5 is unknown (null), which is no failure: "
        "link_demand_ratio = null"
    ]


def test_a_condition_that_does_not_hold_says_nothing(airmile: Airmile) -> None:
    said = airmile("analyze", LINK, "-q", "--fail-if", "limited_by = 'receive_window'")
    assert (said.code, said.err) == (0, "")


@pytest.mark.parametrize("option", ["--where", "--fail-if"])
def test_a_wrong_condition_is_found_before_the_capture_is_read(
    airmile: Airmile, tmp_path: Path, option: str
) -> None:
    said = airmile("analyze", LINK, option, "no_such_column > 1")
    assert said.code == 2
    assert option in said.err
    assert "no_such_column" in said.err
    assert not list(tmp_path.glob("*.airmile"))


def test_an_unknown_condition_is_said_and_is_no_failure(airmile: Airmile) -> None:
    said = airmile("analyze", LINK, "--fail-if", "link_demand_ratio > 0.5")
    assert said.code == 0
    assert "unknown" in said.err


def test_quiet_says_nothing_beside_the_data(airmile: Airmile) -> None:
    assert airmile("analyze", LINK, "--format", "csv", "-q").err == ""


def test_the_number_of_threads_does_not_change_a_byte(airmile: Airmile) -> None:
    one = airmile("analyze", LINK, "-o", "one", "--threads", "1", "--format", "csv").out
    two = airmile("analyze", LINK, "-o", "two", "--threads", "2", "--format", "csv").out
    assert one == two


def test_packets_without_their_headers_are_no_tcp_flow(airmile: Airmile, tmp_path: Path) -> None:
    # IPv4 and the first 14 bytes of TCP, before 1,000 bytes of payload (snap length 34).
    ip = bytes.fromhex("450004100000400040060000 cb007109 0a000001".replace(" ", ""))
    tcp = bytes.fromhex("01bb9c40 00000001 00000001 5010".replace(" ", ""))
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 34, 101)
    record = struct.pack("<IIII", 1_600_000_000, 0, 34, 1040) + ip + tcp
    (tmp_path / "cut.pcap").write_bytes(header + record * 3)
    said = airmile("analyze", "cut.pcap")
    assert "0 TCP flows" in said.out
    assert "1 row of packets without ports: transport headers cut" in " ".join(said.out.split())
    said = airmile(
        "query", "cut.airmile", "SELECT dl_payload_bytes, dl_unique_bytes, quality FROM flows",
        "--format", "csv",
    )  # fmt: skip
    assert said.out.splitlines()[1:] == ['3000,,"no_header"']


def test_a_dataset_in_the_place_of_a_capture_gives_its_verdict(airmile: Airmile) -> None:
    fresh = airmile("analyze", LINK, "-o", "x.airmile")
    again = airmile("x.airmile")
    assert (again.code, again.out, again.err) == (0, fresh.out, "")
    assert json.loads(airmile("x.airmile", "--format", "json").out)["limited_by"] == "lte_downlink"
    assert airmile("x.airmile", "-q", "--fail-if", "share_lte_downlink > 0.1").code == 4
    said = airmile("x.airmile", "--where", "server_port = 81")
    assert (said.code, "uid" in said.out) == (0, False)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--samples"], "--samples needs the packets"),
        (["-o", "y.airmile"], "--out needs the packets"),
        (["--set", "bandwidth.min_send_bps=1"], "--set needs the packets"),
        ([LINK], "x.airmile is a dataset\n\nhint: name it alone"),
    ],
)
def test_a_dataset_has_no_packets(airmile: Airmile, words: list[str | Path], message: str) -> None:
    airmile("analyze", LINK, "-o", "x.airmile", "-q")
    said = airmile("analyze", "x.airmile", *words)
    assert said.code == 2
    assert message in said.err


def test_a_folder_of_captures_with_a_manifest_of_others_is_analysed(
    airmile: Airmile, tmp_path: Path
) -> None:
    (tmp_path / "captures").mkdir()
    (tmp_path / "captures" / "manifest.json").write_text('{"name": "theirs"}')
    shutil.copy(LINK, tmp_path / "captures")
    assert "Mainly the access link" in airmile("captures", "-q").out


def test_an_error_in_a_condition_begins_with_what_is_wrong(airmile: Airmile) -> None:
    said = airmile("analyze", LINK, "--fail-if", "no_such_column > 1").err
    assert "--fail-if: Referenced column" in " ".join(said.split())
    assert "Binder Error" not in said
