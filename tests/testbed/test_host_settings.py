"""An experiment may set its hosts, but nothing that belongs to the whole machine."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from airmile import OutputError, UsageError
from airmile.testbed.experiment.toml_file import Experiment, parse
from airmile.testbed.hosts import namespaces

OF_THE_MACHINE = (
    "kernel.panic",
    "vm.drop_caches",
    "net/../kernel/panic",
    "net.ipv4./../../kernel.panic",
    "net...kernel.panic",
    "/proc/sys/kernel/panic",
    "net",
    "net.ipv4.tcp_sack\n",
    "",
)


@pytest.mark.parametrize("name", OF_THE_MACHINE)
def test_a_setting_of_the_machine_is_refused_when_it_is_read(name: str) -> None:
    with pytest.raises(UsageError, match="is not a setting of a network namespace") as raised:
        parse("x", {"hosts": {"phone": {"sysctls": {name: 1}}}})
    assert raised.value.message.startswith("hosts.phone.sysctls.")


def test_a_manifest_that_was_changed_by_hand_is_refused_too() -> None:
    plain = asdict(parse("x", {}))
    assert Experiment.of(plain) == parse("x", {})
    plain["sysctls"]["server"]["kernel.panic"] = 1
    with pytest.raises(UsageError, match=r"hosts\.server\.sysctls\.'kernel\.panic'"):
        Experiment.of(plain)


def test_what_is_to_be_written_is_checked_before_anything_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Made:
        @staticmethod
        def create(name: str) -> None:
            raise AssertionError(f"{name} was made")

    monkeypatch.setattr(namespaces, "library", lambda: Made)
    with pytest.raises(UsageError, match=r"hosts\.phone\.sysctls"):
        namespaces.Hosts("x", sysctls={"phone": {"vm.drop_caches": 3}}).create()


def test_what_the_kernel_refuses_is_said_with_where_to_change_it(
    tmp_path: Path,
) -> None:
    with pytest.raises(OutputError, match="phone: the kernel refuses") as raised:
        namespaces._set({str(tmp_path / "absent" / "name"): 1}, "phone")
    assert "[hosts.phone.sysctls]" in str(raised.value.hint)


@pytest.mark.parametrize(
    ("host", "message"),
    [
        (3, "hosts.phone is not a table"),
        ({"sysctls": 3}, "hosts.phone.sysctls is not a table"),
        ({"sysctls": {"net.ipv4.tcp_sack": True}}, "hosts.phone.sysctls.net.ipv4.tcp_sack = True"),
        ({"sysctls": {"net.ipv4.tcp_sack": [1]}}, "hosts.phone.sysctls.net.ipv4.tcp_sack = [1]"),
        ({"congestion_control": 3}, "hosts.phone.congestion_control = 3"),
        ({"initial_window": "10"}, "hosts.phone.initial_window = '10'"),
        ({"initial_window": 0}, "hosts.phone.initial_window = 0"),
        ({"initial_receive_window": True}, "hosts.phone.initial_receive_window = True"),
    ],
)
def test_what_is_wrong_with_a_host_is_named(host: Any, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse("x", {"hosts": {"phone": host}})
    assert raised.value.message == message
    assert raised.value.hint


@pytest.mark.parametrize("key", ["workload", "link", "hosts"])
@pytest.mark.parametrize("value", [3, "bulk_download", [1]])
def test_what_should_be_a_table_is_named(key: str, value: Any) -> None:
    with pytest.raises(UsageError) as raised:
        parse("x", {key: value})
    assert raised.value.message == f"{key} is not a table"
    assert raised.value.hint == f"write [{key}]"
