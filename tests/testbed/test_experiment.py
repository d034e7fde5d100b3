"""Experiments: the settings that are read, those that are refused, and the errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airmile import InputError, UsageError
from airmile.testbed import load, load_all, workloads
from airmile.testbed.experiment.sweep import BUNDLED
from airmile.testbed.experiment.toml_file import parse

FILES = sorted(BUNDLED.glob("*.toml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_comes_along_can_be_run(file: Path) -> None:
    for experiment in load_all(file):
        assert experiment.description
        assert experiment.longest_s <= 300


@pytest.mark.parametrize(
    ("steps", "way"),
    [
        ([{"name": "bulk_upload"}, {"name": "paced_upload"}], "uplink"),
        ([{"name": "iperf3", "reverse": False}], "uplink"),
        ([{"name": "iperf3", "reverse": True}, {"name": "page"}], "downlink"),
        ([{"name": "ping"}, {"name": "bulk_upload"}], "uplink"),
    ],
)
def test_a_sequence_goes_the_way_of_its_steps(steps: list[dict[str, Any]], way: str) -> None:
    assert parse("x", {"workload": {"name": "sequence", "steps": steps}}).direction == way


def test_a_sequence_of_both_ways_needs_a_direction() -> None:
    both = [{"name": "bulk_upload"}, {"name": "bulk_download"}]
    table = {"workload": {"name": "sequence", "steps": both}}
    with pytest.raises(UsageError, match="direction is missing: steps go both ways"):
        parse("x", table)
    assert parse("x", {**table, "direction": "uplink"}).direction == "uplink"


def test_the_silences_of_idle_wake_are_long_enough_for_a_promotion() -> None:
    # Methods B2: 13 s without a packet, from the last one of the previous connection.
    bundled = load(BUNDLED / "idle_wake.toml")
    default = workloads.module("idle_wake").Options().gaps_s
    assert min(*bundled.options["gaps_s"], *default) >= 13.5
    assert sum(bundled.options["gaps_s"]) < bundled.longest_s


def test_the_videos_that_are_compared_meet_the_same_cell_proxy_and_player() -> None:
    names = ("bt19_ports", "bt19_micro_fetch", "bt19_speed_video")
    runs = [run for name in names for run in load_all(BUNDLED / f"{name}.toml")]
    assert len(runs) == 6
    assert all((run.link, run.proxy) == (runs[0].link, runs[0].proxy) for run in runs)
    # Competing users come and go independently of the phone's traffic.
    assert runs[0].link["downlink"]["policy"] == "round_robin"
    videos = [run.options for run in runs[:5]] + [runs[5].options["steps"][1]]
    player = ("clip_s", "segment_s", "buffer_s")
    assert {tuple(video[key] for key in player) for video in videos} == {(120, 2, 12)}


def test_a_preset_is_changed_in_parts() -> None:
    experiment = parse("x", {"link": {"downlink": {"prbs": 25}}, "network": "hspa"})
    assert experiment.link["downlink"]["prbs"] == 25
    assert experiment.link["downlink"]["air_ms"] == 8
    assert experiment.link["downlink"]["queue"]["discipline"] == "drop_tail"


def test_what_has_a_kind_is_replaced_whole() -> None:
    steps = {"kind": "steps", "hold_ms": 100, "mbps": [1, 2]}
    experiment = parse("x", {"link": {"downlink": {"rate": steps}}})
    assert experiment.link["downlink"]["rate"] == {
        "kind": "steps",
        "hold_ms": 100.0,
        "mbps": [1.0, 2.0],
    }


@pytest.mark.parametrize(
    ("table", "message", "hint"),
    [
        ({"lnk": {}}, "lnk is not known", "did you mean link?"),
        ({"network": "lte5"}, "network = 'lte5' is not known", "did you mean 'lte'?"),
        ({"workload": {"name": "bulk"}}, "no workload is called 'bulk'", None),
        (
            {"workload": {"name": "page", "page": 3}},
            "workload.page is not known",
            "did you mean workload.pages?",
        ),
        (
            {"workload": {"name": "dash", "adaptation": "speed"}},
            "workload.adaptation = 'speed': write throughput or buffer",
            None,
        ),
        (
            {"hosts": {"phone": {"sysctl": {}}}},
            "hosts.phone.sysctl is not known",
            "did you mean hosts.phone.sysctls?",
        ),
        (
            {"background": {"name": "ping"}},
            "background is not a list of tables",
            "write [[background]]",
        ),
        ({"background": [{"count": 3}]}, "background.name is missing", None),
        (
            {"background": [{"name": "ping", "counts": 3}]},
            "background.counts is not known",
            "did you mean background.count?",
        ),
        (
            {"background": [{"name": "ping", "start_s": -1}]},
            "background.start_s = -1",
            "write a number of seconds up to 7200",
        ),
        ({"longest_s": 0}, "longest_s = 0", "write a number of seconds up to 7200"),
        ({"link": {"downlink": {"prbs": 300}}}, "downlink.prbs: a carrier has 6 to 110 PRBs", None),
    ],
)
def test_what_is_wrong_is_named(table: dict[str, Any], message: str, hint: str | None) -> None:
    with pytest.raises(UsageError) as raised:
        parse("x", table)
    assert raised.value.message == message
    if hint:
        assert raised.value.hint == hint


def test_the_direction_is_that_of_the_data() -> None:
    assert parse("x", {"workload": {"name": "bulk_upload"}}).direction == "uplink"
    assert parse("x", {"workload": {"name": "iperf3"}}).direction == "downlink"
    assert parse("x", {"workload": {"name": "iperf3", "reverse": False}}).direction == "uplink"


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text("a = ")
    with pytest.raises(InputError, match=r"x\.toml: Invalid value"):
        load(file)
    with pytest.raises(InputError, match="No such file"):
        load(tmp_path / "y.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#" * 1_000_001, r"x\.toml: more than 1000000 bytes"),
        ("a = " + "[" * 100_000, r"x\.toml: brackets are nested too deeply"),
        ("a" + ".a" * 10_000 + " = 1", r"x\.toml: a: tables are nested more than 32 deep"),
        ("seed = " + "9" * 5_000, r"x\.toml: Exceeds the limit"),
        ("seed = 0x" + "f" * 5_000, r"x\.toml: seed has more than 64 bits"),
        ("[[background]]\nname = 'ping'\n" * 65, r"x\.toml: there are 65 "),
        (r'"a\u001b[2J" = 1', r"x\.toml: a\\x1b\[2J is not known"),
        (r'sweep.description = ["a\u001b[2J"]', r"no experiment can be called 'x-a\\x1b\[2J'"),
        ("busy = 1_000_000", r"x\.toml: busy = 1000000"),
        ("longest_s = 1e9", r"x\.toml: longest_s = 1000000000\.0"),
        ("link.downlink.queue.bytes = 1_000_000_000_000", r"queue.*at most 1 GB"),
        ("link.downlink.rate = { kind = 'constant', mbps = 1e9 }", "0 to 10000 Mbit/s"),
        (
            "link.downlink.competitors = [{ count = 1_000_000, "
            "rate = { kind = 'constant', mbps = 1 }, traffic = { kind = 'full' } }]",
            "at most 1000 other users",
        ),
        ("[sweep]\ndescription = ['" + "a" * 250 + "']", "a run's name has 252 letters"),
    ],
)
def test_what_is_absurd_is_refused_by_name(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "x.toml"
    file.write_text(text)
    with pytest.raises((UsageError, InputError), match=message):
        load_all(file)


def test_the_smoke_run_has_every_workload() -> None:
    from tests.testbed.smoke import experiments

    assert {experiment.workload for experiment in experiments()} == set(workloads.NAMES)


def test_captures_hold_the_headers_unless_more_is_set() -> None:
    assert parse("x", {}).snap_bytes == 96
    assert parse("x", {"snap_bytes": 262_144}).snap_bytes == 262_144


@pytest.mark.parametrize("value", [59, 262_145, "all", True])
def test_a_part_of_a_packet_that_cannot_be_captured_is_refused(value: object) -> None:
    with pytest.raises(UsageError, match="snap_bytes = "):
        parse("x", {"snap_bytes": value})
