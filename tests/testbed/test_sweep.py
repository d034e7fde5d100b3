"""Sweeps: the experiments of a file, and the errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airmile import UsageError
from airmile.testbed import load, load_all
from airmile.testbed.experiment.sweep import expand, find

TABLE: dict[str, Any] = {
    "workload": {"name": "bulk_download"},
    "sweep": {
        "seeds": 2,
        "network": ["hspa", "lte"],
        "hosts.server.congestion_control": ["cubic", "reno"],
    },
}


def test_every_combination_has_its_name_and_the_seed_varies_first() -> None:
    found = dict(expand("x", TABLE))
    assert list(found) == [
        "x-hspa-cubic-1",
        "x-hspa-cubic-2",
        "x-hspa-reno-1",
        "x-hspa-reno-2",
        "x-lte-cubic-1",
        "x-lte-cubic-2",
        "x-lte-reno-1",
        "x-lte-reno-2",
    ]
    assert found["x-lte-reno-2"] == {
        "workload": {"name": "bulk_download"},
        "network": "lte",
        "hosts": {"server": {"congestion_control": "reno"}},
        "seed": 2,
    }


def test_without_a_sweep_there_is_one() -> None:
    assert list(expand("x", {"network": "lte"})) == [("x", {"network": "lte"})]


def test_other_seeds_may_be_wanted() -> None:
    assert [name for name, _ in expand("x", {}, [7])] == ["x-7"]
    assert [name for name, _ in expand("x", {"sweep": {"seeds": 9}}, 2)] == ["x-1", "x-2"]


def test_a_sysctl_keeps_its_dots_and_a_table_is_named_by_its_place() -> None:
    sweep = {
        "hosts.phone.sysctls.net.ipv4.tcp_sack": [0],
        "link.rrc": [{"sleep_after_ms": 0}],
        "proxy.slow_start_restart": [True],
    }
    ((name, table),) = expand("x", {"sweep": sweep})
    assert name == "x-0-1-true"
    assert table["hosts"]["phone"]["sysctls"] == {"net.ipv4.tcp_sack": 0}
    assert table["link"]["rrc"] == {"sleep_after_ms": 0}


def test_a_table_of_a_list_is_counted_from_1() -> None:
    beside = [{"name": "ping"}, {"name": "bulk_download"}]
    ((_, table),) = expand("x", {"background": beside, "sweep": {"background.2.bytes": [9]}})
    assert table["background"] == [{"name": "ping"}, {"name": "bulk_download", "bytes": 9}]
    with pytest.raises(UsageError, match=r"background\.3\.bytes: 3 is not a table"):
        list(expand("x", {"background": beside, "sweep": {"background.3.bytes": [9]}}))


@pytest.mark.parametrize(
    ("sweep", "message"),
    [
        ([], "sweep is not a table"),
        ({"network": "lte"}, "sweep.network = 'lte'"),
        ({"network": []}, "sweep.network = []"),
        ({"seeds": 0}, "seeds = 0"),
        ({"seeds": 2001}, "sweep: 2001 experiments"),
        ({"seeds": 10**15}, "sweep: 1000000000000000 experiments"),
        ({"seed": list(range(10**5))}, "sweep: 100000 experiments"),
        ({"network": ["lte", "hspa", "lte"]}, "sweep.network: two values are called lte"),
        ({"description": ["a/b", "a_b"]}, "sweep.description: two values are called a_b"),
        ({"longest_s": [1, "1"]}, "sweep.longest_s: two values are called 1"),
        ({"link.rrc": [{}, {}]}, "sweep.link.rrc: two values are called 1"),
        ({"seeds": [4, 4]}, "sweep: two experiments are called x-4"),
        ({"era": ["a-b", "a"], "seed": ["c", "b-c"]}, "sweep: two experiments are called x-a-b-c"),
        ({"network.rate": [1]}, "sweep.network.rate: network is not a table"),
    ],
)
def test_what_is_no_sweep_is_named(sweep: Any, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        list(expand("x", {"network": "lte", "sweep": sweep}))
    assert raised.value.message == message


def test_a_part_of_a_sweep_is_found_by_its_name() -> None:
    names = [one.name for one in find("eff14_b-lte-*-1")]
    assert names == [f"eff14_b-lte-{control}-1" for control in ("cubic", "reno", "westwood")]
    assert len(find("eff14_b-3g-cubic-2")) == 1
    for unknown in ("eff14_b-5g-*", "eff15", "eff15-lte"):
        with pytest.raises(UsageError, match="no experiment is called"):
            find(unknown)


def test_a_file_says_whether_it_is_one_experiment(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text('[sweep]\nnetwork = ["lte", "lte5"]\n')
    with pytest.raises(UsageError, match="contains a sweep, not one experiment"):
        load(file)
    with pytest.raises(UsageError, match=r"x\.toml: network = 'lte5' is not known"):
        load_all(file)
    file.write_text('[sweep]\nnetwork = "lte"\n')
    with pytest.raises(UsageError, match=r"x\.toml: sweep\.network = 'lte'"):
        load_all(file)
