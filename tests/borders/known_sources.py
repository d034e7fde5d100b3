"""The contents of the cited sources: specifications, and sections of papers and RFCs."""

from __future__ import annotations

from dataclasses import dataclass, field

from airmile._citations import Citation


@dataclass(frozen=True)
class Paper:
    """The sections, figures and tables of a paper, by their numbers."""

    sections: set[str]
    figures: int
    tables: set[str]
    formulas: set[str] = field(default_factory=set)


PAPERS = {
    "LTE13": Paper(
        {*"12345678", *("3.1", "3.2", "4.1", "4.2", "4.3", "4.4"), *("6.1", "6.2", "6.3")}
        | {"7.1", "7.2", "7.3"},
        figures=24,
        tables={"1"},
        formulas={"1", "2", "3"},
    ),
    "EFF14": Paper(
        {*"123456", "I", "II", "III", "IV", "V", "VI"}, figures=6, tables={"I"}, formulas={"1"}
    ),
    "UP16": Paper(
        {*"12345678", "4.1", "4.2", "4.3", "4.4", "6.1", "6.2"}, figures=20, tables=set()
    ),
    "BT19": Paper(
        {*"1234567", "2.1", "2.1.1", "2.1.2", "2.2", "3.1", "3.2", "3.2.1", "3.2.2", "3.2.3"}
        | {"3.3", "3.4", "3.4.1", "3.5", "4.1", "4.2", "4.2.1", "4.3", "4.4", "4.5"}
        | {"5.1", "5.2", "5.3"},
        figures=9,
        tables={"1"},
    ),
    "HWY18": Paper(
        {*"123456", "3.1", "3.2", "3.3"} | {f"5.{n}" for n in range(1, 9)},
        figures=17,
        tables={"1"},
    ),
}

SPECS = {
    **{"23.060": "GPRS", "23.401": "EPS", "29.281": "GTP-U"},
    **{"29.244": "PFCP", "29.274": "GTPv2-C"},
    **{"36.101": "LTE: UE radio", "36.133": "LTE: measurements", "36.211": "LTE: channels"},
    **{"36.212": "LTE: coding", "36.213": "LTE: procedures", "36.214": "LTE: quantities"},
    **{"36.300": "LTE: overview", "36.304": "LTE: idle mode", "36.321": "LTE: MAC"},
    **{"36.322": "LTE: RLC", "36.323": "LTE: PDCP", "36.331": "LTE: RRC"},
    **{"38.101-1": "NR: UE radio", "38.104": "NR: base station", "38.133": "NR: measurements"},
    **{"38.211": "NR: channels", "38.214": "NR: procedures", "38.331": "NR: RRC"},
    "38.415": "NR: user plane of the tunnel",
}
"""The specifications of 3GPP that airmile cites, each with its subject."""

LAST = {
    **{"791": 3, "1035": 9, "1122": 5, "3168": 24, "5246": 12, "5681": 8, "6298": 9},
    **{"7323": 9, "8446": 12, "9000": 22, "9001": 11, "9113": 12, "9293": 8},
    **{"5681.3": 2, "5681.4": 3, "6298.2": 5, "6298.5": 7, "7323.5": 8, "8446.4": 6},
    **{"8446.5": 5, "9293.3": 10, "9113.6": 10},
}
"""The last section of an RFC, or of one of its sections: "9293.3" is 10, because of 3.10."""

_MOST = 24


def fault(citation: Citation) -> str | None:
    """Return what a citation names that does not exist in the RFC, specification or paper."""
    word, _, number = citation.part.partition(" ")
    if citation.kind == "rfc" and word == "section":
        return None if _in_rfc(citation.name, number) else f"RFC {citation.name} has no {number}"
    if citation.kind == "3gpp":
        return None if citation.name in SPECS else f"TS {citation.name} is not in the list"
    if citation.kind == "paper" and word:
        held = _in_paper(PAPERS[citation.name], word, number)
        return None if held else f"{citation.name} has no {citation.part}"
    return None


def _in_rfc(name: str, section: str) -> bool:
    levels = section.split(".")
    if not all(level.isdigit() and 0 < int(level) <= 50 for level in levels):
        return False
    last = LAST.get(name, _MOST)
    inner = LAST.get(f"{name}.{levels[0]}", 50)
    return int(levels[0]) <= last and (len(levels) == 1 or int(levels[1]) <= inner)


def _in_paper(paper: Paper, word: str, number: str) -> bool:
    if word == "section":
        return number in paper.sections
    if word == "figure":
        return 0 < int(number.rstrip("abcd")) <= paper.figures
    return number in (paper.tables if word == "table" else paper.formulas)
