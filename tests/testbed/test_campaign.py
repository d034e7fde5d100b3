"""Campaigns of several runs, which can be resumed; the runs are invented."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import airmile
from airmile import InputError, OutputError, UsageError
from airmile.cli import run as cli_run
from airmile.store import _folders, _manifest
from airmile.testbed.experiment.toml_file import Experiment, parse
from airmile.testbed.hosts import unfinished
from airmile.testbed.hosts.owner import Owner
from airmile.testbed.record import outcome
from airmile.testbed.run import campaign
from airmile.testbed.run.emulated_run import run as real_run
from airmile.testbed.run.remaining import AROUND_S, Clock
from airmile.testbed.scoring import Compared, Pair, scores
from airmile.testbed.scoring.run import _capture
from tests.support.handmade import MANIFEST, typed

FACTS = {"workload_ended": "complete", "trustworthy": True, "link": {"late_us": {"p99": 230}}}


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Make each run leave one flow, and return the list of the names of runs."""
    names: list[str] = []

    def run(experiment: Experiment, out: Path, on_step: Callable[[str], None]) -> dict[str, Any]:
        if experiment.name == "broken":
            raise KeyboardInterrupt
        if experiment.name == "refused":
            raise OutputError("no room", "make some")
        on_step("running")
        names.append(experiment.name)
        (out / "flows").mkdir(parents=True)
        parquet.write_table(typed("flows", {"uid": [len(names)]}), out / "flows" / "part-0.parquet")
        manifest = {**MANIFEST, "testbed": FACTS}
        (out / "manifest.json").write_text(json.dumps(manifest))
        return FACTS

    monkeypatch.setattr(campaign, "run", run)
    return names


def experiments(*names: str) -> list[Experiment]:
    return [parse(name, {"workload": {"name": "bulk_download"}}) for name in names]


def test_a_campaign_is_a_dataset_of_its_runs(tmp_path: Path, ran: list[str]) -> None:
    lines = list(campaign.run_all(experiments("a", "b"), tmp_path / "runs"))
    assert lines == [
        "1/2  a  complete, late 0.23 ms (p99)",
        "2/2  b  complete, late 0.23 ms (p99)",
    ]
    dataset = airmile.open(tmp_path / "runs")
    assert dataset.sql("SELECT run, uid FROM flows ORDER BY run").to_pylist() == [
        {"run": "a", "uid": 1},
        {"run": "b", "uid": 2},
    ]
    assert dataset.flows["run"].to_pylist() == ["a", "b"]


def test_resume_runs_what_is_missing(tmp_path: Path, ran: list[str]) -> None:
    out = tmp_path / "runs"
    with pytest.raises(KeyboardInterrupt):
        list(campaign.run_all(experiments("a", "broken", "c"), out))
    assert ran == ["a"]
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["planned"] = [e for e in manifest["planned"] if e["name"] != "broken"]
    _manifest.put(out, manifest)
    assert list(campaign.resume(out)) == [
        "1 of 2 runs exist already",
        "1/1  c  complete, late 0.23 ms (p99)",
    ]
    assert ran == ["a", "c"]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("name", "../../a", "no experiment can be called '../../a'"),
        ("name", "/etc/a", "no experiment can be called '/etc/a'"),
        ("longest_s", 1e9, "longest_s = 1000000000.0"),
        ("options", {"flows": 10**9}, "workload.flows = 1000000000"),
        ("options", {"command": "sh"}, "workload.command is not known"),
        ("workload", "../sh", "no workload is called '../sh'"),
        ("background", [{"name": "ping", "options": {}, "start_s": -1}], "background.start_s = -1"),
        ("sysctls", {"phone": {"kernel.panic": 1}}, "hosts.phone.sysctls.'kernel.panic' is no"),
        ("routes", {"phone": {"initial_window": 10**6}}, "hosts.phone.initial_window = 1000000"),
        ("link", {"downlink": {"queue": {"bytes": 10**15}}}, "a queue holds a packet"),
        ("busy", 1000, "busy = 1000"),
        ("snap_bytes", -1, "snap_bytes = -1"),
        ("timestamp_tick_ms", 0, "hosts.phone.timestamp_tick_ms = 0"),
        ("phone_clock", {"clock_fast_ppm": 1e9}, "hosts.phone.clock_fast_ppm = 1000000000.0"),
        ("phone_clock", {"clock": 1}, "hosts.phone.clock is not known"),
        ("phone_clock", [1], "phone_clock is not a table"),
        ("proxy", {"initial_window": 0}, "proxy.initial_window = 0"),
        (
            "interface",
            {"name": "../x", "address": "1.2.3.4", "port": 1, "monitor": None, "offloads": "keep"},
            "interface = '../x'",
        ),
    ],
)
def test_what_no_file_could_plan_is_not_resumed(
    tmp_path: Path, ran: list[str], key: str, value: Any, message: str
) -> None:
    out = tmp_path / "runs"
    list(campaign.run_all(experiments("a"), out))
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["planned"][0] |= {key: value, **({} if key == "name" else {"name": "b"})}
    _manifest.put(out, manifest)
    with pytest.raises(InputError) as raised:
        list(campaign.resume(out))
    assert message in raised.value.message
    assert ran == ["a"]


