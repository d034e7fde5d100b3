"""Runs one experiment: hosts, link, captures, senders' state, workload, truth."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from airmile._errors import OutputError
from airmile.testbed.experiment import controls, split
from airmile.testbed.experiment.toml_file import Experiment
from airmile.testbed.hosts import (
    awake,
    bpf_controls,
    busy,
    leftovers,
    proc,
    programs,
    rights,
    ticks,
    unfinished,
)
from airmile.testbed.hosts.namespaces import DEVICES, PLACES, Hosts, library
from airmile.testbed.hosts.phone_clock import tick_ns
from airmile.testbed.hosts.processes import (
    SETTLE_S,
    WORKLOAD_PRIORITY,
    Processes,
    check_running,
    last_words,
)
from airmile.testbed.hosts.signals import endable
from airmile.testbed.record import captures, probe, senders
from airmile.testbed.record.facts import common, doubts
from airmile.testbed.record.outcome import finish
from airmile.testbed.run import clients, real
from airmile.testbed.run.listening import Server
from airmile.testbed.truth.labels import RULE


def run(
    experiment: Experiment, out: Path, on_step: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Run an experiment and write its outcome to a new folder.

    Parameters
    ----------
    experiment : Experiment
        The experiment to run.
    out : Path
        The folder to write, which must not exist.
    on_step : callable
        A function that is called with each step.

    Returns
    -------
    dict
        The facts of the run, which are also in `manifest.json` under `testbed`.

    Raises
    ------
    OutputError
        The rights or a program are missing, a process ended too early, or `out` exists.
    """
    if out.exists():
        raise OutputError(f"{out} exists already", "remove it, or choose another folder with -o")
    _check(experiment)
    part = out.with_name(f".{out.name}.part")
    with endable(), leftovers.begun() as owner, unfinished.begun(part, owner):
        if experiment.interface:
            facts = real.measure(experiment, experiment.interface, owner.mark, part, on_step)
        else:
            facts = _emulated(experiment, owner.mark, part, on_step)
        on_step("analysing")
        finish(part, out, experiment, facts)
        unfinished.finish(part, out)
    return facts


def _check(experiment: Experiment) -> None:
    """Check that this machine has everything that the run needs."""
    proc.check()
    if experiment.interface:
        real.check(experiment, experiment.interface)
        return
    library()
    controls.check(asdict(experiment))
    split_by = ["iptables"] if experiment.proxy else []
    programs.check({"tcpdump", *split_by, *clients.needs(experiment)})
    rights.check()


def _emulated(
    experiment: Experiment, mark: str, out: Path, on_step: Callable[[str], None]
) -> dict[str, Any]:
    """Run an experiment over the emulated link, and return the facts of the run."""
    played = Experiment.of(bpf_controls.known(asdict(experiment), mark))
    hosts = Hosts(mark, played.routes, played.sysctls)
    on_step("making the hosts")
    hosts.create()
    with Processes(hosts.namespace, mark) as processes:
        facts = _measured(played, hosts, processes, out, on_step)
    # The settings as written: the name of a BPF control in the kernel belongs to this run only.
    return {**facts, "experiment": asdict(experiment)}


def _measured(
    experiment: Experiment,
    hosts: Hosts,
    processes: Processes,
    out: Path,
    on_step: Callable[[str], None],
) -> dict[str, Any]:
    link = _link(experiment, hosts, processes, out)
    hosts.connect()
    recording: dict[str, subprocess.Popen[str]] = {
        name: captures.start(
            processes,
            out / f"{name}.pcap",
            device,
            place=place,
            snap_bytes=experiment.snap_bytes,
        )
        for name, (place, device) in captures.POINTS.items()
    }
    proxies = [_redirect(processes, experiment.proxy)] if experiment.proxy else []
    watched = {
        **{f"the capture {name}": each for name, each in recording.items()},
        **_ask_senders(experiment, processes, out),
    }
    namespaces = [Path("/run/netns", hosts.namespace(place)) for place in PLACES]
    work = leftovers.STATE / hosts.mark
    probing = probe.start(processes, namespaces, work, out / "probe.csv")
    servers = clients.serve(experiment, processes, leftovers.shared(hosts.mark), out)
    bpf = probe.ready(probing)
    busy.start(processes, experiment.busy)
    awake.start(processes)
    _go(link)
    time.sleep(SETTLE_S)
    for server in (*servers, *proxies):
        server.wait()
    check_running(watched)
    on_step(f"running {experiment.workload}")
    ended = clients.run(experiment, processes, out)
    time.sleep(captures.LINGER_S)
    check_running(watched)
    counters = hosts.counters()
    drops = {name: captures.stop(processes, each) for name, each in recording.items()}
    report = _report(link)
    if bpf["present"]:
        bpf = probe.finish(processes, probing)
    if experiment.timestamp_tick_ms or experiment.phone_clock:
        tick_ms, clock = experiment.timestamp_tick_ms, experiment.phone_clock
        ticks.rewrite(out / "ue.pcap", tick_ms, clock, report["start_ns"])
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
        "timestamp_tick_ns": tick_ns(experiment.timestamp_tick_ms, experiment.phone_clock),
    }
    settings.write_text(json.dumps(wanted, indent=1) + "\n")
    link = processes.python(
        "airmile.testbed.run.emulator",
        str(settings),
        # The link locks its memory, because a page fault would delay a TTI.
        keep=[rights.IPC_LOCK],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert link.stdout is not None
    if link.stdout.readline().strip() != "READY":
        raise OutputError(f"the link did not begin: {last_words(link)}")
    return link


def _ask_senders(
    experiment: Experiment, processes: Processes, out: Path
) -> dict[str, subprocess.Popen[str]]:
    """Start to record the kernel's state of the senders at each host that sends."""
    places = [place for place in PLACES if experiment.proxy or place != "core"]
    return {
        f"the record of senders at the {place}": senders.start(
            processes, out / f"senders_{place}.csv", place
        )
        for place in places
    }


def _redirect(processes: Processes, proxy: split.Settings) -> Server:
    """Start the proxy, and redirect the phone's connections to it."""
    for command in proxy.redirects():
        redirects = processes.start(command, place="core", root=True, stderr=subprocess.PIPE)
        if redirects.wait():
            raise OutputError(f"the proxy cannot be made transparent: {last_words(redirects)}")
    started = processes.python(
        "airmile.testbed.run.proxy",
        place="core",
        priority=WORKLOAD_PRIORITY,
        stderr=subprocess.PIPE,
    )
    return Server("the proxy", started, (split.PORT,))


def _go(link: subprocess.Popen[str]) -> None:
    """Let the link run, and wait until it does, so that its start delays no packet."""
    assert link.stdin is not None and link.stdout is not None
    link.stdin.write("go\n")
    link.stdin.flush()
    if link.stdout.readline().strip() != "RUNNING":
        raise OutputError(f"the link did not run: {last_words(link)}")


def _report(link: subprocess.Popen[str]) -> dict[str, Any]:
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
    why_not = doubts(report, experiment.link["tti_us"], lost, capture_drops)
    return {
        **common(experiment, ended, capture_drops),
        "link": report,
        "ring_drops": lost,
        "trustworthy": report["trustworthy"] and not why_not,
        "untrustworthy_because": why_not,
        "labels_rule": RULE,
        "clocks": "captures, truth and senders share one clock of the host"
        + ("; ue.pcap has the clock of experiment.phone_clock" if experiment.phone_clock else ""),
    }
