"""A phone whose TCP timestamps advance in coarse ticks, as those of 2012 did every 10 ms.

No kernel has such a setting, so the link rewrites the option in every packet. The capture in the
phone is taken before that. It is rewritten after the run in the same way, so that all three
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
    """Check the setting; 1 ms is what the kernel does anyway.

    Raises
    ------
    UsageError
        It is not the length of a tick.
    """
    if value is None:
        return None
    if type(value) not in (int, float) or not 1 <= float(value) <= 1000:
        raise UsageError(
            f"hosts.phone.{SETTING} = {value!r}",
            "milliseconds from 1 to 1000 (RFC 7323 section 5.4)",
        )
    return value if value > 1 else None


def microseconds(tick_ms: float | None) -> int | None:
    """Return a tick as the engine takes it.

    >>> microseconds(3.33), microseconds(None)
    (3330, None)
    """
    return None if tick_ms is None else round(tick_ms * 1000)


def rewrite(capture: Path, tick_ms: float) -> None:
    """Rewrite a capture that was taken in the phone, all of it or not at all."""
    from airmile import _engine

    part = capture.with_suffix(".part")
    try:
        address = list(ipaddress.IPv4Address(PHONE).packed)
        _engine.link_recorded(str(capture), str(part), round(tick_ms * 1000), address)
        part.replace(capture)
    finally:
        part.unlink(missing_ok=True)
