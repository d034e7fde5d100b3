"""The current state of the link, which one thread updates and HTTP answers read."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from airmile.answers.radio import _log_verdict
from airmile.live.burst import Burst

STALE_S = 10.0
"""An older estimate, in s, is no longer given; players fetch a segment every 2 to 10 s."""

DEMAND_WINDOW_S = 10.0
"""The seconds before the newest record of the log to which link demand applies."""

MOST_USERS = 256
"""The most users that are kept, those with the latest bursts; a sniffer sees thousands."""


@dataclass(frozen=True)
class Snapshot:
    """The link at one moment; what is unknown or stale is None.

    Attributes
    ----------
    ts_ns : int or None
        Time of the newest record of the log, by the modem's clock.
    user : int or None
        The user whose link this is: the one with most bytes so far.
    throughput_bps, estimate_low_bps, estimate_high_bps : float or None
        Mean throughput of the last five bursts, weighted by duration, and the throughput of the
        slowest and of the fastest of these bursts.
    link_demand_ratio : float or None
        Share of the last 10 s (`DEMAND_WINDOW_S`) in which the base station's queue held data.
    burst_open : bool or None
        Whether the queue holds data now.
    limited_by : str or None
        ``lte_downlink`` or ``undetermined``: a modem log shows no other cause.
    stale_s : float or None
        Age of the estimate; None before the first burst.
    reason : str or None
        Why there is no estimate; None if there is one.
    """

    ts_ns: int | None = None
    user: int | None = None
    throughput_bps: float | None = None
    link_demand_ratio: float | None = None
    estimate_low_bps: float | None = None
    estimate_high_bps: float | None = None
    burst_open: bool | None = None
    limited_by: str | None = None
    stale_s: float | None = None
    reason: str | None = None


@dataclass
class Totals:
    """The totals of all users so far."""

    users: int = 0
    bursts: int = 0
    bytes: int = 0
    throughput_time_ms: float = 0.0
    skipped: dict[str, int] = field(default_factory=dict)


@dataclass
class _User:
    """The bursts of one user in the window."""

    recent: deque[Burst] = field(default_factory=deque)
    bytes: int = 0
    arrived_s: float = 0.0
    open_since_ns: int | None = None
    open_until_ns: int | None = None


class Link:
    """The link of the user with most bytes, and the totals of all users.

    Parameters
    ----------
    stale_s : float
        Age from which an estimate is no longer given.
    """

    def __init__(self, stale_s: float = STALE_S) -> None:
        self._stale_s = stale_s
        self._lock = threading.Lock()
        self._users: OrderedDict[int, _User] = OrderedDict()
        self._totals = Totals()
        self._first_ns: int | None = None
        self._newest_ns: int | None = None
        self._heard_s: float | None = None

    def feed(self, bursts: Iterable[Burst], state: Mapping[str, Any], now_s: float) -> None:
        """Add closed bursts and the state of the log, which arrived at `now_s`."""
        with self._lock:
            if state["last_ns"] is not None and state["last_ns"] != self._newest_ns:
                self._first_ns, self._newest_ns = state["first_ns"], state["last_ns"]
                self._heard_s = now_s
            self._totals.skipped = dict(state["skipped"])
            for burst in bursts:
                self._add(burst, now_s)
            self._open(state["open"])

    def snapshot(self, now_s: float) -> Snapshot:
        """Return the state of the link at `now_s`."""
        with self._lock:
            found = self._busiest()
            if found is None:
                return Snapshot(ts_ns=self._newest_ns, reason="no burst has ended yet")
            return self._of(*found, now_s)

    def totals(self) -> Totals:
        """Return the totals so far."""
        with self._lock:
            return Totals(**{**vars(self._totals), "skipped": dict(self._totals.skipped)})

    def _add(self, burst: Burst, now_s: float) -> None:
        user = self._user(burst.user)
        user.recent.append(burst)
        user.bytes += burst.bytes or 0
        user.arrived_s = now_s
        self._totals.bursts += 1
        self._totals.bytes += burst.bytes or 0
        self._totals.throughput_time_ms += burst.throughput_time_ms
        self._forget(user)

    def _user(self, number: int) -> _User:
        if number not in self._users:
            self._users[number] = _User()
            self._totals.users += 1
        user = self._users[number]
        self._users.move_to_end(number)
        if len(self._users) > MOST_USERS:
            self._users.popitem(last=False)
        return user

    def _forget(self, user: _User) -> None:
        """Drop bursts that are older than the window."""
        begin_ns = user.recent[-1].end_ns - DEMAND_WINDOW_S * 1e9
        while user.recent and user.recent[0].end_ns < begin_ns:
            user.recent.popleft()

    def _open(self, open_bursts: Iterable[Mapping[str, int]]) -> None:
        for user in self._users.values():
            user.open_since_ns = user.open_until_ns = None
        for each in open_bursts:
            user = self._user(each["user"])
            user.open_since_ns, user.open_until_ns = each["start_ns"], each["end_ns"]

    def _busiest(self) -> tuple[int, _User] | None:
        known = [item for item in self._users.items() if item[1].bytes or item[1].open_since_ns]
        return max(known, key=lambda item: item[1].bytes, default=None)

    def _of(self, number: int, user: _User, now_s: float) -> Snapshot:
        last, age_s = user.recent[-1] if user.recent else None, self._age_s(user, now_s)
        silent_s = 0.0 if self._heard_s is None else now_s - self._heard_s
        alive = silent_s <= self._stale_s
        fresh = age_s is not None and age_s <= self._stale_s
        fresh_burst = last if fresh else None
        demand = self._demand(user) if alive else None
        return Snapshot(
            ts_ns=self._newest_ns,
            user=number,
            throughput_bps=fresh_burst.average_bps if fresh_burst else None,
            link_demand_ratio=demand,
            estimate_low_bps=fresh_burst.average_low_bps if fresh_burst else None,
            estimate_high_bps=fresh_burst.average_high_bps if fresh_burst else None,
            burst_open=user.open_since_ns is not None if alive else None,
            limited_by=_limited_by(demand),
            stale_s=age_s,
            reason=_reason(last, age_s, fresh),
        )

    def _age_s(self, user: _User, now_s: float) -> float | None:
        """Return the age of the last burst in s, by the clock that shows the larger one."""
        if not user.recent or self._newest_ns is None:
            return None
        by_log = (self._newest_ns - user.recent[-1].end_ns) / 1e9
        return max(by_log, now_s - user.arrived_s, 0.0)

    def _demand(self, user: _User) -> float | None:
        if self._newest_ns is None or self._first_ns is None:
            return None
        begin_ns = max(self._first_ns, self._newest_ns - round(DEMAND_WINDOW_S * 1e9))
        span_ns = self._newest_ns - begin_ns
        if span_ns <= 0:
            return None
        busy = [(burst.start_ns, burst.end_ns) for burst in user.recent]
        if user.open_since_ns is not None and user.open_until_ns is not None:
            busy.append((user.open_since_ns, user.open_until_ns))
        within = (min(end, self._newest_ns) - max(start, begin_ns) for start, end in busy)
        return min(sum(max(ns, 0) for ns in within) / span_ns, 1.0)


def _limited_by(demand: float | None) -> str | None:
    """Return the cause that the queue at the base station shows."""
    if demand is None:
        return None
    return _log_verdict.judge("live", DEMAND_WINDOW_S, demand, demand).cause


def _reason(last: Burst | None, age_s: float | None, fresh: bool) -> str | None:
    if last is None or last.average_bps is None:
        return "no burst of more than a millisecond and of known size has ended yet"
    if not fresh and age_s is not None:
        return f"stale: the last burst ended {age_s:.1f} s ago"
    return None
