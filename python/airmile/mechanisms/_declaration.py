"""What a mechanism declares: its name, its advice, and the rule that finds it in the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airmile.store import Tables


@dataclass(frozen=True)
class Finding:
    """A mechanism that was found in a flow (methods T10).

    Attributes
    ----------
    run : str
        The run of a campaign; empty in a single dataset.
    uid : int
        The flow.
    transfer_id : int or None
        The transfer of its longest slice; None before the first transfer.
    direction : {"downlink", "uplink"} or None
        The direction of the data; None before the first data.
    certainty : {"sure", "likely", "open"}
        Whether no twin explains these packets; open: the evidence names a twin that does.
    start_ns, end_ns : int
        Its first and last packet, in ns since 1970.
    first_frame, last_frame : int or None
        Frame numbers around this time; None where no slice holds it.
    evidence : str
        What shows it, with numbers.
    advice : str
        What to do.
    """

    run: str
    uid: int
    transfer_id: int | None
    direction: str | None
    certainty: str
    start_ns: int
    end_ns: int
    first_frame: int | None
    last_frame: int | None
    evidence: str
    advice: str

    @classmethod
    def of(
        cls,
        row: Mapping[str, Any],
        direction: str | None,
        certainty: str,
        evidence: str,
        advice: str,
    ) -> Finding:
        """Return a finding of a row of `with_frames`."""
        return cls(
            row["run"],
            row["uid"],
            row["transfer_id"],
            direction,
            certainty,
            row["start_ns"],
            row["end_ns"],
            row["first_frame"],
            row["last_frame"],
            evidence,
            advice,
        )


@dataclass(frozen=True)
class Mechanism:
    """A mechanism by name.

    Attributes
    ----------
    words : str
        Its name for people.
    cause : str
        The cause that it explains: the finding's advice takes the place of the cause's.
    may_be : callable
        Whether the report must look for it in the tables: the sums of the verdict leave it
        possible, and no evidence of the cause says the same.
    find : callable
        Yields the findings in a dataset.
    """

    words: str
    cause: str
    may_be: Callable[[Mapping[str, Any]], bool]
    find: Callable[[Tables], Iterator[Finding]]


LEAST_NS = 1_000_000_000
"""The least time of a timer that fires three times: 0.2 s, doubled twice (RFC 6298, Linux)."""


def losses_last(sums: Mapping[str, Any]) -> bool:
    """Return whether losses were repaired for as long as a timer takes that fires three times."""
    return bool(sums["time_ns"].get("loss_recovery", 0) >= LEAST_NS)
