"""The link in virtual time: computes TTIs and deliveries from packets, reproducibly by seed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airmile._errors import UsageError, engine_errors

if TYPE_CHECKING:
    import pyarrow as pa

ENDS = {"server": "Server", "core_wired": "CoreWired", "core_radio": "CoreRadio", "phone": "Phone"}
"""The places where a packet may enter or leave, with their names in the engine."""


@dataclass(frozen=True)
class Simulated:
    """The result of a run in virtual time.

    Attributes
    ----------
    downlink, uplink : pyarrow.Table
        One row per TTI: `tti`, `queue_bytes`, `qdisc_bytes`, `available_bytes`, `prbs`,
        `repeated_prbs`, `other_prbs`, `tbs_bytes`, `served_bytes`, `blocked`, `state`.
    deliveries : pyarrow.Table
        One row per packet: `packet`, its position in the arrivals; `at_ns`, the time from the
        start; `end`, the place where it left the link.
    """

    downlink: pa.Table
    uplink: pa.Table
    deliveries: pa.Table


def simulate(
    link: dict[str, Any],
    arrivals: Iterable[tuple[int, str, int, int]],
    *,
    ttis: int,
    forward: bool = True,
) -> Simulated:
    """Send packets through a link in virtual time.

    Parameters
    ----------
    link : dict
        Settings as in the `[link]` table of an experiment; missing settings have their defaults.
    arrivals : iterable of (int, str, int, int)
        For each packet, in order of time: nanoseconds from the start, the end where the packet
        enters (`server`, `core_wired`, `core_radio` or `phone`), its bytes with the IP header, and
        its bytes of payload.
    ttis : int
        The number of TTIs to simulate.
    forward : bool
        Whether packets that leave the wired path enter the radio at once, and the reverse.

    Returns
    -------
    Simulated

    Raises
    ------
    UsageError
        A setting is wrong. Or an arrival enters at an unknown end, is earlier than the previous
        one, or fits into no queue.

    Examples
    --------
    >>> from airmile.testbed import simulate
    >>> packets = [(n * 1_000_000, "server", 1500, 1460) for n in range(100)]
    >>> run = simulate({"downlink": {"harq": {"failure": 0}}}, packets, ttis=200)
    >>> sum(end == "Phone" for end in run.deliveries["end"].to_pylist())
    100
    """
    import pyarrow as pa

    from airmile import _engine

    if not isinstance(ttis, int) or ttis < 0:
        raise UsageError(f"ttis = {ttis!r}", "write how many TTIs to run: a whole number from 0")
    packets = [(ns, ENDS.get(end, end), size, payload) for ns, end, size, payload in arrivals]
    try:
        with engine_errors():
            batches = _engine.link_replay(json.dumps(link), packets, ttis, forward)
    except OverflowError:
        raise UsageError(
            "an arrival has a negative size, or more bytes than a packet can have", "bytes from 0"
        ) from None
    return Simulated(*(pa.Table.from_batches([batch]) for batch in batches))


@dataclass(frozen=True)
class Download:
    """A download in virtual time that always filled the downlink's queue.

    Attributes
    ----------
    seconds : float or None
        From the first TTI to the one that served the last byte; None if it took too long.
    handovers : int
        The handovers that ended meanwhile.
    sinr_db : float or None
        Mean of the serving cell's SINR, which the phone measures each second; None for a link
        without a channel.
    """

    seconds: float | None
    handovers: int
    sinr_db: float | None


def simulate_download(link: dict[str, Any], bytes: int, *, longest_s: int = 600) -> Download:
    """Play a download in virtual time whose sender keeps the queue of the downlink full.

    It shows what a drive does to a transfer, without the behaviour of TCP.

    Parameters
    ----------
    link : dict
        Settings as in the `[link]` table of an experiment; missing settings have their defaults.
    bytes : int
        The size of the download, with IP headers.
    longest_s : int
        The longest time in seconds.

    Returns
    -------
    Download

    Raises
    ------
    UsageError
        A setting is wrong.

    Examples
    --------
    >>> from airmile.testbed import simulate_download
    >>> link = {"downlink": {"harq": {"failure": 0}, "rate": {"kind": "constant", "mbps": 12}}}
    >>> simulate_download(link, 1_500_000).handovers
    0
    """
    from airmile import _engine

    if not 0 < bytes < 2**63 or not 0 < longest_s <= 86_400:
        raise UsageError(
            f"bytes = {bytes!r}, longest_s = {longest_s!r}", "bytes from 1, longest_s 1 to 86400"
        )
    with engine_errors():
        return Download(*_engine.link_download(json.dumps(link), bytes, longest_s))


def check(link: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a link with defaults for those that are missing.

    Raises
    ------
    UsageError
        A setting is unknown or wrong.
    """
    from airmile import _engine

    with engine_errors():
        filled: dict[str, Any] = json.loads(_engine.link_check(json.dumps(link)))
    return filled
