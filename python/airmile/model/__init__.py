"""Protocol efficiency of short flows: a model, and its inputs from measurements (EFF14).

:func:`completion_time`, :func:`optimal_time`, :func:`efficiency` and :func:`rounds` are formulas;
:func:`monte_carlo` draws their inputs from distributions, which :func:`read` takes from a dataset,
a CSV file or a paper; :func:`what_if` compares protocols over them.

Examples
--------
>>> import airmile
>>> float(airmile.model.efficiency(36e3, rate_bps=5.8e6, rtt_s=0.040).round(3))
0.592
>>> float(airmile.model.completion_time(36e3, 5.8e6, 0.040, transport="quic-0rtt").round(3))
0.112
"""

from airmile.model.density import BANDWIDTHS, Density
from airmile.model.formulas import completion_time, efficiency, optimal_time, rounds
from airmile.model.inputs import Inputs
from airmile.model.monte_carlo import monte_carlo
from airmile.model.published import PUBLISHED, Percentiles, Published
from airmile.model.sources import read
from airmile.model.transports import TRANSPORTS, Transport
from airmile.model.what_if import Scenario, what_if

__all__ = [
    "BANDWIDTHS",
    "PUBLISHED",
    "TRANSPORTS",
    "Density",
    "Inputs",
    "Percentiles",
    "Published",
    "Scenario",
    "Transport",
    "completion_time",
    "efficiency",
    "monte_carlo",
    "optimal_time",
    "read",
    "rounds",
    "what_if",
]
