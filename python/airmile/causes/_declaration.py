"""The declaration of a cause: its evidence and advice in words, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from airmile._words import seconds

Facts = Mapping[str, Any]
"""The columns of a flow, with sums over its transfers, that the evidence of the verdict reads."""

NOT_WEB = frozenset({20, 21, 22, 23, 25, 110, 119, 139, 143, 445, 465, 587, 993, 995})
"""Ports of file transfer, terminals, mail, news and shares, which speak no HTTP."""

WEB = frozenset({80, 443, 8000, 8008, 8080, 8443, 8888})
"""Ports of web servers and their usual substitutes; our choice."""


@dataclass(frozen=True)
class Case:
    """The facts of a flow that one cause limited.

    Attributes
    ----------
    flow : mapping
        The flow that this cause limited longest.
    downlink : bool
        Whether the data of that time are those to the phone.
    vantage : str or None
        The capture point.
    available_bps : float or None
        The available bandwidth of the link.
    link : str
        The name of the link; "cellular link" if it is known to be one.
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
        """The sender as " of the phone", or "" in the flow's main direction."""
        named = self.flow["direction"]
        same = named is None or self.downlink == (named == "downlink")
        return "" if same else f" of the {self.sender}"

    @property
    def at_receiver(self) -> bool:
        """Whether the capture is next to the receiver, where it shows no round trip and no loss."""
        return self.vantage == ("ue" if self.downlink else "server")

    @property
    def is_web(self) -> bool:
        """Whether the flow may speak HTTP: at a port of the web, or with TLS at an unknown one."""
        port = self.flow["server_port"]
        return port in WEB or bool(self.flow["tls_handshake_ms"] and port not in NOT_WEB)

    def way(self, name: str) -> Any:
        """Return the column of the data's direction."""
        return self.flow[f"{'dl' if self.downlink else 'ul'}_{name}"]

    def back(self, name: str) -> Any:
        """Return the column of the direction of the ACKs."""
        return self.flow[f"{'ul' if self.downlink else 'dl'}_{name}"]


Writer = Callable[[Case], Iterator[str]]
"""A function that yields sentences about a case; it omits those whose columns are null."""


def silent(case: Case) -> Iterator[str]:
    """Yield no sentences, since the reason of the slices is enough."""
    return iter(())


@dataclass(frozen=True)
class Declaration:
    """The presentation of a cause.

    Attributes
    ----------
    colour, hatch : str
        Colour and hatch in plots.
    satisfies : frozenset of str
        The labels of the testbed that it fits (docs/guide/testbed.md, "Score").
    evidence : callable
        The facts of a flow that support it.
    advice : callable
        The advice for the direction of the case.
    headline : callable
        The words after its share in the first line of a verdict.
    of_sender : bool
        Whether it belongs to one sender, so that a verdict over both directions names the sender.
    words_unproven : str or None
        Its name if the link is not known to be cellular; None if the name does not depend on it.
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
    """Return a duration in ms as text with a suitable unit."""
    return seconds(value / 1000)
