"""Translates the words of MobileInsight's dumps to the numbers of the messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Value = Any
"""The value of a leaf of a dump: a number, a word, or nothing."""

_RNTI = {"C": 0, "SPS": 1, "P": 2, "RA": 3, "Temporary-C": 4, "SI": 5}
_CHANNELS = {
    "PHR": 26,
    "C-RNTI": 27,
    "T-BSR": 28,
    "S-BSR": 29,
    "TA": 29,
    "L-BSR": 30,
    "Padding": 31,
}
_ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth")

_WORDS: dict[str, dict[str, int]] = {
    "Carrier Index": {"PCC": 0, "SCC": 1},
    "CSF Tx Mode": {"TM_CL_SM": 4},
    "BSR event": {"None": 0, "Periodic": 1, "High Data Arrival": 2, "Robustness BSR": 3},
    "BSR trig": {
        **{"No BSR": 0, "Cancelled": 1, "L-BSR": 2, "S-BSR": 3},
        **{"Pad L-BSR": 4, "Pad S-BSR": 5},
    },
    "LC ID": _CHANNELS,
    "Re-tx Index": {word: number for number, word in enumerate(_ORDINALS)},
    "PUSCH Mod Order": {"QPSK": 1, "16QAM": 2, "16-QAM": 2, "64QAM": 3, "64-QAM": 3},
    "ACK": {"None": 0, "Exists": 1},
    "CQI": {"None": 0, "Exists": 1},
    "RI": {"None": 0, "Exists": 1},
    "Frequency Hopping": {"Disabled": 0},
    "RB Mode": {"AM": 1},
    "SRB Cipher Algorithm": {"LTE SNOW-3G": 2, "LTE AES": 3, "None": 7},
    "DRB Cipher Algorithm": {"LTE SNOW-3G": 2, "LTE AES": 3, "None": 7},
    "CRC Result": {"Fail": 0, "Pass": 1},
    "Discarded reTx Present": {"None": 0, "Present": 1},
    "Did Recombining": {"No": 0, "Yes": 1},
    "ACK/NACK Decision": {"NACK": 0, "ACK": 1},
    "HSIC Enabled": {"Disabled": 0},
    "MCS 0": {"QPSK": 2, "16QAM": 4, "64QAM": 6},
    "MCS 1": {"QPSK": 2, "16QAM": 4, "64QAM": 6},
    "Frequency Selective PMI": {"WideBand": 0},
    "Transmission Scheme": {"Transmit diversity": 2, "Closed-loop spatial multiplexing": 4},
    "CIF Configured": {"False": 0, "True": 1},
    "Two bits CSI Configured": {"False": 0, "True": 1},
    "Aperiodic SRS Configured": {"False": 0, "True": 1},
    "Frame Structure": {"FDD": 0},
    "Num eNB Antennas": {"1 or 2": 0, "4 antennas": 2},
    "DL CP": {"Normal": 0},
    "Search Space Type": {"Common": 0, "UE-specific": 1},
    "DCI Format": {"Format 0": 0, "Format 1A": 2, "Format 2": 6},
    "Tail Match": {"Mismatch": 0, "Match": 1},
    "Prune Status": {
        **{"SUCCESS_DCI0": 1, "SUCCESS_DCI1A": 3, "SUCCESS_DCI2_2A_2B": 6, "TAIL_MISMATCH": 8},
        **{"FAIL_SURVIVOR_SELECT": 9, "DUPLICATE_HARQ_ID_ERROR": 17},
        **{"FAIL_SER_ENGYMTRC_CHECK": 64},
    },
}


def _prbs(bandwidth: str) -> int:
    """Give the PRBs of a bandwidth; the decoder prints a fifth of them, rounded down, as MHz.

    >>> _prbs("1 MHz"), _prbs("3 MHz"), _prbs("20 MHz")
    (6, 15, 100)
    """
    fifth = int(bandwidth.removesuffix(" MHz"))
    return 6 if fifth == 1 else 5 * fifth


_FORMS: dict[str, Callable[[str], int]] = {
    "Serving Cell Index": lambda word: 0 if word == "PCell" else int(word.split("_")[0]),
    "RNTI Type": lambda word: _RNTI[word.removesuffix("-RNTI")],
    "PDSCH RNTI Type": lambda word: _RNTI[word.removesuffix("-RNTI")],
    "Decode States": lambda word: _RNTI[word.removesuffix("-RNTI")],
    "Rank Index": lambda word: int(word.removeprefix("Rank ")),
    "Spatial Rank": lambda word: int(word.removeprefix("Rank ")),
    "Aggregation Level": lambda word: int(word.removeprefix("Agg")),
    "DL BW": _prbs,
    "Downlink bandwidth": _prbs,
    "Uplink bandwidth": _prbs,
    "FI": lambda word: int(word, 2),
    "cpt": lambda word: int(word.removeprefix("STATUS(").removesuffix(")")),
    "SN": lambda word: int(word.removeprefix("ACK_SN = ")),
    "Msg": lambda digits: len(digits) // 2,
}
"""Fields of which only the length is compared: the message itself."""


def number(field: str, value: Value) -> Value:
    """Give the number that a word of a field means; give other values as they are.

    >>> number("Serving Cell Index", "1_SCell"), number("LC ID", "Padding"), number("LC ID", "3")
    (1, 31, 3)
    >>> number("Modulation Type", "16QAM")
    '16QAM'
    """
    if not isinstance(value, str):
        return value
    if field in _FORMS:
        return _FORMS[field](value)
    known = _WORDS.get(field, {})
    if value in known:
        return known[value]
    return int(value) if value.lstrip("-").isdigit() else value
