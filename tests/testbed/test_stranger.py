"""What an untrusted experiment can do: the guide's table says it, and a test proves each line."""

from __future__ import annotations

import errno
import os
import pkgutil
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from airmile import InputError, OutputError, UsageError
from airmile.testbed import load, load_all, workloads
from airmile.testbed.experiment import controls
from airmile.testbed.experiment.toml_file import parse
from tests.testbed import (
    test_campaign,
    test_experiment,
    test_host_settings,
    test_options,
    test_recordings,
    test_rights,
)

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "testbed.md"

root = pytest.mark.skipif(
    "AIRMILE_TESTBED" not in os.environ,
    reason="makes network namespaces: make testbed-test, as root",
)


@pytest.mark.parametrize(
    "table",
    [
        {"workload": {"name": "sh"}},
        {"workload": {"name": "../../sh"}},
        {"workload": {"name": "_client"}},
        {"workload": {"name": "ping", "command": "sh"}},
        {"workload": {"name": "sequence", "steps": [{"name": "sh"}]}},
        {"background": [{"name": "os"}]},
        {"environment": {"LD_PRELOAD": "x.so"}},
        {"workload": {"name": "http_files", "configuration": "x"}},
    ],
)
def test_it_names_no_program(table: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        parse("x", table)


def test_every_module_of_a_workload_is_listed() -> None:
    modules = {each.name for each in pkgutil.iter_modules(workloads.__path__)}
    assert {name for name in modules if not name.startswith("_")} == set(workloads.NAMES)


@root
@pytest.mark.parametrize("place", ["server", "core", "phone"])
def test_no_way_leads_out_of_its_namespaces(place: str) -> None:
    from airmile.testbed.hosts import leftovers
    from airmile.testbed.hosts.namespaces import Hosts

    with leftovers.begun() as owner:
        hosts = Hosts(owner.mark)
        hosts.create()
        with hosts.inside(place), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asks:
            with pytest.raises(OSError, match="unreachable") as raised:
                asks.connect(("198.51.100.1", 53))
            assert raised.value.errno == errno.ENETUNREACH


@pytest.mark.parametrize(
    "address", ["example.org", "198.51.100.1 or ip", "::1", "0.0.0.0/0", "", 3405803777]
)
def test_a_server_is_one_address(address: object) -> None:
    with pytest.raises(UsageError, match=r"server\.address"):
        parse("x", {"interface": "eth0", "server": {"address": address}})


def test_a_congestion_control_that_the_kernel_has_not_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "available").write_text("reno cubic\n")
    (tmp_path / "modules").write_text("kernel/net/ipv4/tcp_vegas.ko.xz:\nkernel/fs/evil.ko:\n")
    monkeypatch.setattr(controls, "AVAILABLE", tmp_path / "available")
    monkeypatch.setattr(controls, "MODULES", tmp_path / "modules")
    for has in ("cubic", "vegas", "westwood"):
        controls.check({"congestion_control": has})
    for has_not in ("evil", "../evil", "vegas.ko", "/tmp/x"):
        with pytest.raises(OutputError, match="this kernel does not have it"):
            controls.check({"congestion_control": has_not})


def test_a_sweep_names_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text('[sweep]\ndescription = ["../../a", "/etc/b"]\n')
    assert [one.name for one in load_all(file)] == ["x-.._.._a", "x-_etc_b"]


@pytest.mark.parametrize("text", ["longest_s = 7201", "[workload]\nseconds = 7201"])
def test_a_run_lasts_two_hours_at_most(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match="7201"):
        load(file)


def test_a_sweep_has_two_thousand_runs_at_most(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text("sweep.seeds = 2001")
    with pytest.raises(UsageError, match="2001 experiments"):
        load_all(file)


def test_what_it_says_steers_no_terminal(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    wrong = (r'"a\u001b[2J" = 1', r'network = "\u001b[2J"', r'workload.name = "\u001b[2J"', "a\x1b")
    for text in wrong:
        file.write_text(text)
        with pytest.raises((InputError, UsageError)) as raised:
            load(file)
        assert f"{raised.value.message}{raised.value.hint or ''}".isprintable()


TESTED: Mapping[str, tuple[Callable[..., None], ...]] = {
    "programs": (
        test_it_names_no_program,
        test_every_module_of_a_workload_is_listed,
        test_rights.test_what_lies_in_the_current_folder_is_not_run,
    ),
    "rights": (
        test_rights.test_only_the_probe_of_the_kernel_is_root_and_none_outlives_the_runner,
        test_rights.test_who_has_become_nobody_cannot_go_back,
    ),
    "network": (test_no_way_leads_out_of_its_namespaces,),
    "`interface`": (test_a_server_is_one_address,),
    "settings of the kernel": (
        test_host_settings.test_a_setting_of_the_machine_is_refused_when_it_is_read,
    ),
    "`congestion_control`": (test_a_congestion_control_that_the_kernel_has_not_is_refused,),
    "files that are read": (
        test_recordings.test_what_is_not_beside_the_experiment_is_not_read,
        test_recordings.test_a_pipe_and_an_endless_file_are_no_recordings,
        test_recordings.test_a_bad_recording_is_named,
    ),
    "files that are written": (
        test_a_sweep_names_no_folder,
        test_rights.test_what_helpers_write_is_in_a_folder_that_they_cannot_enter,
    ),
    "sizes": (
        test_experiment.test_what_is_absurd_is_refused_by_name,
        test_options.test_a_value_that_makes_no_sense_is_named,
    ),
    "time": (
        test_a_run_lasts_two_hours_at_most,
        test_a_sweep_has_two_thousand_runs_at_most,
    ),
    "text": (test_what_it_says_steers_no_terminal,),
    "a folder of runs": (test_campaign.test_what_no_file_could_plan_is_not_resumed,),
}
"""The tests that prove each line of the table, by the line's first cell."""


def test_every_line_of_the_guide_has_its_tests() -> None:
    _, _, rest = GUIDE.read_text().partition("| subject | such a file can |")
    table, _, _ = rest.partition("\n\n")
    assert [line.split(" | ")[0].removeprefix("| ") for line in table.splitlines()[2:]] == list(
        TESTED
    )
