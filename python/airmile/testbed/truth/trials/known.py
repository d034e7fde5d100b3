"""Completes a trial from a run's tables: flow, congestion control, SINR and handovers."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import TYPE_CHECKING, Any

from airmile.store._needs import contains
from airmile.testbed.experiment.activity import direction
from airmile.testbed.hosts.sockets import Senders
from airmile.testbed.truth.trials.rows import Trial

if TYPE_CHECKING:
    from airmile.store import Tables

SECOND_NS = 1_000_000_000


class Known:
    """The tables of a run, in which a trial is looked up by ports and time.

    Parameters
    ----------
    dataset : Tables
        The run.
    facts : mapping
        The facts of the run, under `testbed` in its manifest.
    """

    def __init__(self, dataset: Tables, facts: Mapping[str, Any]) -> None:
        self._experiment, self._facts = facts["experiment"], facts
        self._flows = dataset.records(_FLOWS)
        self._senders = {
            way: dataset.records(_CONTROLS.format(samples=_senders(facts, way).samples()))
            for way in ("downlink", "uplink")
            if contains(dataset, "truth_tcp")
        }
        measured = dataset.records(_SINR) if contains(dataset, "cells") else []
        self._sinr_db = {row["second"]: row["sinr_db"] for row in measured}
        self._handovers = (
            [row["time_ns"] for row in dataset.records(_HANDOVERS)]
            if contains(dataset, "truth_events")
            else None
        )

    def completed(self, number: int, trial: Trial) -> dict[str, Any]:
        """Return the row of a trial, with everything that the tables say about the trial."""
        background, turn, step = trial.said.place
        return {
            "trial": number,
            "experiment": self._experiment["name"],
            **self._iteration(turn),
            "turn": turn,
            "step": step,
            "background": background,
            "workload": trial.said.workload,
            "kind": trial.kind,
            "number": _number(trial),
            **_measured(trial),
            **self._connection(trial),
            "sinr_mean_db": self._mean_sinr_db(trial),
            "handovers": self._handovers_in(trial),
            "trustworthy": self._facts.get("trustworthy"),
        }

    def _iteration(self, turn: int) -> dict[str, Any]:
        """Return the seed, and what else the trials of a pair have in common."""
        seed = self._experiment["link"].get("seed")
        repeat = self._experiment["options"].get("repeat", 1)
        before = 0 if seed is None else (seed - 1) * repeat
        return {"seed": seed, "iteration": before + turn + 1}

    def _connection(self, trial: Trial) -> dict[str, Any]:
        """Return the flow of a trial, its ports and its congestion control."""
        flows = [row for row in self._flows if _is_of(row, trial, "ue_port", "server_port")]
        alone = flows[0] if len(flows) == 1 and trial.ue_port is not None else {}
        return {
            "uid": alone.get("uid"),
            "ue_port": trial.ue_port,
            "port": trial.port if trial.port is not None else alone.get("server_port"),
            "congestion_control": None if trial.kind == "pings" else self._control(trial),
        }

    def _control(self, trial: Trial) -> str | None:
        """Return the recorded congestion control, or the wanted one if the flow has no sample."""
        wanted: str | None = trial.said.options.get("congestion_control") or None
        if trial.ue_port is None:
            return wanted
        way = direction(trial.said.workload, _plain(trial.said.options))
        senders = self._senders.get(way, [])
        found = [row["cc"] for row in senders if _is_of(row, trial, "phone_port", "server_port")]
        return found[0] if len(set(found)) == 1 else wanted

    def _mean_sinr_db(self, trial: Trial) -> float | None:
        seconds = range(trial.start_ns // SECOND_NS, trial.end_ns // SECOND_NS + 1)
        found = [self._sinr_db[second] for second in seconds if second in self._sinr_db]
        return fmean(found) if found else None

    def _handovers_in(self, trial: Trial) -> int | None:
        if self._handovers is None:
            return None
        return sum(1 for each in self._handovers if trial.start_ns <= each <= trial.end_ns)


def _senders(facts: Mapping[str, Any], way: str) -> Senders:
    """Return the sockets whose data crosses the radio in one direction."""
    proxy = facts["experiment"]["proxy"]
    place = "phone" if way == "uplink" else "core" if proxy else "server"
    return Senders.of({**facts, "sender": place})


def _is_of(row: Mapping[str, Any], trial: Trial, ue_port: str, port: str) -> bool:
    """Return whether a flow or a connection has the ports and the time of a trial."""
    same = row[ue_port] == trial.ue_port and trial.port in (None, row[port])
    return same and row["start_ns"] <= trial.end_ns and row["end_ns"] >= trial.start_ns


def _measured(trial: Trial) -> dict[str, Any]:
    """Return what the workload itself measured in a trial."""
    duration_s = (trial.end_ns - trial.start_ns) / SECOND_NS
    rated = trial.bytes is not None and trial.kind not in ("page", "pings") and duration_s > 0
    pings = trial.kind == "pings"
    return {
        "bytes": trial.bytes,
        "start_ns": trial.start_ns,
        "first_ns": trial.first_ns,
        "end_ns": trial.end_ns,
        "duration_s": duration_s,
        "rate_bps": (trial.bytes or 0) * 8 / duration_s if rated else None,
        "rtt_ms": fmean(trial.pings) if trial.pings else None,
        "sent": trial.said.event["sent"] if pings else None,
        "answered": trial.said.event["answered"] if pings else None,
    }


def _number(trial: Trial) -> int | None:
    event = trial.said.event
    # A video that was cut off ends with the event of a segment, which has a number of its own.
    number: int | None = event.get("number")
    return None if event["event"] == "segment" else number


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a step without the options that belong to the sequence."""
    return {key: value for key, value in options.items() if key not in ("name", "pause_s")}


_FLOWS = """
    SELECT uid, ue_port, server_port, start_ns, end_ns FROM flows WHERE protocol IN ('tcp', 'udp')
    ORDER BY uid"""

_CONTROLS = """
    SELECT phone_port, server_port, mode(cc) AS cc,
        min(time_ns) AS start_ns, max(time_ns) AS end_ns
    FROM ({samples}) WHERE cc IS NOT NULL GROUP BY phone_port, server_port, connection
    ORDER BY start_ns"""

_SINR = f"""
    SELECT time_ns // {SECOND_NS} AS second, avg(sinr_db) AS sinr_db FROM cells
    WHERE serving AND carrier = 0 AND sinr_db IS NOT NULL GROUP BY second"""

_HANDOVERS = "SELECT time_ns FROM truth_events WHERE event = 'handover_end'"
