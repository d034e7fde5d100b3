"""What to do where a dataset lacks a table."""

from __future__ import annotations

from airmile.store._tables import OF_SAMPLES

MODEM = "analyse the capture together with the modem's log: airmile analyze CAPTURE --modem LOG"
TRUTH = "only runs of `airmile testbed` have the truth: airmile testbed run NAME"
SAMPLES = "analyse the capture with --samples"
CAPTURE = "it comes from a capture: airmile analyze CAPTURE"
PAIR = "lay a capture at the phone beside one at the server: airmile align PHONE OTHER -o DIR"
MANY = "airmile analyze CAPTURES/ -o ALL.airmile"
"""The command that analyses several captures together."""

REMEDIES = {
    **dict.fromkeys(("ttis", "bursts", "cells", "handovers", "buffer_status"), MODEM),
    **dict.fromkeys(("truth_ttis", "truth_tcp", "trials", "clips", "video"), TRUTH),
    "e5": PAIR,
    **dict.fromkeys(OF_SAMPLES, SAMPLES),
}
"""How to get the tables that not every analysis of a capture writes."""
