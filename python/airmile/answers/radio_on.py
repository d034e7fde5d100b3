"""How long the radio of each phone was on, with a given tail or one found in the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from airmile._arguments import finite
from airmile._words import seconds
from airmile.answers._wakes import AT_ONCE_NS, WAKES
from airmile.answers.verdict._access import is_cellular
from airmile.store._needs import Missing, absent, nullable, source

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

_POWER = (
    "active_mw", "tail_mw", "promotion_mw", "promotion_ms", "inactivity_ms", "uplink_mj_per_mbit",
    "downlink_mj_per_mbit",
)  # fmt: skip
"""The parameters of the power model."""

AUTO: Literal["auto"] = "auto"
"""The value of the tail that means that it is found in the data."""


LONGEST_S = 180.0
"""The longest time after which a phone without data leaves the connection by a timer.

It is the largest value of `dataInactivityTimer` (TS 36.331 section 6.3.2). A network without radio
that sleeps answers after any silence at once.
"""


@dataclass(frozen=True)
class Tail:
    """How long a radio stays on after the last packet (methods F3).

    Attributes
    ----------
    low_s : float
        The tail is at least this long: the longest silence after which the radio was still awake.
    high_s : float or None
        The tail is shorter than this: the shortest silence after which the radio had to wake up.
        None if the data show no such silence.
    awake, woken : int
        Number of silences after which the radio was awake, and after which it had to wake up.
    contradicted : int
        Number of silences that contradict the interval: tails differed, or a promotion was
        mistaken.
    is_given : bool
        Whether the tail was given by the user instead of found in the data.
    """

    low_s: float
    high_s: float | None
    awake: int = 0
    woken: int = 0
    contradicted: int = 0
    is_given: bool = False

    @property
    def middle_s(self) -> float:
        """The middle of the interval, or its lower end if the upper end is unknown."""
        return self.low_s if self.high_s is None else (self.low_s + self.high_s) / 2


def tail(dataset: Tables) -> Tail:
    """Find the tail in the promotions of flows and the silences before them.

    A flow shows that the radio had to wake up if its promotion delay is beyond doubt. It shows that
    the radio was awake if the delay plus its uncertainty is below ``promotion.floor_ms``. All other
    flows show neither. The interval is the one that the fewest silences contradict.

    Parameters
    ----------
    dataset : Tables
        A dataset with captures.

    Returns
    -------
    Tail
        An interval in seconds. It begins at ``silences.least_s`` if there is no silence during
        which the radio stayed awake.

    Raises
    ------
    Missing
        No flow shows whether the radio was awake, or one was awake after a silence that is longer
        than any timer of a cellular network, and nothing proves that the network is cellular.

    Examples
    --------
    >>> import airmile as am
    >>> from airmile.answers import radio_on
    >>> radio_on.tail(am.open("run.airmile"))  # doctest: +SKIP
    Tail(low_s=5.91, high_s=6.09, awake=11, woken=20, contradicted=0, is_given=False)
    """
    found = dataset.records(_TAIL.format(**_sources(dataset), **_thresholds(dataset)))[0]
    if not found["awake"] + found["woken"]:
        raise Missing(
            "no flow shows whether the radio was awake",
            "give the tail in seconds (--tail 10), or capture silences of different lengths at the "
            "phone or with TCP timestamps",
        )
    if found["low_s"] > LONGEST_S and not is_cellular(dataset):
        raise Missing(
            f"after a silence of {seconds(found['low_s'])} nothing had to wake up, which is longer "
            f"than any timer of a cellular radio ({seconds(LONGEST_S)}): this network does not "
            "seem to be cellular",
            "give the tail in seconds (--tail 10) if it is",
        )
    return Tail(**found)


def table(dataset: Tables, tail_s: float | Literal["auto"] = AUTO) -> pa.Table:
    """Return for each session how long its radio was on, and the energy (methods F3).

    Parameters
    ----------
    dataset : Tables
        A dataset with captures.
    tail_s : float or "auto"
        The tail, not below ``silences.least_s``; or ``auto``, which finds it in the data.

    Returns
    -------
    pyarrow.Table
        A row per session: ``tail_s``, ``radio_on_s``, ``promotions``, ``energy_j``,
        ``ideal_radio_on_s`` and ``ideal_energy_j``, each as ``_low`` and ``_high``, and
        ``tail_source`` (``given`` or ``data``). The highs are null while the data bound the tail
        from below only, the ideal ones also without an estimate of the bandwidth.

    Raises
    ------
    Missing
        The dataset has no sessions, or its data do not show the tail.
    UsageError
        The tail is below ``silences.least_s``.

    Examples
    --------
    >>> import airmile as am
    >>> from airmile.answers import radio_on
    >>> radio_on.table(am.open("run.airmile"), tail_s=10.0)  # doctest: +SKIP
    """
    return of_tail(dataset, tail(dataset) if tail_s == AUTO else given(dataset, tail_s))


def given(dataset: Tables, tail_s: float) -> Tail:
    """Return a tail of known length; raise an error if it is shorter than known silences."""
    least_s = _parameter(dataset, "silences.least_s")
    wanted = f"a number of seconds of {least_s:g} or more: only such silences are known"
    length_s = finite("the tail", tail_s, wanted, least_s)
    return Tail(length_s, length_s, is_given=True)


def of_tail(dataset: Tables, tail: Tail) -> pa.Table:
    """Return the same as `table`, for a tail."""
    return dataset.arrow(query(dataset, tail))


def query(dataset: Tables, tail: Tail) -> str:
    """Return the SQL behind `table`, for a tail."""
    low, high = sql_number(tail.low_s), sql_number(tail.high_s)
    power = {name: _parameter(dataset, f"energy.{name}") for name in _POWER}
    wanted = {
        "energy_low": _energy("radio_on_low_s", "promotions_low"),
        "energy_high": _energy("radio_on_high_s", "with_high"),
        "ideal_low": _ideal_energy(low),
        "ideal_high": _ideal_energy(high),
    }
    columns = {name: form.format(**power) for name, form in wanted.items()}
    origin = "'given'" if tail.is_given else "'data'"
    sources = _sources(dataset)
    spread_ms = _parameter(dataset, "verdict.phone_spread_ms")
    floor_ms = _parameter(dataset, "promotion.floor_ms")
    wakes = WAKES.format(**sources, at_once_ns=AT_ONCE_NS, spread_ms=spread_ms, floor_ms=floor_ms)
    return _SESSIONS.format(**sources, **columns, wakes=wakes, low=low, high=high, source=origin)


@dataclass(frozen=True)
class Sums:
    """Sums over the sessions for the shortest and the longest tail.

    Attributes
    ----------
    sessions : int
        Number of sessions.
    radio_on_s, energy_j, ideal_radio_on_s, ideal_energy_j : tuple of float or None
        With the shortest tail and with the longest; None if unknown. The ideal ones are sums over
        the sessions whose bandwidth is known.
    promotions : tuple of float or None
        How often a radio woke up.
    with_ideal : int
        Number of sessions whose bandwidth is known.
    beside_ideal_s, beside_ideal_j : tuple of float or None
        The radio-on time and the energy of only these sessions.
    """

    sessions: int
    radio_on_s: tuple[float | None, float | None]
    promotions: tuple[float | None, float | None]
    energy_j: tuple[float | None, float | None]
    with_ideal: int
    ideal_radio_on_s: tuple[float | None, float | None]
    ideal_energy_j: tuple[float | None, float | None]
    beside_ideal_s: tuple[float | None, float | None]
    beside_ideal_j: tuple[float | None, float | None]


def sums(dataset: Tables, tail: Tail) -> Sums:
    """Return the sums over the rows of `of_tail`."""
    import pyarrow.compute as pc

    rows = of_tail(dataset, tail)
    known = rows.filter(pc.is_valid(rows["ideal_radio_on_low_s"]))

    def pair(table: pa.Table, stem: str, unit: str) -> tuple[float | None, float | None]:
        low, high = (pc.sum(table[f"{stem}_{end}{unit}"]).as_py() for end in ("low", "high"))
        return low, high

    return Sums(
        rows.num_rows,
        pair(rows, "radio_on", "_s"),
        pair(rows, "promotions", ""),
        pair(rows, "energy", "_j"),
        known.num_rows,
        pair(known, "ideal_radio_on", "_s"),
        pair(known, "ideal_energy", "_j"),
        pair(known, "radio_on", "_s"),
        pair(known, "energy", "_j"),
    )


def _energy(on_s: str, promotions: str) -> str:
    """Return SQL of the energy, which a tail changes by its duration and by promotions."""
    return (
        f"energy_j + (({on_s} - radio_on_s) * {{tail_mw}} "
        f"+ ({promotions} - promotions) * {{promotion_mw}} * {{promotion_ms}} / 1e3) / 1e3"
    )


def _ideal_energy(tail_s: str) -> str:
    """Return SQL of the energy of one promotion, the same bytes without a pause, and one tail."""
    return (
        "({promotion_mw} * {promotion_ms} / 1e3 + (busy_s + {inactivity_ms} / 1e3) * {active_mw} "
        f"+ ({tail_s} - {{inactivity_ms}} / 1e3) * {{tail_mw}} "
        "+ ul_bytes * 8 / 1e6 * {uplink_mj_per_mbit} "
        "+ dl_bytes * 8 / 1e6 * {downlink_mj_per_mbit}) / 1e3"
    )


def sql_number(value: float | None) -> str:
    """Return SQL of a number, or of a null of the same type."""
    return "NULL::DOUBLE" if value is None else f"{value!r}::DOUBLE"


def _sources(dataset: Tables) -> dict[str, str]:
    return {
        "flows": source(
            dataset, "flows", "session_id", "promotion_delay_ms", "promotion_doubtful",
            "promotion_uncertainty_ms", "promotion_source", "ue_idle_before_s",
            "dl_payload_bytes", "bandwidth_bps", "start_ns", "server", "handshake_rtt_ms",
        ),
        "sessions": source(
            dataset, "sessions", "session_id", "ue", "start_ns", "end_ns", "ul_bytes", "dl_bytes",
            "radio_on_s", "promotions", "energy_j", "capture",
        ),
        "coverage": _coverage(dataset),
        "silences": source(
            dataset, "silences", "session_id", "silence_s", "end_ns", "ended_by"
        ),
    }  # fmt: skip


def _coverage(dataset: Tables) -> str:
    """Return SQL of the captures; there are none in a dataset without captures."""
    if absent(dataset, "coverage", ("capture", "start_ns")):
        return f"(SELECT '' AS run, * FROM {nullable(dataset, 'coverage', 'capture', 'start_ns')})"
    return source(dataset, "coverage", "capture", "start_ns")


def _thresholds(dataset: Tables) -> dict[str, float]:
    names = {"floor_ms": "promotion.floor_ms", "least_s": "silences.least_s"}
    return {short: _parameter(dataset, name) for short, name in names.items()}


def _parameter(dataset: Tables, name: str) -> float:
    return float(dataset.manifest["parameters"][name])


_TAIL = """
WITH shown AS (
    SELECT NOT promotion_doubtful AS woke,
           ue_idle_before_s - CASE WHEN woke AND promotion_source <> 'handshake'
                                   THEN promotion_delay_ms / 1e3 ELSE 0 END AS silence_s
    FROM {flows}
    ANTI JOIN (FROM {sessions} WHERE radio_on_s IS NULL) USING (session_id)
    WHERE ue_idle_before_s > {least_s}
      AND (NOT promotion_doubtful
           OR promotion_delay_ms + promotion_uncertainty_ms < {floor_ms})),
