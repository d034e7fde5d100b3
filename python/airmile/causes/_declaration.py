"""What a cause declares: its evidence in words, what to do about it, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from airmile._words import seconds

Facts = Mapping[str, Any]
"""The row of `flows` with its transfers summed up, as the evidence of the verdict reads it."""


@dataclass(frozen=True)
class Case:
    """What is known where one cause limited a flow.

    Attributes
    ----------
    flow : mapping
        The flow that this cause held up longest.
    downlink : bool
        Whether data went to the phone in that time.
    vantage : str or None
        Where the capture was taken.
    available_bps : float or None
        What the link could carry.
    link : str
        What the link is called: the cellular link, where something proves one.
    """

    flow: Facts
    downlink: bool
    vantage: str | None
    available_bps: float | None = None
    link: str = "access link"

    @property
    def sender(self) -> str:
        """The end that sends the data."""
        return "server" if self.downlink else "phone"

    @property
    def receiver(self) -> str:
        """The end that receives the data."""
        return "phone" if self.downlink else "server"

    @property
    def whose(self) -> str:
        """Whose data it is, where it is not the direction that the flow is named by."""
        named = self.flow["direction"]
        same = named is None or self.downlink == (named == "downlink")
        return "" if same else f" of the {self.sender}"

    @property
    def at_receiver(self) -> bool:
        """Whether the capture is from where the data arrives: it shows no round trip, no loss."""
        return self.vantage == ("ue" if self.downlink else "server")

    def way(self, name: str) -> Any:
        """Return the column of the data's direction."""
        return self.flow[f"{'dl' if self.downlink else 'ul'}_{name}"]

    def back(self, name: str) -> Any:
        """Return the column of the direction of the ACKs."""
        return self.flow[f"{'ul' if self.downlink else 'dl'}_{name}"]


Writer = Callable[[Case], Iterator[str]]
"""Says in sentences with numbers what a case shows; nothing where the columns are null."""


def silent(case: Case) -> Iterator[str]:
    """Yield nothing: the reason of the slices is enough."""
    return iter(())


@dataclass(frozen=True)
class Declaration:
    """What people read of a cause, beyond its name.

    Attributes
    ----------
    colour, hatch : str
        How a plot draws it: never by colour alone.
    satisfies : frozenset of str
        The labels of the testbed that it fits (docs/guide/testbed.md, "Score").
    evidence : callable
        The facts of a flow that speak for it.
    advice : callable
        What to try, for the direction of the case.
    headline : callable
        What is written beside its share in the first line of a verdict.
    of_sender : bool
        Whether it is one sender's: then a verdict over both directions says whose.
    words_unproven : str or None
        Its name where nothing proves a cellular link; None: it does not depend on that.
    """

    colour: str
    hatch: str = ""
    satisfies: frozenset[str] = field(default_factory=frozenset)
    evidence: Writer = silent
    advice: Writer = silent
    headline: Writer = silent
    of_sender: bool = False
    words_unproven: str | None = None


def milliseconds(value: float) -> str:
    """Return a column in ms as people read it."""
    return seconds(value / 1000)
