"""A testbed: the TCP of the Linux kernel over an emulated LTE link whose every step is recorded.

An experiment (a TOML file, :mod:`airmile.testbed.experiment.toml_file`) names a link, the hosts at
its ends and the workload of the hosts. To run the experiment,
:mod:`airmile.testbed.run.emulated_run` makes three network namespaces and lets the engine's link
model carry their packets in real time. A run leaves captures at the phone, the monitor and the
server, a modem log, the state of the senders, and the truth: what the link did in every
millisecond.

A run needs Linux and root. :func:`simulate`, the same link in virtual time, needs neither.
"""

from airmile.testbed.experiment.recordings import write_trace
from airmile.testbed.experiment.sweep import load_all
from airmile.testbed.experiment.toml_file import Experiment, load
from airmile.testbed.truth.simulation import Download, Simulated, simulate, simulate_download

__all__ = [
    "Download",
    "Experiment",
    "Simulated",
    "load",
    "load_all",
    "simulate",
    "simulate_download",
    "write_trace",
]
