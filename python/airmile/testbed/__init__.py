"""A testbed: the kernel's own TCP over an emulated LTE link, with known truth.

An experiment (a TOML file, :mod:`airmile.testbed.experiment.toml_file`) names a link, the hosts at
its ends and what they do. A run of it (:mod:`airmile.testbed.run.emulated_run`) makes three network
namespaces, lets the link model of the engine carry their packets in real time, and leaves captures
at the phone, the monitor and the server, a modem log, the state of the senders and the truth of
every millisecond.

Linux and root are needed to run; :func:`simulate`, the same link in virtual time, needs neither.
"""

from airmile.testbed.experiment.recordings import write_trace
from airmile.testbed.experiment.sweep import load_all
from airmile.testbed.experiment.toml_file import Experiment, load
from airmile.testbed.truth.simulation import Simulated, simulate

__all__ = ["Experiment", "Simulated", "load", "load_all", "simulate", "write_trace"]