def test_other_settings_under_the_same_name_are_refused(tmp_path: Path, ran: list[str]) -> None:
    list(campaign.run_all(experiments("a"), tmp_path))
    other = parse("a", {"workload": {"name": "bulk_download"}, "longest_s": 5})
    with pytest.raises(UsageError, match="another experiment called a"):
        list(campaign.run_all([other], tmp_path))


def test_another_description_is_no_other_experiment(tmp_path: Path, ran: list[str]) -> None:
    (first,) = experiments("a")
    list(campaign.run_all([first], tmp_path))
    list(campaign.run_all([replace(first, description="in other words")], tmp_path))
    assert ran == ["a"]


def test_the_time_left_is_reported(tmp_path: Path, ran: list[str]) -> None:
    shown: list[str] = []
    list(campaign.run_all(experiments("a", "b"), tmp_path, shown.append))
    assert shown[0].startswith("1/2  a  running  up to ")
    assert shown[1].startswith("2/2  b  running  about ")


def test_the_time_left_is_what_is_allowed_and_then_what_the_others_took() -> None:
    seconds = iter([0.0, 10.0, 40.0, 45.0])
    clock = Clock([60, 60, 60], lambda: next(seconds))
    assert clock.left() == f"up to {180 + 3 * AROUND_S - 10:.0f} s left"
    clock.over()
    assert clock.left() == "about 75 s left"


def test_another_dataset_is_not_overwritten(tmp_path: Path, ran: list[str]) -> None:
    text = json.dumps({"schema": 1, "inputs": []})
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(UsageError, match="is a dataset, not a folder of runs") as raised:
        list(campaign.run_all(experiments("a"), tmp_path))
    assert raised.value.hint == "name another folder with -o"
    assert (tmp_path / "manifest.json").read_text() == text
    assert ran == []


def test_what_is_named_twice_is_run_once(tmp_path: Path, ran: list[str]) -> None:
    assert len(list(campaign.run_all(experiments("a", "a"), tmp_path))) == 1
    assert ran == ["a"]


def test_a_folder_that_is_there_is_said_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="exists already"):
        real_run(experiments("a")[0], tmp_path)


def test_one_that_fails_does_not_keep_the_others_from_being_run(
    tmp_path: Path, ran: list[str]
) -> None:
    lines = list(campaign.run_all(experiments("a", "refused", "c"), tmp_path))
    assert ran == ["a", "c"]
    assert lines[1] == "2/3  refused  FAILED: no room\n  make some"
    assert [isinstance(line, campaign.Failed) for line in lines] == [False, True, False]
    assert next(iter(campaign.resume(tmp_path))) == "2 of 3 runs exist already"


def test_the_command_ends_with_1_where_a_run_failed(tmp_path: Path, ran: list[str]) -> None:
    words = ["testbed", "run", "-q", "-o", str(tmp_path / "runs")]
    files = {name: str(tmp_path / f"{name}.toml") for name in ("a", "refused")}
    for file in files.values():
        Path(file).write_text("")
    assert cli_run([*words, files["a"]]) == 0
    assert cli_run([*words, files["refused"]]) == 1
    assert cli_run(["testbed", "resume", "-q", str(tmp_path / "runs")]) == 1


