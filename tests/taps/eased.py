"""Is a label right? The same run with one limit eased must be shorter, if that was its limit.

Each eleventh of the short runs is recorded again with each limit eased alone: a quicker link, a
wider window, no loss, a quicker application. The labels of the truth follow from the kernel's
state; this follows from nothing but the time that the transfer took. ::

    sudo python -m tests.taps.eased --record DIR [--held-out]
    python -m tests.taps.eased --compare DIR [--held-out] [--csv FILE]
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from tests.recorded import play
from tests.recorded.files import write_rows
from tests.recorded.packets import packets
from tests.recorded.runs import Run, Table
from tests.taps import short, truth
from tests.taps.labels import RESTS

EVERY = 11
"""Of so many runs one is repeated: the kinds take turns by ten, so that each is among them."""

QUICKER, WIDER = 1.5, 2.0
"""By how much a rate is raised, and by how much a window or a server's speed."""

SHORTER = 0.1
"""The least share of a transfer's time that shows a limit. In 28 runs, easing what is no limit
changed the time by 9 % at the most (the loop of a short run, by the waits of its radio)."""

COLUMNS = ("run", "kind", "label", "share", "names", *("link", "wired", "window", "loss", "app"))


def _link(table: Table) -> bool:
    found = False
    for side in ("downlink", "uplink"):
        radio = table["link"].get(side, {})
        for part in (radio.get("rate", {}), radio.get("policer", {})):
            if "mbps" in part:
                part["mbps"] *= QUICKER
                found = True
    return found


def _wired(table: Table) -> bool:
    path = table["link"]["path_downlink"]
    parts = [part for part in (path, path.get("policer", {})) if "mbps" in part]
    for part in parts:
        part["mbps"] *= QUICKER
    return bool(parts)


def _window(table: Table) -> bool:
    held = table["workload"].get("receive_buffer")
    if held:
        table["workload"]["receive_buffer"] = round(held * WIDER)
    return bool(held)


def _loss(table: Table) -> bool:
    return bool(table["link"]["path_downlink"].pop("loss", 0))


def _app(table: Table) -> bool:
    work = table["workload"]
    if "bps" in work:
        work["bps"] = round(work["bps"] * QUICKER)
    for flow in work.get("flows", []):
        flow["wait_ms"] = [each / WIDER for each in flow["wait_ms"]]
    return "bps" in work or any(max(flow["wait_ms"]) > 0 for flow in work.get("flows", []))


LIMITS: Mapping[str, Callable[[Table], bool]] = {
    "link": _link,
    "wired": _wired,
    "window": _window,
    "loss": _loss,
    "app": _app,
}
"""How each limit is eased in the table of an experiment; false where a run has no such limit."""

NAMED: Mapping[str, str] = {
    **dict.fromkeys(("link", "drain", "policed", "loss_over_queue"), "link"),
    **dict.fromkeys(("upstream_path", "loss_over_upstream", "upstream_policed"), "wired"),
    **dict.fromkeys(("rwnd", "receive_window", "zero_window"), "window"),
    **dict.fromkeys(("recovery", "rto_loss", "loss_recovery", "congestion_window"), "loss"),
    **dict.fromkeys(("sender_app", "idle_or_app"), "app"),
}
"""The limit that a label names. A window that grows, a round trip or a handshake names none."""


def runs(seed: int) -> Iterator[Run]:
    """Give each repeated run, as it was and with each of its limits eased."""
    for run in list(short.runs(seed))[::EVERY]:
        yield Run(f"{run.name}-whole", run.kind, seed, run.experiment)
        for limit, ease in LIMITS.items():
            table = deepcopy(run.experiment)
            if ease(table):
                yield Run(f"{run.name}-{limit}", run.kind, seed, table)


def compared(folder: Path, seed: int) -> Iterator[dict[str, Any]]:
    """Give a row per run: its label, and the share of its time that each eased limit saves."""
    for run in list(short.runs(seed))[::EVERY]:
        whole = folder / f"{run.name}-whole"
        if not (whole / "manifest.json").exists():
            continue
        label, share = _label(whole)
        lasted = _lasted_ns(whole)
        saved = {
            limit: round(1 - _lasted_ns(place) / lasted, 3)
            for limit in LIMITS
            if ((place := folder / f"{run.name}-{limit}") / "manifest.json").exists()
        }
        yield {
            **{"run": run.name, "kind": run.kind, "label": label, "share": share},
            "names": judged(label, saved),
            **{limit: saved.get(limit) for limit in LIMITS},
        }


def judged(label: str | None, saved: Mapping[str, float]) -> str:
    """Say whether the limit that a label names is the one that shortens the transfer most.

    A label without a limit that can be eased is wrong if another one shortens the transfer, and
    else unchecked.

    >>> judged("link", {"link": 0.3, "loss": 0.02}), judged("rwnd", {"link": 0.3, "window": 0.0})
    ('right', 'wrong')
    >>> judged("slow_start", {"link": 0.02}), judged("slow_start", {"link": 0.3})
    ('unchecked', 'wrong')
    """
    named = NAMED.get(label or "")
    shorten = {limit for limit, share in saved.items() if share >= SHORTER}
    if named is None or named not in saved:
        return "wrong" if shorten else "unchecked"
    best = max(saved, key=lambda limit: saved[limit])
    return "right" if named in shorten and best == named else "wrong"


def _label(folder: Path) -> tuple[str | None, float]:
    """Give the label with the most time at the monitor, and its share of that time."""
    times: Counter[str] = Counter()
    for row in truth.of(folder):
        if row.tap == "monitor" and row.label not in RESTS:
            times[row.label] += row.end_ns - row.start_ns
    if not times:
        return None, 0.0
    label, most = times.most_common(1)[0]
    return label, round(most / times.total(), 3)


def _lasted_ns(folder: Path) -> int:
    """Give the time from the first packet at the phone to the last one with data."""
    every = list(packets(next(folder.glob("ue.pcap*"))))
    last = max(each.time_ns for each in every if each.payload)
    return last - every[0].time_ns


def main() -> int:
    """Parse the options and run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    for name in ("--record", "--compare"):
        what.add_argument(name, type=Path, metavar="DIR")
    parser.add_argument("--held-out", action="store_true", help="the odd seeds instead")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the rows there")
    options = parser.parse_args()
    seeds = short.HELD_OUT if options.held_out else short.DEVELOPMENT
    if options.record:
        return int(not play.record((r for s in seeds for r in runs(s)), options.record))
    rows = [row for seed in seeds for row in compared(options.compare, seed)]
    for row in rows:
        print("  ".join(f"{name} {row[name]}" for name in COLUMNS if row[name] is not None))
    found = Counter(row["names"] for row in rows)
    print(
        f"{found['right']} of {found['right'] + found['wrong']} labels name the limit whose easing "
        f"shortens the transfer most; {found['unchecked']} name none, and none shortens it"
    )
    if options.csv:
        write_rows(options.csv, rows, COLUMNS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
