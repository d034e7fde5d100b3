"""The arguments of the model after their checks, in the symbols and units of EFF14."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

from airmile.model import _arguments as check
from airmile.model._loss import MOST_LOSS_RATIO, completion_time_with_losses
from airmile.model._rounds import RULES, Array, Rounds, idle_rounds, slow_start_delay
from airmile.model.transports import named
from airmile.protocols._short_flow import INITIAL_WINDOW, SEGMENT_BYTES
from airmile.protocols._transports import Transport


class Options(TypedDict, total=False):
    """The arguments of the model's functions besides size, rate and round trip.

    Attributes
    ----------
    initial_window : array_like
        Number of segments that the server sends before the first ACK.
    segment_bytes : array_like
        Payload of a segment, in bytes.
    flows : array_like
        Flows that share the link evenly, this one included.
    unloaded_rtt_s : array_like
        Round trip without the other flows, in seconds; by default `rtt_s`.
    rounds : {"exact", "eff14", "as_printed"}
        How the rounds in which the sender idles are counted. ``exact`` adds them up one by one.
        ``eff14`` is the paper's formula 1, which omits one round on most links. ``as_printed`` is
        formula 1 with the optimal time that the paper prints for several flows: (O/C)/N instead of
        O N/C.
    transport : str
        One of `TRANSPORTS`; it sets the number of round trips before the request leaves.
    loss_ratio : array_like
        Share of the server's segments that is lost, each independently (Cardwell 2000).
    """

    initial_window: ArrayLike
    segment_bytes: ArrayLike
    flows: ArrayLike
    unloaded_rtt_s: ArrayLike | None
    rounds: Rounds
    transport: str
    loss_ratio: ArrayLike


@dataclass(frozen=True)
class Case:
    """The arguments after their checks: sizes in bits, rates in bit/s, round trips in seconds."""

    size: Array
    rate: Array
    rtt: Array
    unloaded_rtt: Array
    segment: Array
    window: Array
    flows: Array
    loss: Array
    rule: Rounds
    transport: Transport

    @classmethod
    def of(
        cls, size_bytes: ArrayLike, rate_bps: ArrayLike, rtt_s: ArrayLike, options: Options
    ) -> Case:
        check.known(options, Options.__annotations__)
        rtt = check.not_negative("rtt_s", rtt_s, "s")
        unloaded = options.get("unloaded_rtt_s")
        rule: Rounds = options.get("rounds", "exact")
        check.one_of("rounds", rule, RULES)
        arrays = {
            "size_bytes": check.positive("size_bytes", size_bytes, "bytes"),
            "rate_bps": check.positive("rate_bps", rate_bps, "bit/s", infinite=True),
            "rtt_s": rtt,
            "unloaded_rtt_s": rtt if unloaded is None
            else check.not_negative("unloaded_rtt_s", unloaded, "s"),
            "segment_bytes": check.positive(
                "segment_bytes", options.get("segment_bytes", SEGMENT_BYTES), "bytes"),
            "initial_window": check.at_least_one(
                "initial_window", options.get("initial_window", INITIAL_WINDOW)),
            "flows": check.at_least_one("flows", options.get("flows", 1)),
            "loss_ratio": check.below(
                "loss_ratio", options.get("loss_ratio", 0.0), MOST_LOSS_RATIO),
        }  # fmt: skip
        check.broadcast(**arrays)
        size, rate, rtt, unloaded_rtt, segment, window, flows, loss = arrays.values()
        transport = named(options.get("transport", "tcp"))
        return cls(
            8 * size, rate, rtt, unloaded_rtt, 8 * segment, window, flows, loss, rule, transport
        )

    @property
    def share(self) -> Array:
        """The flow's share of the link, in bit/s."""
        return self.rate / self.flows

    def rounds(self) -> Array:
        return idle_rounds(self.size, self.share, self.rtt, self.segment, self.window, self.rule)

    def completion_time(self) -> Array:
        begin = (self.transport.handshake_rtts + 1) * self.rtt
        if not self.loss.any():
            idle = slow_start_delay(self.share, self.rtt, self.segment, self.window, self.rounds())
            return np.asarray(begin + self.size / self.share + idle)
        return completion_time_with_losses(
            begin, self.size / self.segment, self.share / self.segment, self.rtt, self.loss,
            self.window, self.rounds(),
        )  # fmt: skip

    def optimal_time(self) -> Array:
        if self.rule == "as_printed":
            return np.asarray(self.unloaded_rtt + self.size / self.rate / self.flows)
        return np.asarray(self.unloaded_rtt + self.size / self.share)