def test_seed_and_seeds_exclude_each_other(
    tmp_path: Path, ran: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["testbed", "run", "ping", "-o", str(tmp_path), "--seed", "3", "--seeds", "2"]
    assert cli_run(words) == 2
    assert "--seed and --seeds exclude each other" in capsys.readouterr().err


def test_two_campaigns_in_one_folder_keep_each_others_runs(tmp_path: Path, ran: list[str]) -> None:
    one = campaign.run_all(experiments("a", "b"), tmp_path)
    next(one)
    list(campaign.run_all(experiments("c", "b"), tmp_path))
    assert list(one) == ["2/2  b  another campaign has run it"]
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert [each["name"] for each in manifest["planned"]] == ["a", "b", "c"]
    assert manifest["runs"] == ["a.airmile", "b.airmile", "c.airmile"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"planned": [', r"manifest\.json: not JSON"),
        ("3", r"manifest\.json: not a JSON object"),
        ('{"planned": 3}', "another version of airmile planned"),
        ('{"planned": [{"name": "a"}]}', "another version of airmile planned"),
        ('{"planned": [{"name": "a", "sysctls": {}, "colour": 1}]}', "another version of airmile"),
        (
            '{"planned": [{"name": "a", "sysctls": {"server": {"vm.swappiness": 1}}}]}',
            "is not a setting of a network",
        ),
    ],
)
def test_a_broken_manifest_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=message) as raised:
        list(campaign.resume(tmp_path))
    assert "manifest.json" in raised.value.message
    assert raised.value.hint


def test_a_run_with_a_broken_manifest_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.airmile").mkdir()
    (tmp_path / "a.airmile" / "manifest.json").write_text('{"testbed": {')
    with pytest.raises(InputError, match=r"a\.airmile/manifest\.json: not JSON") as raised:
        list(scores.of(tmp_path))
    assert raised.value.hint == f"remove {tmp_path}/a.airmile and run it again"
    (tmp_path / "a.airmile" / "manifest.json").write_text("{}")
    with pytest.raises(InputError, match="not a run of the testbed"):
        outcome.manifest_of(tmp_path / "a.airmile")


def test_what_is_still_being_written_is_no_run(tmp_path: Path, ran: list[str]) -> None:
    list(campaign.run_all(experiments("a"), tmp_path))
    (tmp_path / "a.airmile").rename(tmp_path / ".a.airmile.part")
    with pytest.raises(InputError, match="no run"):
        campaign.runs(tmp_path)


def test_where_nothing_ran_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no campaign"):
        list(campaign.resume(tmp_path))
    with pytest.raises(InputError, match="no run"):
        list(scores.of(tmp_path))


def test_a_run_without_the_capture_is_named(
    tmp_path: Path, ran: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    list(campaign.run_all(experiments("a", "b"), tmp_path))
    for name in ("a", "b"):
        (tmp_path / f"{name}.airmile" / "truth_labels").mkdir()
    with pytest.raises(InputError, match=r"no run has a ue\.pcap"):
        list(scores.of(tmp_path, "ue"))
    (tmp_path / "a.airmile" / "ue.pcap").write_bytes(b"")
    assert scores.lacking(tmp_path, "ue") == ["b"]
    cli_run(["testbed", "score", str(tmp_path), "--capture", "ue"])
    assert "b: not scored, it has no ue.pcap" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("compared", "text"),
    [
        (Compared((Pair(11, 10), Pair(None, 5)), "ratio"), "1 of 2 answered, mean error 10.0%"),
        (Compared((Pair(250.0, 251.5),), "ms"), "1 case, mean error 1.5 ms, worst 1.5 ms"),
        (Compared((Pair(3, 3), Pair(4, 6)), "packets"), "7 packets said, 9 true; 1 case right"),
        (Compared((Pair("none", "none"), Pair("none", "reset"))), "2 cases, 1 right"),
        (Compared((Pair(None, 5),), "ms"), "0 of 1 answered"),
    ],
)
def test_how_well_a_quantity_agrees(compared: Compared, text: str) -> None:
    assert text in str(compared)


