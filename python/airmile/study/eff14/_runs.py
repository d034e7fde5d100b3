"""SQL of the flows in testbed runs of EFF14's experiments: short flows and those beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.store import Tables
from airmile.store._needs import Missing, of_phones
from airmile.study._cells import controls

if TYPE_CHECKING:
    from airmile.study._source import Source

SHORT_BYTES = 320 * 1024
"""The size of the short flow in bytes (EFF14 section 3)."""

HEAD_RATIO = 0.05
"""The largest share that the head of the answer adds to the size of the short flow."""

HOW = "make runs: sudo airmile testbed run eff14_a eff14_b eff14_c eff14_d -o runs"
"""How to get the runs of the paper's experiments."""

NETWORKS = {"3g": "3G", "3.5g": "3.5G", "hspa": "3.5G", "4g": "4G", "lte": "4G", "": "one network"}
"""The networks of the paper by the words in the names of runs."""

NETWORK = r"(?:^|-)(3g|3\.5g|hspa|4g|lte)(?:-|$)"
"""The network in the name of a run: ``eff14_c-hspa-1``, or ``3.5g-C-1`` of a campaign."""

EXPERIMENT = r"^(?:(?:3g|3\.5g|4g)-)?[^-.]*"
"""The experiment in the name of a run, with the network of a campaign's runs."""


def runs(given: Source) -> Tables:
    """Return the dataset of runs that a source is.

    Raises
    ------
    Missing
        The source is not a dataset: it has samples or published numbers.
    """
    if isinstance(given, Tables):
        return given
    raise Missing("these samples do not show single flows", HOW)


def flows(dataset: Tables) -> str:
    """Return SQL for the TCP flows with downlink payload, with their run and network.

    `seconds` is the completion time, from the SYN to the last byte (methods I0).
    """
    rows = of_phones(
        dataset, "uid", "protocol", "ue_port", "server_port", "start_ns",
        "dl_unique_bytes", "dl_first_payload_ns", "dl_last_payload_ns",
    )  # fmt: skip
    return f"""(
        SELECT flow.*, coalesce(cc, 'unknown') AS control,
            regexp_extract(run, '{NETWORK}', 1) AS network,
            (dl_last_payload_ns - start_ns) / 1e9 AS seconds,
            dl_unique_bytes BETWEEN {SHORT_BYTES} AND {SHORT_BYTES * (1 + HEAD_RATIO)} AS short
        FROM {rows} AS flow LEFT JOIN {controls(dataset)} USING (run, server_port, ue_port)
        WHERE protocol = 'tcp' AND dl_last_payload_ns > start_ns)"""
