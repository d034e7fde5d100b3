"""The state of the link in the text format 0.0.4 of Prometheus, in base units, without labels.

An unknown or stale value has no sample, so that Prometheus shows a gap instead of the last value.
"""

from __future__ import annotations

from collections.abc import Iterator

from airmile.live.link import Link

TYPE = "text/plain; version=0.0.4; charset=utf-8"

Sample = tuple[str, float]


def text(link: Link, now_s: float) -> str:
    """Return every metric that has a value now."""
    return "".join(_metrics(link, now_s))


def _metrics(link: Link, now_s: float) -> Iterator[str]:
    now, totals = link.snapshot(now_s), link.totals()
    yield from _gauge(
        "airmile_link_throughput_bps",
        "Mean throughput of the last five bursts, by duration.",
        now.throughput_bps,
    )
    yield from _gauge(
        "airmile_link_demand_ratio",
        "Share of the last seconds in which the queue at the base station held data.",
        now.link_demand_ratio,
    )
    yield from _gauge(
        "airmile_link_estimate_age_seconds", "Time since the last burst ended.", now.stale_s
    )
    yield from _counter("airmile_bursts_total", "Bursts that ended.", [("", totals.bursts)])
    yield from _counter(
        "airmile_throughput_time_seconds_total",
        "Throughput Time of these bursts.",
        [("", totals.throughput_time_ms / 1e3)],
    )
    yield from _counter(
        "airmile_bytes_total",
        "Bytes of the bursts.",
        [('{dir="downlink"}', totals.bytes)],
    )
    yield from _counter(
        "airmile_modem_records_skipped_total",
        "Pieces of the modem's log that could not be used, by reason.",
        [(f'{{reason="{_escaped(name)}"}}', n) for name, n in sorted(totals.skipped.items())],
    )


def _gauge(name: str, doc: str, value: float | None) -> Iterator[str]:
    if value is not None:
        yield f"# HELP {name} {doc}\n# TYPE {name} gauge\n{name} {value:.6g}\n"


def _counter(name: str, doc: str, samples: list[Sample]) -> Iterator[str]:
    if samples:
        yield f"# HELP {name} {doc}\n# TYPE {name} counter\n"
    for labels, value in samples:
        yield f"{name}{labels} {value:.15g}\n"


def _escaped(label: str) -> str:
    return label.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
