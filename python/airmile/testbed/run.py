"""One run of an experiment: hosts, link, captures, senders, workload, truth."""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from airmile._errors import OutputError
from airmile.testbed import clients, leftovers, probe, programs, split, ticks
from airmile.testbed.experiment import Experiment
from airmile.testbed.hosts import DEVICES, Hosts
from airmile.testbed.labels import RULE
from airmile.testbed.outcome import finish
from airmile.testbed.owner import endable
from airmile.testbed.processes import (
    CAPTURE_PRIORITY,
    SENDER_PRIORITY,
    WORKLOAD_PRIORITY,
    Processes,
    last_words,
)

SNAP_BYTES = 96
"""Headers with every TCP option, and nothing of the payload."""

TAPS = {"server": ("server", "s0"), "monitor": ("core", "r0"), "ue": ("phone", "u0")}
"""Name of the capture, place and device."""

SETTLE_S = 0.6
"""For the link, the servers and the captures to be at work."""

SERVED = ".served"
"""Folder of what servers need, until the run is over."""

LINGER_S = 1.6
"""tcpdump hands its ring over once a second: what came later would be missing at the end."""


def run(
    experiment: Experiment, out: Path, tell: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Run an experiment and write what it left to a new folder.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    out : Path
        The folder, which must not exist.
    tell : callable
        Told what is going on.

    Returns
    -------
    dict
        What is known of the run, which `manifest.json` holds too, under `testbed`.

    Raises
    ------
    OutputError
        The rights or a program are missing, or something of the run ended too early.
    """
    hosts = Hosts(experiment.routes, experiment.sysctls)
    hosts.check()
    programs.check(_needs(experiment))
    mark = hosts.owner.mark
    part = out.with_name(f".{out.name}.part")
    with endable():
        try:
            leftovers.begin_part(part, mark)
            tell("making the hosts")
            hosts.create()
            with Processes(hosts.namespace, mark) as processes:
                manifest = _measured(experiment, hosts, processes, part, tell)
            shutil.rmtree(part / SERVED, ignore_errors=True)
            tell("analysing")
            finish(part, out, experiment, manifest)
            leftovers.finish_part(part, out)
        finally:
            leftovers.remove(mark)
    return manifest


def _needs(experiment: Experiment) -> set[str]:
    return {"tcpdump", *(["iptables"] if experiment.proxy else []), *clients.needs(experiment)}


def _measured(
    experiment: Experiment,
    hosts: Hosts,
    processes: Processes,
    out: Path,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    link = _link(experiment, hosts, processes, out)
    hosts.connect()
    captures = {name: _capture(processes, name, out) for name in TAPS}
    if experiment.proxy:
        _redirect(processes)
    for place in ("server", "core", "phone") if experiment.proxy else ("server", "phone"):
        processes.python(
            "airmile.testbed.senders",
            str(out / f"senders_{place}.csv"),
            place=place,
            priority=SENDER_PRIORITY,
        )
    namespaces = [Path("/run/netns", hosts.namespace(place)) for place in probe.PLACES]
    work = leftovers.STATE / hosts.owner.mark
    probing = probe.start(processes, namespaces, work, out / "probe.csv")
    servers = clients.serve(experiment, processes, out / SERVED)
    # The first tick comes some 0.3 s after the word: a workload that starts at once would take that
    # for the round trip of its first handshake.
    bpf = probe.ready(probing)
    _go(link)
    time.sleep(SETTLE_S)
    tell(f"running {experiment.workload}")
    clients.check_servers(servers)
    ended = clients.run(experiment, processes, out)
    time.sleep(LINGER_S)
    counters = hosts.counters()
    drops = {name: _stop_capture(processes, capture) for name, capture in captures.items()}
    report = _report(processes, link)
    if bpf["present"]:
        bpf = probe.finish(processes, probing)
    if experiment.timestamp_tick_ms:
        ticks.rewrite(out / "ue.pcap", experiment.timestamp_tick_ms)
    return {**_manifest(experiment, report, counters, drops, ended), "bpf": bpf}


def _link(
    experiment: Experiment, hosts: Hosts, processes: Processes, out: Path
) -> subprocess.Popen[str]:
    settings = out / "link.json"
    wanted = {
        "link": experiment.link,
        "devices": hosts.devices(),
        "out": str(out),
        "longest_s": experiment.longest_s + 30,
        "timestamp_tick_ms": experiment.timestamp_tick_ms,
    }
    settings.write_text(json.dumps(wanted, indent=1) + "\n")
    link = processes.python(
        "airmile.testbed.emulator",
        str(settings),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert link.stdout is not None
    if link.stdout.readline().strip() != "READY":
        raise OutputError(f"the link did not begin: {last_words(link)}")
    return link


def _redirect(processes: Processes) -> None:
    """Put the proxy between the phone and the server."""
    redirects = processes.start(split.REDIRECT, place="core", stderr=subprocess.PIPE)
    if redirects.wait():
        raise OutputError(f"the proxy cannot be made transparent: {last_words(redirects)}")
    processes.python("airmile.testbed.proxy", place="core", priority=WORKLOAD_PRIORITY)


def _go(link: subprocess.Popen[str]) -> None:
    assert link.stdin is not None
    link.stdin.write("go\n")
    link.stdin.flush()


def _capture(processes: Processes, name: str, out: Path) -> subprocess.Popen[str]:
    place, device = TAPS[name]
    arguments = ["tcpdump", "-Z", "root", "-i", device, "-s", str(SNAP_BYTES), "-B", "16384"]
    return processes.start(
        [*arguments, "-w", str(out / f"{name}.pcap"), "ip"],
        place=place,
        priority=CAPTURE_PRIORITY,
        stderr=subprocess.PIPE,
    )


def _stop_capture(processes: Processes, capture: subprocess.Popen[str]) -> int:
    """End a capture and tell how many packets it lost."""
    processes.stop(capture, signal.SIGINT)
    assert capture.stderr is not None
    for line in capture.stderr.read().splitlines():
        if "dropped by kernel" in line:
            return int(line.split()[0])
    return 0


def _report(processes: Processes, link: subprocess.Popen[str]) -> dict[str, Any]:
    if link.poll() is not None:
        raise OutputError(f"the link ended too early: {last_words(link)}")
    link.send_signal(signal.SIGTERM)
    assert link.stdout is not None
    text = link.stdout.read()
    link.wait(30)
    if not text.strip():
        raise OutputError(f"the link ended without a report: {last_words(link)}")
    report: dict[str, Any] = json.loads(text)
    return report


def _manifest(
    experiment: Experiment,
    report: dict[str, Any],
    counters: dict[str, dict[str, int]],
    capture_drops: dict[str, int],
    ended: str,
) -> dict[str, Any]:
    lost = {
        name: counters[name]["rx_dropped"] + counters[name]["tx_dropped"] for _, name in DEVICES
    }
    trust = report["trustworthy"] and not any(lost.values()) and not any(capture_drops.values())
    return {
        "experiment": asdict(experiment),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "kernel": platform.release(),
        "processors": os.cpu_count(),
        "workload_ended": ended,
        "link": report,
        "ring_drops": lost,
        "capture_drops": capture_drops,
        "trustworthy": trust,
        "sender": experiment.sender,
        "labels_rule": RULE,
        "clocks": "captures, truth and senders share one clock of the host",
    }
