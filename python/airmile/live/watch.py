"""The loop of `airmile live`: it reads the log and writes lines until the log ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal, Protocol

from airmile.live import words
from airmile.live.burst import from_row
from airmile.live.link import Link

Form = Literal["text", "ndjson"]

WAIT_S = 0.2
"""The longest wait in the engine, in s; Ctrl-C takes effect at its end at the latest."""

SILENCE_S = 1.0
"""The time in s without a record after which the phone counts as not scheduled.

A modem with data to report logs several times a second.
"""


class Stream(Protocol):
    """The part of the engine's log that has arrived."""

    def read(self, timeout_s: float, silent_s: float) -> str | None:
        """Return new bursts and the state as JSON (`bursts`, `state`); None at the end of the log.

        `silent_s` is the time in seconds for which no record has come.
        """


def watch(
    stream: Stream,
    link: Link,
    say: Callable[[str], None],
    form: Form,
    now_s: Callable[[], float],
) -> None:
    """Write a line for each burst when it closes, and one when the log ends.

    Parameters
    ----------
    stream : Stream
        The log.
    link : Link
        The state of the link, to which every burst is added.
    say : callable
        Function that writes a line.
    form : {"text", "ndjson"}
        Format of the lines, for people or for programs.
    now_s : callable
        The clock of this machine in seconds, which measures the age of an estimate and the
        silence of the modem.
    """
    state: dict[str, Any] = {"first_ns": None, "last_ns": None, "skipped": {}, "open": []}
    heard_s = now_s()
    while (answer := stream.read(WAIT_S, _silence(heard_s, now_s()))) is not None:
        batch = json.loads(answer)
        if batch["state"]["last_ns"] != state["last_ns"]:
            heard_s = now_s()
        state = batch["state"]
        bursts = [from_row(row) for row in batch["bursts"]]
        link.feed(bursts, state, now_s())
        name_user = link.totals().users > 1
        for burst in bursts:
            say(words.event(burst) if form == "ndjson" else words.text(burst, name_user=name_user))
    totals = link.totals()
    say(words.ending(totals, state) if form == "text" else words.end_event(totals, state))


def _silence(heard_s: float, now_s: float) -> float:
    """Return for how many seconds no record has come; 0 for a short time."""
    silent_s = now_s - heard_s
    return silent_s if silent_s >= SILENCE_S else 0.0