def test_a_campaign_without_runs_says_so(tmp_path: Path, ran: list[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        list(campaign.run_all(experiments("broken"), tmp_path))
    dataset = airmile.open(tmp_path)
    for ask in (lambda: dataset.sql("SELECT * FROM flows"), lambda: dataset.verdict):
        with pytest.raises(UsageError) as raised:
            ask()
        assert raised.value.hint == (
            f"none of its runs is finished yet: airmile testbed resume {tmp_path}"
        )


def test_what_comes_after_the_runs_is_said(
    tmp_path: Path, ran: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "broken"):
        (tmp_path / f"{name}.toml").write_text("")
    out = tmp_path / "runs"
    assert cli_run(["testbed", "run", str(tmp_path / "a.toml"), "-o", str(out)]) == 0
    assert f"`airmile testbed score {out}`" in capsys.readouterr().err
    assert cli_run(["testbed", "run", str(tmp_path / "broken.toml"), "-o", str(out)]) == 130
    assert f"hint: airmile testbed resume {out}" in capsys.readouterr().err


@pytest.mark.parametrize("link", ["a.airmile", "monitor.pcap", "flows", "manifest.json"])
def test_a_link_in_a_campaign_is_refused_by_name(tmp_path: Path, ran: list[str], link: str) -> None:
    out, elsewhere = tmp_path / "runs", tmp_path / "elsewhere"
    list(campaign.run_all(experiments("a", "b"), out))
    run = out / "a.airmile"
    (run / "monitor.pcap").write_bytes(b"")
    place = run if link == run.name else run / link
    place.rename(elsewhere)
    place.symlink_to(elsewhere)
    with pytest.raises(InputError, match="link") as refused:
        if link == "monitor.pcap":
            _capture(run, "monitor")
        airmile.open(out)
    assert link in refused.value.message
    if link in ("a.airmile", "manifest.json"):
        with pytest.raises(InputError, match="link"):
            campaign.runs(out)


def test_writing_into_a_campaign_from_outside_follows_no_link(
    tmp_path: Path, ran: list[str]
) -> None:
    out, mine = tmp_path / "runs", tmp_path / "mine"
    list(campaign.run_all(experiments("a"), out))
    mine.mkdir()
    (mine / "thesis.tex").write_text("mine")
    (out / _folders.HALF_MANIFEST).symlink_to(mine / "thesis.tex")
    (out / ".b.airmile.part").symlink_to(mine)
    list(campaign.run_all(experiments("b"), out))
    with pytest.raises(OutputError, match="link"):
        unfinished._begin(out / ".b.airmile.part", Owner.new())
    assert {path.name: path.read_text() for path in mine.iterdir()} == {"thesis.tex": "mine"}


def test_what_was_planned_in_no_unicode_is_refused_and_leaves_no_half(
    tmp_path: Path, ran: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    list(campaign.run_all(experiments("a"), tmp_path))
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    manifest["planned"][0]["description"] = "\ud800"
    (tmp_path / "manifest.json").write_text(
        json.dumps({key: value for key, value in manifest.items() if key != _manifest.SEAL})
    )
    before = sorted(path.name for path in tmp_path.iterdir())
    assert cli_run(["testbed", "resume", "-q", str(tmp_path)]) == 3
    assert "'\\ud800' is not Unicode text" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("sender", "server' OR 1 = 1 --"),
        ("sender", 3),
        ("experiment", []),
        ("experiment", {"direction": "downlink'; --", "routes": {}, "proxy": None}),
        ("experiment", {"direction": "downlink", "routes": {"' THEN 1 --": {}}, "proxy": None}),
        ("experiment", {"direction": "downlink", "routes": {}, "proxy": {"ports": ["1) --"]}}),
        ("untrustworthy_because", "because"),
    ],
)
def test_what_is_known_of_a_run_is_checked(tmp_path: Path, key: str, value: Any) -> None:
    usual: dict[str, Any] = {"direction": "downlink", "routes": {}, "proxy": None}
    facts = {**FACTS, "experiment": usual, "sender": "server"}
    manifest = {**MANIFEST, "testbed": facts}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert outcome.manifest_of(tmp_path) == facts
    (tmp_path / "manifest.json").write_text(
        json.dumps({**manifest, "testbed": {**facts, key: value}})
    )
    with pytest.raises(InputError, match=r"manifest\.json: testbed\."):
        outcome.manifest_of(tmp_path)
