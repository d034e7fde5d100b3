"""From the log to the lines, until the log ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal, Protocol

from airmile.live import words
from airmile.live.burst import Burst, from_row
from airmile.live.link import Link

Form = Literal["text", "ndjson"]

WAIT_S = 0.2
"""The engine is asked so often, that Ctrl-C is heard while the modem is silent."""


class Stream(Protocol):
    """What the engine gives: the log as it arrives."""

    def read(self, timeout_s: float) -> str | None:
        """Return what came until now as JSON (`bursts`, `state`); None when the log is over."""


def watch(
    stream: Stream,
    link: Link,
    say: Callable[[str], None],
    form: Form,
    now_s: Callable[[], float],
) -> None:
    """Say a line for each burst as it closes, and one when the log is over.

    Parameters
    ----------
    stream : Stream
        The log.
    link : Link
        Is fed with every burst.
    say : callable
        Takes each line.
    form : {"text", "ndjson"}
        For people or for programs.
    now_s : callable
        The clock of this machine: only how stale an estimate is depends on it.
    """
    state: dict[str, Any] = {"first_ns": None, "last_ns": None, "skipped": {}, "open": []}
    while (answer := stream.read(WAIT_S)) is not None:
        batch = json.loads(answer)
        state = batch["state"]
        bursts = [from_row(row) for row in batch["bursts"]]
        # One at a time, so that each line has the average of its own moment.
        for burst in bursts:
            link.feed([burst], state, now_s())
            say(_line(burst, link, form))
        link.feed([], state, now_s())
    totals = link.totals()
    say(words.ending(totals, state) if form == "text" else words.end_event(totals, state))


def _line(burst: Burst, link: Link, form: Form) -> str:
    average = link.estimate(burst.user)
    if form == "ndjson":
        return words.event(burst, average)
    return words.text(burst, average, name_user=link.totals().users > 1)
