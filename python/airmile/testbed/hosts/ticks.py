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


def microseconds(tick_ms: float | None) -> int | None:
    """Return a tick in microseconds, the unit of the engine.

    >>> microseconds(3.33), microseconds(None)
    (3330, None)
    """
    return None if tick_ms is None else round(tick_ms * 1000)


def rewrite(capture: Path, tick_ms: float) -> None:
    """Rewrite the timestamps in a capture of the phone; the file is replaced as a whole."""
    from airmile import _engine

    part = capture.with_suffix(".part")
    try:
        address = list(ipaddress.IPv4Address(PHONE).packed)
        _engine.link_recorded(str(capture), str(part), round(tick_ms * 1000), address)
        part.replace(capture)
    finally:
        part.unlink(missing_ok=True)
