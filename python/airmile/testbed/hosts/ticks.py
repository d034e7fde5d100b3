"""A phone whose TCP timestamps advance in coarse ticks: phones of 2012 had ticks of 10 ms.

No kernel has such a setting, so the link rewrites the timestamps in every packet. The capture in
the phone is taken before the link. It is rewritten in the same way after the run, so that all three
captures agree.
"""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Any

from airmile._errors import UsageError
from airmile.testbed.hosts.namespaces import PHONE
from airmile.testbed.hosts.phone_clock import PhoneClock, tick_ns

SETTING = "timestamp_tick_ms"


def checked(value: Any) -> float | None:
    """Return the tick that a setting gives, in ms; None for 1 ms, which the kernel has anyway.

    Raises
    ------
    UsageError
        The value is not a valid length of a tick.
    """
    if value is None:
        return None
    if type(value) not in (int, float) or not 1 <= float(value) <= 1000:
        raise UsageError(
            f"hosts.phone.{SETTING} = {value!r}",
            "write milliseconds from 1 to 1000 (RFC 7323 section 5.4)",
        )
    return value if value > 1 else None


def rewrite(capture: Path, tick_ms: float | None, clock: PhoneClock | None, start_ns: int) -> None:
    """Give a capture of the phone the phone's timestamps and times, and replace it as a whole.

    Parameters
    ----------
    capture : Path
        The capture.
    tick_ms : float or None
        The tick of the timestamps in ms; None for the kernel's.
    clock : PhoneClock or None
        The clock of the phone; None for that of the other hosts.
    start_ns : int
        The time at which the run began.
    """
    from airmile import _engine

    part = capture.with_suffix(".part")
    try:
        address = list(ipaddress.IPv4Address(PHONE).packed)
        wall = clock.for_engine(start_ns) if clock else None
        _engine.link_recorded(str(capture), str(part), address, tick_ns(tick_ms, clock), wall)
        part.replace(capture)
    finally:
        part.unlink(missing_ok=True)
