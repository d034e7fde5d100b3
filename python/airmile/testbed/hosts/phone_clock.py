"""A phone whose clock is fast or slow, and is set once during a run.

All hosts of a run share the clock of one machine, so the phone's is made: the link rewrites the TCP
timestamps of the phone's packets (:mod:`airmile.testbed.hosts.ticks`), and after the run the times
of the records in the phone's capture become those that its clock shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from airmile._errors import UsageError

_LIMITS = {
    "clock_fast_ppm": (-500.0, 500.0),
    "clock_step_ms": (-86_400_000.0, 86_400_000.0),
    "clock_step_at_s": (0.0, 7200.0),
}
"""The ranges of the settings.

TS 36.101 section 6.5.1 allows a radio 0.1 ppm, and a cheap clock is wrong by 50 ppm. A step is at
most a day, and within the longest run.
"""

SETTINGS = tuple(_LIMITS)


@dataclass(frozen=True)
class PhoneClock:
    """The clock of a phone beside that of the other hosts.

    Attributes
    ----------
    clock_fast_ppm : float
        By how many parts per million the clock is fast; it is right when the run begins.
    clock_step_ms : float
        By how much the clock is set forward, in ms. TCP timestamps do not follow (RFC 7323
        section 5.4: their clock need not be that of the day).
    clock_step_at_s : float
        The time from the begin of the run at which the clock is set, in seconds.
    """

    clock_fast_ppm: float = 0.0
    clock_step_ms: float = 0.0
    clock_step_at_s: float = 0.0

    @classmethod
    def checked(cls, settings: Mapping[str, Any]) -> PhoneClock | None:
        """Return the clock that settings give; None for that of the other hosts.

        Raises
        ------
        UsageError
            A setting is unknown, or not a number in its range.

        Examples
        --------
        >>> PhoneClock.checked({"clock_fast_ppm": 50})
        PhoneClock(clock_fast_ppm=50, clock_step_ms=0.0, clock_step_at_s=0.0)
        """
        for name, value in settings.items():
            if name not in _LIMITS:
                raise UsageError(
                    f"hosts.phone.{name} is not known", "known: " + ", ".join(SETTINGS)
                )
            low, high = _LIMITS[name]
            if type(value) not in (int, float) or not low <= value <= high:
                raise UsageError(
                    f"hosts.phone.{name} = {value!r}", f"write a number from {low:g} to {high:g}"
                )
        clock = cls(**settings)
        return clock if clock.clock_fast_ppm or clock.clock_step_ms else None

    @classmethod
    def taken_from(cls, host: dict[str, Any]) -> PhoneClock | None:
        """Return the clock in the settings of a host, and remove it from them."""
        return cls.checked({name: host.pop(name) for name in SETTINGS if name in host})

    def shows(self, time_ns: int, start_ns: int) -> int:
        """Return the time in ns that the clock shows at a time of a run that began at `start_ns`.

        >>> PhoneClock(50, 2000, 100).shows(100_000_000_000, 0)
        102005000000
        """
        since_ns = time_ns - start_ns
        stepped = since_ns >= self.clock_step_at_s * 1e9
        step_ns = round(self.clock_step_ms * 1e6) if stepped else 0
        return time_ns + round(since_ns * self.clock_fast_ppm / 1e6) + step_ns

    def for_engine(self, start_ns: int) -> tuple[int, float, int, int]:
        """Return the clock as the engine takes it, for a run that began at `start_ns`."""
        step_at_ns = start_ns + round(self.clock_step_at_s * 1e9)
        return start_ns, self.clock_fast_ppm, round(self.clock_step_ms * 1e6), step_at_ns


def tick_ns(tick_ms: float | None, clock: PhoneClock | None) -> int | None:
    """Return the length of a tick of the phone's TCP timestamps in ns; None for the kernel's.

    >>> tick_ns(3.33, None), tick_ns(None, PhoneClock(50)), tick_ns(None, PhoneClock(0, 1000))
    (3330000, 999950, None)
    """
    fast_ppm = clock.clock_fast_ppm if clock else 0.0
    if tick_ms is None and not fast_ppm:
        return None
    return round((tick_ms or 1) * 1e6 / (1 + fast_ppm / 1e6))
