"""A campaign with invented runs, for tests of the code that makes and judges runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyarrow import parquet

from airmile.campaign.design import Arm, Campaign, Statement
from airmile.testbed.experiment.toml_file import Experiment
from tests.support.handmade import MANIFEST, typed

FACTS: dict[str, Any] = {
    "workload_ended": "complete",
    "trustworthy": True,
    "link": {"late_us": {"p99": 230}},
    "kernel": "6.1",
    "experiment": {"direction": "downlink", "routes": {}, "proxy": None},
    "sender": "server",
}

RATE = "SELECT run, dl_payload_bytes AS value FROM flows"


def made_up(quick: int = 2, whole: int = 8) -> Campaign:
    """Return a campaign of two arms, the first of which carries half as much as the second."""
    return Campaign(
        study="hwy18",
        section="section 3",
        title="which is better?",
        arms=[Arm("a", "bulk_download", megabytes=0), Arm("b", "bulk_download", megabytes=0)],
        whole=whole,
        quick=quick,
        exhibits=["fig6"],
        statements=[
            Statement(
                "bytes of a, of b's", "section 5", "half", 0.5, "", "ratio", RATE, "a", "b", -1, 1
            ),
            Statement("bytes of b", "section 5", "200", 200, "bytes", "mean", RATE, "b"),
            Statement(
                "speed of b", "section 5", "fast", 1, "", "mean", "SELECT run FROM none", "b"
            ),
        ],
        notes=["The runs are made up: <b>nothing</b> was sent."],
    )


def runner(
    begun: Callable[[str], dict[str, Any]],
) -> Callable[[Experiment, Path, Callable[[str], None]], dict[str, Any]]:
    """Return a function that replaces a run: it calls `begun` with the name, and adds facts."""

    def run(experiment: Experiment, out: Path, on_step: Callable[[str], None]) -> dict[str, Any]:
        facts = {**FACTS, **begun(experiment.name)}
        on_step("running")
        seed = experiment.link["seed"]
        sent = (100 if experiment.name.startswith("a") else 200) + seed % 3
        part = out.with_name(f".{out.name}.part")
        (part / "flows").mkdir(parents=True, exist_ok=True)
        values: dict[str, list[Any]] = {"uid": [1], "protocol": ["tcp"], "dl_payload_bytes": [sent]}
        values |= {"ul_payload_bytes": [0], "server_port": [80], "quality": [""]}
        table = typed("flows", values)
        parquet.write_table(table, part / "flows" / "part-0.parquet")
        (part / "manifest.json").write_text(json.dumps({**MANIFEST, "testbed": facts}))
        part.rename(out)
        return facts

    return run
