"""Checks of a capture, with advice for the next one (docs/guide/how-to-capture.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airmile._words import captured, count, counted, percent, size
from airmile.answers.verdict import _failed, _sums
from airmile.doctor import Finding, named
from airmile.store._rows import rows

if TYPE_CHECKING:
    from airmile.store import Tables

LONGEST_HEADERS = 80
"""The bytes of an IPv4 header without options and the longest TCP header (RFC 791, RFC 9293)."""

LINK_HEADERS = {
    **{12: 0, 14: 0, 101: 0, 228: 0, 229: 0, 0: 4, 108: 4, 9: 4, 113: 16, 276: 20},
    **{149: 160, 258: 160},
}
"""The bytes before the IP header, by link type (LINKTYPE registry); other types have 14. Those of
PKTAP (149, 258) are its header and a loopback header."""

LONGEST_SNAP = 600
"""The snap length in bytes from which packets contain content: all headers are shorter."""

NOTEWORTHY_RATIO = 0.01
"""A fault in a smaller share of the flows does not affect the verdict."""

_WITHOUT_HEADER = "protocol = 'other' AND quality = 'no_header'"
"""The SQL condition for TCP packets without TCP header, which belong to no TCP flow."""

_FAULTS = {
    "mid_stream": (
        "opened before the capture: no handshake",
        "start recording before the transfers and restart the application: without SYN and "
        "SYN-ACK the window scale and the round trip without load are unknown",
    ),
    "one_sided": (
        "one direction only",
        "record both directions: both mirror ports into one pcapng, or give airmile both files "
        "at once",
    ),
    "capture_loss": (
        "ACKs for data that the recorder missed",
        "raise tcpdump's buffer (-B 65536), shorten -s, filter, or write to a faster disk",
    ),
    "capture_duplicates": (
        "packets recorded twice",
        "record one interface instead of any, or one mirror port; copies were counted once",
    ),
    "fragments": (
        "segments in IP fragments",
        "clamp the MSS to the MTU of the path; a filter by port keeps only the first fragment of a "
        "segment, because the others have no ports",
    ),
}
"""The words of the column `quality`, each with its meaning and advice."""


def findings(dataset: Tables) -> Iterator[Finding]:
    """Yield the findings about an analysed capture: first its file, then its flows."""
    yield from named(dataset.manifest["inputs"], _file)
    yield from _content(dataset)
    yield from _headers(dataset)
    yield from _flows(dataset)
    yield _place(dataset)


def _file(source: dict[str, Any]) -> Iterator[Finding]:
    yield from _damage(source)
    yield from _snap_length(source)
    yield from _recorder(source["counts"])
    yield from _clock(source["counts"])


def _damage(source: dict[str, Any]) -> Iterator[Finding]:
    for problem in source["problems"][:3]:
        place = "" if problem["offset"] is None else f"at byte {count(problem['offset'])}: "
        advice = problem.get("hint") or "copy the file again; everything before this was read"
        yield Finding("file", "error", place + problem["text"], advice)
    if not source["problems"] and source["counts"]["packets"] == 0:
        yield Finding(
            "file", "error", f"{source['format']}, no packets",
            "record again: tcpdump -D lists the interfaces; a filter may have dropped everything",
        )  # fmt: skip
    elif not source["problems"]:
        counted_packets = counted(source["counts"]["packets"], "packet")
        yield Finding("file", "ok", f"{source['format']}, {counted_packets}, read to its end")


def _snap_length(source: dict[str, Any]) -> Iterator[Finding]:
    cut = source["counts"]["cut_headers"]
    short = [each for each in source["interfaces"] if _is_short(each)]
    if cut:
        yield Finding(
            "snap length", "warning", f"{counted(cut, 'header')} cut",
            "keep more of each packet: tcpdump -s 128, or -s 200 inside GTP-U",
        )  # fmt: skip
    elif short:
        yield Finding(
            "snap length", "note", f"{short[0]['snap_length']} bytes: SACK options may be cut",
            "tcpdump -s 96 at least, -s 128 with IPv6, -s 200 inside GTP-U",
        )  # fmt: skip
    elif _mean_bytes(source) > LONGEST_SNAP:
        yield Finding(
            "snap length", "note", f"whole packets, {size(_mean_bytes(source))} each on average",
            "tcpdump -s 128: headers are enough, the file is smaller and contains no user data",
        )  # fmt: skip
    else:
        yield Finding("snap length", "ok", "no header was cut")


def _is_short(interface: dict[str, Any]) -> bool:
    link = LINK_HEADERS.get(interface["link_type"]["number"], 14)
    return bool(interface["snap_length"]) and interface["snap_length"] < link + LONGEST_HEADERS


def _mean_bytes(source: dict[str, Any]) -> float:
    """Return the mean bytes of a record; 0 if unknown, as for compressed files."""
    if "+" in (source["format"] or "+"):
        return 0.0
    packets: int = source["counts"]["packets"]
    return float(source["size_bytes"] or 0) / max(packets, 1)


def _recorder(counts: dict[str, int]) -> Iterator[Finding]:
    if counts["dropped_packets"]:
        yield Finding(
            "drops", "warning",
            f"the recorder says that it dropped {counted(counts['dropped_packets'], 'packet')}",
            "raise its buffer (tcpdump -B 65536), shorten -s, filter, or write to a faster disk",
        )  # fmt: skip
    if counts["super_segments"]:
        share = percent(counts["super_segments"] / max(counts["packets"], 1))
        yield Finding(
            "offloads", "warning",
            f"{counted(counts['super_segments'], 'record')} ({share}) contain several segments",
            "record at a mirror port; or switch them off while you record (sudo ethtool -K eth0 "
            "tso off gso off gro off lro off, with your interface for eth0), and afterwards on "
            "again those that `ethtool -k eth0` showed as on",
        )  # fmt: skip
    else:
        yield Finding("offloads", "ok", "one segment in each record")


def _clock(counts: dict[str, int]) -> Iterator[Finding]:
    back, ahead = counts["clock_steps_back"], counts.get("clock_jumps_ahead", 0)
    if back:
        yield Finding(
            "clock", "warning", f"{counted(back, 'step')} back",
            "let chrony or PTP slew the clock; if several receive queues reordered the records: "
            "reordercap IN OUT",
        )  # fmt: skip
    if ahead:
        yield Finding(
            "clock", "warning", f"{counted(ahead, 'jump')} of more than a day ahead",
            "set the clock before recording; keep captures of different days in separate files",
        )  # fmt: skip
    if not back and not ahead:
        yield Finding("clock", "ok", "no steps")


def _content(dataset: Tables) -> Iterator[Finding]:
    """Yield findings if there is no TCP, or if there is QUIC, which cannot be assessed."""
    query = f"""SELECT count(*) FILTER (protocol = 'tcp') AS tcp, sum(bytes) AS every,
            count(*) FILTER ({_WITHOUT_HEADER}) AS without_header,
            sum(bytes) FILTER (protocol = 'udp' AND server_port = 443) AS quic
        FROM (SELECT protocol, server_port, quality,
              coalesce(dl_payload_bytes, 0) + coalesce(ul_payload_bytes, 0) AS bytes FROM flows)"""
    row = rows(dataset, query)[0]
    if not row["tcp"] and not row["without_header"]:
        yield Finding(
            "content", "error", "no TCP flow",
            "record TCP: name the cellular interface, and check the filter",
        )  # fmt: skip
    if row["quic"] and row["quic"] > NOTEWORTHY_RATIO * row["every"]:
        share = percent(row["quic"] / row["every"])
        yield Finding(
            "content", "note", f"{share} of the payload is QUIC, which airmile cannot assess",
            "switch QUIC off in the application or browser and record again",
        )  # fmt: skip


def _headers(dataset: Tables) -> Iterator[Finding]:
    """Yield a finding about TCP packets without their header, which cannot be judged."""
    query = f"""SELECT count(*) FILTER (protocol = 'tcp') AS tcp,
            sum(packets)::BIGINT AS every,
            coalesce(sum(packets) FILTER ({_WITHOUT_HEADER}), 0)::BIGINT AS packets
        FROM (SELECT protocol, quality,
              coalesce(dl_packets, 0) + coalesce(ul_packets, 0) AS packets FROM flows)"""
    row = rows(dataset, query)[0]
    if not row["packets"]:
        return
    heavy = row["packets"] >= NOTEWORTHY_RATIO * row["every"]
    message = f"{counted(row['packets'], 'packet')} of TCP without the header"
    sources = dataset.manifest["inputs"]
    if any(source["counts"]["cut_headers"] for source in sources):
        lengths = {each["snap_length"] for source in sources for each in source["interfaces"]}
        kept = (
            f": the snap length was {min(lengths - {0, None})} bytes" if lengths - {0, None} else ""
        )
        message += f", cut by the snap length{kept}"
        advice = "keep more of each packet: tcpdump -s 128, or -s 200 inside GTP-U"
    else:
        message += ", in IP fragments after the first"
        advice = _FAULTS["fragments"][1]
    yield Finding(
        "content", "error" if not row["tcp"] else "warning" if heavy else "note", message, advice
    )


def _flows(dataset: Tables) -> Iterator[Finding]:
    """Yield the faults of TCP flows, each with its share of the bytes."""
    query = """WITH moved AS (SELECT uid, quality,
            coalesce(dl_payload_bytes, 0) + coalesce(ul_payload_bytes, 0) AS bytes
            FROM flows WHERE protocol = 'tcp'),
        faults AS (SELECT bytes, unnest(string_split(quality, ',')) AS word FROM moved)
        SELECT word, count(*) AS flows, sum(bytes) AS bytes, (SELECT count(*) FROM moved) AS every,
            (SELECT sum(bytes) FROM moved) AS every_byte
        FROM faults WHERE word <> '' GROUP BY word ORDER BY bytes DESC, word"""
    if not rows(dataset, "SELECT 1 FROM flows WHERE protocol = 'tcp' LIMIT 1"):
        return
    found = [row for row in rows(dataset, query) if row["word"] in _FAULTS]
    for row in found:
        what, advice = _FAULTS[row["word"]]
        share = row["bytes"] / row["every_byte"] if row["every_byte"] else 1.0
        heavy = max(share, row["flows"] / row["every"]) >= NOTEWORTHY_RATIO
        message = f"{count(row['flows'])} of {counted(row['every'], 'TCP flow')}: {what}"
        yield Finding(
            row["word"].replace("_", " "), "warning" if heavy else "note",
            f"{message} ({percent(share)} of the bytes)", advice,
        )  # fmt: skip
    yield from _unopened(dataset)
    if not found and (every := _opened(dataset)):
        yield Finding("flows", "ok", f"both directions and the handshake of every {every}")


def _opened(dataset: Tables) -> str:
    """Return the flows that have a handshake, in words; nothing if no connection opened."""
    flows, never = _sums.of(dataset)["totals"]["tcp_flows"], _failed.never_opened(dataset)
    if never == flows:
        return ""
    return "TCP flow that opened" if never else "TCP flow"


def _unopened(dataset: Tables) -> Iterator[Finding]:
    """Yield the connections that never opened, which is no fault of the capture."""
    flows = counted(_sums.of(dataset)["totals"]["tcp_flows"], "TCP flow")
    for failure in _failed.failures(dataset):
        if failure.kind in _failed.CONNECTIONS:
            message = f"of {flows}, {failure.text}"
            yield Finding(failure.kind, "note", message, next(_failed.advice((failure,))))


def _place(dataset: Tables) -> Finding:
    value = dataset.manifest["vantage"]["value"]
    if value is None:
        return Finding(
            "place", "note", "the handshakes do not show where the capture was taken",
            "give it: --vantage ue, monitor or server",
        )  # fmt: skip
    return Finding("place", "ok", captured(value))
