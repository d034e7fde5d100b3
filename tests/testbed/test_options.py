"""Options of workloads: each has a type and bounds, and errors name the option."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from airmile import UsageError
from airmile.testbed import workloads
from airmile.testbed.experiment.activity import check_options
from airmile.testbed.experiment.toml_file import parse


@pytest.mark.parametrize(
    ("workload", "option", "value", "hint"),
    [
        ("bulk_download", "bytes", "big", "a whole number"),
        ("bulk_download", "bytes", 1.5, "a whole number"),
        ("bulk_download", "bytes", True, "a whole number"),
        ("bulk_download", "bytes", -5, "more than 0, at most 1e11"),
        ("bulk_download", "bytes", 10**12, "more than 0, at most 1e11"),
        ("bulk_download", "flows", 0, "more than 0, at most 1000"),
        ("bulk_download", "flows", 10**9, "more than 0, at most 1000"),
        ("bulk_download", "seconds", float("nan"), "0 or more, at most 7200"),
        ("bulk_download", "receive_buffer", 1 << 40, "0 or more, at most 1e9"),
        ("bulk_upload", "bytes", 10**10, "more than 0, at most 1e9"),
        ("http_files", "rounds", 10**9, "more than 0, at most 1e6"),
        ("idle_wake", "gaps_s", [1.0] * 1001, "write at most 1000"),
        ("iperf3", "parallel", 129, "more than 0, at most 128"),
        ("paced_download", "bps", 1e15, "more than 0, at most 1e10"),
        ("paced_download", "chunk_ms", 1e6, "more than 0, at most 100"),
        ("page", "objects", 10**9, "more than 0, at most 10000"),
        ("ping", "gap_s", 0, "0.002 or more, at most 7200"),
        ("ping", "bytes", 70_000, "0 or more, at most 65507"),
        ("short_flows", "seed", 1 << 80, "0 or more, at most 9.22337e18"),
        ("bulk_download", "port", 70_000, "0 or more, at most 65535"),
        ("bulk_download", "congestion_control", 3, "text in quotes"),
        ("dash", "segment_s", 0, "more than 0, at most 7200"),
        ("dash", "rates_mbps", [], "a list, with at least one in it"),
        ("dash", "rates_mbps", 3, "a list, with at least one in it"),
        ("idle_wake", "gaps_s", 3, "a list"),
        ("idle_wake", "reconnect", 1, "true or false"),
        ("short_flows", "at_once", 0, "more than 0, at most 1000"),
        ("periodic", "requests_each", 0, "more than 0, at most 1e6"),
        ("sequence", "steps", 3, "a list, with at least one in it"),
        ("sequence", "steps", [], "a list, with at least one in it"),
    ],
)
def test_a_value_that_makes_no_sense_is_named(
    workload: str, option: str, value: Any, hint: str
) -> None:
    with pytest.raises(UsageError) as raised:
        check_options(workload, {option: value})
    many = f"workload.{option} has 1001 items"
    assert raised.value.message in (f"workload.{option} = {value!r}", many)
    assert raised.value.hint == hint


@pytest.mark.parametrize(
    ("workload", "chosen", "message"),
    [
        ("slow_reader", {"stalls": [5]}, "workload.stalls.1 = 5"),
        ("slow_reader", {"stalls": [[5, 1.0], [5]]}, "workload.stalls.2 = [5]"),
        ("slow_reader", {"stalls": [[5, "1"]]}, "workload.stalls.1.2 = '1'"),
        ("slow_reader", {"stalls": [[5, 1e9]]}, "workload.stalls.1.2 = 1000000000.0"),
        ("dash", {"rates_mbps": [1, 0]}, "workload.rates_mbps.2 = 0"),
        ("dash", {"rates_mbps": [1, 1e9]}, "workload.rates_mbps.2 = 1000000000.0"),
        ("http_files", {"bytes": [10**12]}, "workload.bytes.1 = 1000000000000"),
        (
            "exchange",
            {"flows": [{}, {"count": "3"}]},
            "workload.flows.2.count = '3': a whole number",
        ),
        (
            "exchange",
            {"flows": [{"answer_bytes": [1, 10**12]}]},
            "workload.flows.1.answer_bytes.2 = 1000000000000: more than 0, at most 1e9",
        ),
        (
            "exchange",
            {"flows": [{"depth": 10**6}]},
            "workload.flows.1.depth = 1000000: more than 0, at most 1000",
        ),
        ("sequence", {"steps": [3]}, "workload.steps.1 = 3"),
        (
            "sequence",
            {"steps": [{"name": "ping"}, {"name": "ping", "count": 0}]},
            "workload.steps.2.count = 0",
        ),
        (
            "sequence",
            {"steps": [{"name": "ping", "pause_s": "1"}]},
            "workload.steps.1.pause_s = '1': write seconds up to 7200",
        ),
        (
            "short_flows",
            {"least_bytes": 9, "most_bytes": 8},
            "workload.least_bytes = 9: more than most_bytes",
        ),
    ],
)
def test_a_value_within_another_is_named(
    workload: str, chosen: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as raised:
        check_options(workload, chosen)
    assert raised.value.message == message


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"longest_s": True}, "longest_s = True"),
        ({"background": [{"name": "ping", "start_s": True}]}, "background.start_s = True"),
        ({"background": [{"name": "ping", "count": "3"}]}, "background.count = '3'"),
    ],
)
def test_true_is_no_number_of_seconds(table: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse("x", table)
    assert raised.value.message == message


@pytest.mark.parametrize("name", workloads.NAMES)
def test_what_an_option_is_by_itself_passes_the_check(name: str) -> None:
    options = workloads.module(name).Options()
    check_options(name, {each.name: getattr(options, each.name) for each in fields(options)})
