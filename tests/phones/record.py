"""Records the runs; this needs root, tcpdump, dumpcap, and tayga for 464XLAT."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from airmile._errors import AirmileError, OutputError
from airmile.testbed.experiment.toml_file import Experiment, parse
from airmile.testbed.hosts import leftovers, programs
from airmile.testbed.hosts.namespaces import Hosts
from airmile.testbed.hosts.processes import WORKLOAD_PRIORITY, Processes, last_words
from airmile.testbed.hosts.signals import endable
from airmile.testbed.run import emulated_run
from tests.phones import network
from tests.phones.plan import Plan

WAYS = ("named", "any", "radio")
"""The captures: all interfaces with their names (pcapng), `-i any` (Linux cooked v2), and the
cellular interface alone (raw IP)."""

PROMOTION_MS = (250, 450)
_SNAP = "200"
_SETTLE_S = 0.5

Captures = list[subprocess.Popen[str]]


def record(plans: Iterable[Plan], out: Path) -> bool:
    """Record the runs that a folder lacks; return whether all of them can be trusted."""
    out.mkdir(parents=True, exist_ok=True)
    missing = [each for each in plans if not (out / each.name).exists()]
    trusted = [_record(each, out / each.name) for each in missing]
    return all(trusted)


def _record(plan: Plan, folder: Path) -> bool:
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    try:
        programs.check({"tcpdump", "dumpcap", "ip", "sysctl"})
        if plan.network == "464xlat":
            programs.check({"tayga"})
        with endable(), leftovers.begun() as owner:
            facts = _run(plan, owner.mark, part)
    except AirmileError as error:
        print(f"{plan.name}: {error}", file=sys.stderr)
        return False
    (part / "facts.json").write_text(json.dumps(facts, indent=1) + "\n")
    part.rename(folder)
    print(f"{plan.name}: recorded, trustworthy: {facts['link']['trustworthy']}", file=sys.stderr)
    return bool(facts["link"]["trustworthy"])


def experiment(plan: Plan) -> Experiment:
    """Give the link of a run."""
    rrc = {"inactivity_ms": plan.tail_s * 1000, "promotion_ms": list(PROMOTION_MS)}
    rate = {"kind": "constant", "mbps": 8}
    link = {"seed": plan.seed, "downlink": {"rate": rate}, "rrc": rrc}
    return parse(plan.name, {"longest_s": 300, "link": link})


def _run(plan: Plan, mark: str, out: Path) -> dict[str, Any]:
    settings = experiment(plan)
    hosts = Hosts(mark, settings.routes, settings.sysctls)
    hosts.create()
    with Processes(hosts.namespace, mark) as processes:
        link = emulated_run._link(settings, hosts, processes, out.resolve())
        hosts.connect()
        network.Setup(hosts, processes, out.resolve()).make(plan.network)
        here = Path(__file__).parents[2]
        server = processes.start(
            [sys.executable, "-m", "tests.phones.traffic", "server"],
            place="server", root=True, cwd=here, priority=WORKLOAD_PRIORITY,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert server.stdout is not None
        if server.stdout.readline().strip() != "READY":
            raise OutputError(f"the server did not begin: {last_words(server)}")
        emulated_run._go(link)
        start_unix = time.time() + _SETTLE_S
        phone = _phone(plan, processes, out.resolve(), start_unix)
        files = _capture(plan, processes, out.resolve(), start_unix)
        phone.wait(60)
        if phone.returncode:
            raise OutputError(f"an exchange failed: {last_words(phone)}")
        # The radio goes idle after the last packet.
        time.sleep(plan.tail_s + 1)
        report = emulated_run._report(link)
    return {"plan": asdict(plan), "start_unix": start_unix, "link": report, "files": files}


def _phone(plan: Plan, processes: Processes, out: Path, start_unix: float) -> subprocess.Popen[str]:
    every = [
        {**asdict(each), "server": network.server(plan.network, each.way, each.family)}
        for each in plan.exchanges
    ]
    asked = out / "exchanges.json"
    asked.write_text(json.dumps({"start_unix": start_unix, "all": every}, indent=1) + "\n")
    command = [sys.executable, "-m", "tests.phones.traffic", "phone", str(asked)]
    return processes.start(
        command, place="phone", root=True, cwd=Path(__file__).parents[2],
        priority=WORKLOAD_PRIORITY, stderr=subprocess.PIPE,
    )  # fmt: skip


def _capture(
    plan: Plan, processes: Processes, out: Path, start_unix: float
) -> list[dict[str, Any]]:
    """Take the captures of the plan; return when each was certainly running."""
    found = []
    for number, (begin_s, end_s) in enumerate(plan.captures, 1):
        _until(start_unix + begin_s)
        running = [
            processes.start(
                command,
                place="phone",
                root=True,
                stdout=subprocess.DEVNULL,
                stderr=(out / f"{way}_{number}.log").open("w"),
            )
            for way, command in _commands(plan, out, number).items()
        ]
        _until(start_unix + end_s)
        for each in running:
            processes.stop(each, signal.SIGINT)
        found.append({"number": number, "begin_s": begin_s, "end_s": end_s})
    return found


def _commands(plan: Plan, out: Path, number: int) -> dict[str, list[str]]:
    devices = [word for name in network.interfaces(plan.network) for word in ("-i", name)]
    tcpdump = ["tcpdump", "-U", "--immediate-mode", "-Z", "root", "-s", _SNAP]
    return {
        "named": [
            "dumpcap",
            "-q",
            *devices,
            "-s",
            _SNAP,
            "-w",
            str(out / f"named_{number}.pcapng"),
        ],
        "any": [*tcpdump, "-i", "any", "-y", "LINUX_SLL2", "-w", str(out / f"any_{number}.pcap")],
        "radio": [*tcpdump, "-i", network.CELLULAR, "-w", str(out / f"radio_{number}.pcap")],
    }


def _until(unix: float) -> None:
    time.sleep(max(0.0, unix - time.time()))
