"""Numbers of LTE13 section 7: contents, receive windows and time lost."""

from __future__ import annotations

from collections.abc import Iterator

from airmile.study._numbers import Number, part, quantile, share
from airmile.study.lte13._flows import of_table, of_tcp

WINDOW_BYTES, NEAR_BYTES = 131_712, 600
"""Initial receive window of nearly all phones in the paper, and how near theirs are to it."""


def numbers() -> Iterator[Number]:
    """Give the numbers in the order of the paper."""
    for kind, published in (
        ("video", "37.8 %"), ("image", "19.5 %"), ("text", "11.8 %"), ("zip", "8.3 %"),
        ("audio", "6.5 %"), ("other", "5.6 %"), ("unknown", "10.5 %"),
    ):  # fmt: skip
        yield _part(f"{kind}, of HTTP bytes", published, f"class = '{kind}'")
    octets = "content_type = 'application/octet-stream'"
    yield _part("octet-stream, of video", "12.9 %", octets, "class = 'video'")
    yield from _windows()
    yield from _radio()


def _part(quantity: str, published: str, condition: str, of: str = "class IS NOT NULL") -> Number:
    """Return a share of the bytes of responses in clear that were captured with their head."""
    query = part("body_bytes", condition, f"(FROM {{}} WHERE {of})")
    columns = ("class", "content_type", "body_bytes")
    return Number(
        "7.1", quantity, "share", published, "F1", of_table("http", columns, query.format)
    )


def _windows() -> Iterator[Number]:
    window = "ue_initial_window_bytes"
    yield Number("7.2", "initial receive window, median", "bytes", "131.8 KB", "C6",
                 of_tcp((window,), quantile(window, 0.5, "{}").format))  # fmt: skip
    near = f"abs({window} - {WINDOW_BYTES}) <= {NEAR_BYTES}"
    yield Number("7.2", "initial receive window of 131,712 +/- 600 B", "share", "above 99 %", "C6",
                 of_tcp((window,), share(near, "{}").format))  # fmt: skip
    columns = ("window_full_s", "window_full_first_ratio", "dl_payload_bytes")
    full = share("window_full_s > 0", "{}", "dl_payload_bytes > 0")
    yield Number("7.2", "downlink flows with a full receive window", "share", "52.6 %", "C6",
                 of_tcp(columns, full.format))  # fmt: skip
    first = share("window_full_first_ratio <= 0.1", "{}", "window_full_s > 0")
    yield Number("7.2", "of those: first full in the first tenth", "share", "91.2 %", "C6",
                 of_tcp(columns, first.format))  # fmt: skip


def _radio() -> Iterator[Number]:
    columns = ("radio_on_s", "promotions")
    yield Number(
        "7.2",
        "radio on in a session, median",
        "s",
        "38 s (one download)",
        "F3",
        of_table("sessions", columns, quantile("radio_on_s", 0.5, "{}").format),
    )
    yield Number(
        "7.2",
        "promotions in a session, median",
        "",
        "",
        "F3",
        of_table("sessions", columns, quantile("promotions", 0.5, "{}").format),
    )