steps AS (
    SELECT silence_s, count(*) FILTER (NOT woke) AS awake, count(*) FILTER (woke) AS woken
    FROM (FROM shown UNION ALL BY NAME SELECT {least_s} AS silence_s) GROUP BY silence_s),
cuts AS (
    SELECT sum(woken) OVER upto + sum(awake) OVER () - sum(awake) OVER upto AS contradicted,
           coalesce(max(silence_s) FILTER (awake > 0) OVER upto, {least_s}) AS low_s,
           min(silence_s) FILTER (woken > 0)
               OVER (ORDER BY silence_s ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS high_s
    FROM steps WINDOW upto AS (ORDER BY silence_s))
SELECT min(low_s) AS low_s, CASE WHEN count(high_s) = count(*) THEN max(high_s) END AS high_s,
       (SELECT count(*) FROM shown WHERE NOT woke) AS awake,
       (SELECT count(*) FROM shown WHERE woke) AS woken,
       any_value(contradicted)::BIGINT AS contradicted
FROM cuts WHERE contradicted = (SELECT min(contradicted) FROM cuts)"""
"""SQL of the tail's interval.

Elsewhere than at the phone, a SYN is seen after the promotion and ends a silence that includes the
promotion. Interfaces that are not cellular show no tail. A cut
divides the silences: those up to it are shorter than the tail. If several cuts are
contradicted by equally few silences, the interval covers them all.
"""

_SESSIONS = """
WITH {wakes},
quiet AS (
    SELECT session_id,
           sum(greatest(silence_s - {low}, 0)) AS off_low_s,
           sum(greatest(silence_s - {high}, 0)) AS off_high_s
    FROM {silences} GROUP BY session_id),
woken AS (
    SELECT session_id,
           count_if(silence_s > {low}) AS with_low, count_if(silence_s > {high}) AS with_high,
           count_if(silence_s > {high} AND (is_shown OR covered_s > {high})) AS surely,
           coalesce(sum(wait_high_s) FILTER (silence_s > {low}), 0) AS waited_high_s,
           coalesce(sum(wait_low_s) FILTER (silence_s > {high}), 0) AS waited_low_s
    FROM wakes GROUP BY session_id),
usual AS (SELECT session_id, median(bandwidth_bps) AS bps FROM {flows} GROUP BY session_id),
ideal AS (
    SELECT session_id, sum(dl_payload_bytes * 8 / coalesce(bandwidth_bps, bps)) AS busy_s
    FROM {flows} JOIN usual USING (session_id) GROUP BY session_id),
found AS (
    SELECT *, (end_ns - start_ns) / 1e9 AS span_s,
           span_s - coalesce(off_low_s, 0) - coalesce(waited_high_s, 0) + least({low}, after_s)
               AS radio_on_low_s,
           CASE WHEN {high} IS NOT NULL
                THEN span_s - coalesce(off_high_s, 0) - coalesce(waited_low_s, 0)
                     + least({high}, after_s) END AS radio_on_high_s,
           coalesce(with_low, 0) AS promotions_low,
           CASE WHEN {high} IS NOT NULL THEN coalesce(surely, 0) END AS promotions_high,
           CASE WHEN {high} IS NOT NULL THEN coalesce(with_high, 0) END AS with_high
    FROM {sessions} JOIN (SELECT session_id, after_s FROM phones) USING (session_id)
    LEFT JOIN woken USING (session_id)
    LEFT JOIN quiet USING (session_id) LEFT JOIN ideal USING (session_id))
SELECT session_id, ue, start_ns, {low} AS tail_low_s, {high} AS tail_high_s,
       {source} AS tail_source,
       radio_on_low_s, radio_on_high_s, promotions_low, promotions_high,
       {energy_low} AS energy_low_j, {energy_high} AS energy_high_j,
       busy_s + {low} AS ideal_radio_on_low_s, busy_s + {high} AS ideal_radio_on_high_s,
       {ideal_low} AS ideal_energy_low_j, {ideal_high} AS ideal_energy_high_j
FROM found ORDER BY start_ns, session_id"""
