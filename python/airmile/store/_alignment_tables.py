"""The tables of an alignment: their columns, and the function that makes one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airmile.store._descriptions import Column, Described

if TYPE_CHECKING:
    import pyarrow as pa


PAIRED = (
    Column(
        "first_ns", "int64", "ns",
        "Time at which the packet passed the first capture point, by the clock of that capture.",
        "G9",
    ),
    Column(
        "second_ns", "int64", "ns",
        "Time at which the packet passed the second capture point, by the clock of that capture.",
        "G9",
    ),
    Column("direction", "utf8", "", "Direction of the packet.", "A2"),
    Column("ue", "utf8", "", "Address of the phone.", "A2"),
    Column("ue_port", "uint16", "", "Port of the phone.", "A2"),
    Column("server", "utf8", "", "Address of the server.", "A2"),
    Column("server_port", "uint16", "", "Port of the server.", "A2"),
    Column(
        "sequence", "int64", "", "Sequence number as written in the header.",
        "RFC 9293 section 3.1",
    ),
    Column(
        "payload_bytes", "int64", "bytes", "Bytes of payload in the first capture, by IP length.",
        "A5",
    ),
    Column(
        "whole", "bool", "",
        "Whether both captures contain the same segment; false when offloads joined segments in "
        "one of them, so that only the first byte is the same.",
        "A10",
    ),
)  # fmt: skip
"""The columns that the engine returns for each pair (crates/dataset/src/verbs/align/row.rs)."""

DELAY = (
    Column("delay_ms", "float64", "ms", "Delay between the two capture points.", "G9"),
    Column("delay_uncertainty_ms", "float64", "ms", "Largest error of the delay.", "G9"),
)  # fmt: skip

STEPS = (
    Column(
        "first_ns",
        "int64",
        "ns",
        "Time of the last shared packet before the step, in the first capture.",
        "G9",
    ),
    Column("second_ns", "int64", "ns", "Time of that packet in the second capture.", "G9"),
    Column("step_ms", "float64", "ms", "Change of the second clock less the first.", "G9"),
    Column("uncertainty_ms", "float64", "ms", "Largest error of the step.", "G9"),
)

E5 = (
    Column("ue", "utf8", "", "Address of the phone.", "E5"),
    Column("source", "utf8", "", "Estimator of the sample.", "E5"),
    Column("window_s", "float64", "s", "Length of the sliding window.", "E5"),
    Column(
        "time_ns", "int64", "ns",
        "Centre of the window, by the clock of the capture nearer to the phone.", "E5",
    ),
    Column(
        "throughput_bps", "float64", "bit/s",
        "Rate of the payload that arrived at the phone in the window.", "E5",
    ),
    Column(
        "bandwidth_bps", "float64", "bit/s",
        "Bandwidth sample nearest to the centre; the mean of those in the window for "
        "queue_evident; null without a sample.",
        "E5",
    ),
    Column("error_ratio", "float64", "", "Estimate / throughput - 1.", "E5"),
    Column(
        "busy", "bool", "",
        "Whether payload arrived in every 100 ms of the second around the centre.", "E5",
    ),
)  # fmt: skip

E5_CDF = (
    Column("window_s", "float64", "s", "Length of the sliding window.", "E5"),
    Column("source", "utf8", "", "Estimator.", "E5"),
    Column("share_ratio", "float64", "", "Share of the windows.", "E5"),
    Column("error_ratio", "float64", "", "Absolute error that this share does not exceed.", "E5"),
)

TABLES: Described = {
    "pairs": ("TCP packet that is in both captures, exactly once in each", (*PAIRED, *DELAY)),
    "clock_steps": ("step of one of the two clocks", STEPS),
    "e5": ("window in which payload arrived at the phone, by window length and estimator", E5),
    "e5_cdf": ("percentile of the errors in `e5`, by window length and estimator", E5_CDF),
}


def table(described: Sequence[Column], columns: Mapping[str, Any]) -> pa.Table:
    """Return a table of the described columns; NaN becomes null."""
    import pyarrow as pa

    fields = [
        pa.field(
            column.name,
            pa.type_for_alias(column.type),
            metadata={"unit": column.unit, "doc": column.doc, "cite": column.cite},
        )
        for column in described
    ]
    arrays = [pa.array(columns[field.name], field.type, from_pandas=True) for field in fields]
    return pa.table(arrays, schema=pa.schema(fields))
