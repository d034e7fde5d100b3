"""Figures and tables of papers, reproduced from a dataset: one package per paper.

An exhibit is a figure or a table of a paper. Called with a dataset, as in
``airmile.study.bt19.fig4(dataset)``, it returns the picture and the table that it shows;
``bt19.fig4.table(dataset)`` needs no matplotlib. The exhibits of `eff14` also accept a CSV file or
published numbers.
`EXHIBITS` lists them by study and name. If the dataset lacks data, an exhibit raises
:class:`Missing`, which says what is lacking and how to get it.

Examples
--------
>>> import airmile
>>> list(airmile.study.EXHIBITS["eff14"])
['fig1', 'fig2', 'fig3', 'fig4', 'table1', 'model', 'fig5', 'fig6', 'fig6b']
>>> airmile.study.bt19.fig4.table(airmile.open(example))
Traceback (most recent call last):
airmile.store._needs.Missing: ...
"""

from airmile.store._needs import Missing
from airmile.study import bt19, eff14, hwy18, lte13, up16
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._notes import notes_of

PAPERS = {
    "bt19": "Balasingam et al., Detecting if LTE is the Bottleneck with BurstTracker, MobiCom 2019",
    "eff14": "Garcia et al., A Measurement Based Study of TCP Protocol Efficiency in Cellular "
    "Networks, 2014",
    "hwy18": "Li et al., TCP CUBIC versus BBR on the Highway, PAM 2018",
    "lte13": "Huang et al., An In-depth Study of LTE, SIGCOMM 2013",
    "up16": "Guo et al., Understanding On-device Bufferbloat for Cellular Upload, IMC 2016",
}
"""The papers of the studies, by the short name of the study."""

EXHIBITS: dict[str, dict[str, Exhibit]] = {
    "bt19": bt19.EXHIBITS,
    "eff14": eff14.EXHIBITS,
    "hwy18": hwy18.EXHIBITS,
    "lte13": lte13.EXHIBITS,
    "up16": up16.EXHIBITS,
}

__all__ = [
    "EXHIBITS", "PAPERS", "Exhibit", "Finding", "Missing", "bt19", "eff14", "hwy18", "lte13",
    "notes_of", "up16",
]  # fmt: skip
