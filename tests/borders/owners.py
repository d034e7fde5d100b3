"""The place that computes each definition of docs/methods."""

from __future__ import annotations

FLOWS = "crates/analyze/src/flows"
TRACK = "crates/track/src"
EVIDENCE = "crates/verdict/src/evidence"
RADIO = "crates/radio/src"
PYTHON = "python/airmile"

OWNERS: dict[str, dict[str, str]] = {
    "A1": {"crates/dataset/src/shards/captures.rs": ""},
    "A2": {f"{TRACK}/tracker/side.rs": ""},
    "A3": {f"{TRACK}/tracker/subscribers.rs": ""},
    "A4": {f"{TRACK}/tracker/flow.rs": ""},
    "A5": {f"{FLOWS}/volume/mod.rs": ""},
    "A6": {f"{FLOWS}/ending/mod.rs": ""},
    "A7": {f"{FLOWS}/service/mod.rs": ""},
    "A8": {f"{PYTHON}/answers/concurrency.py": ""},
    "A9": {f"{FLOWS}/slots/mod.rs": "slots", f"{FLOWS}/payload_bursts/mod.rs": "bursts"},
    "A10": {f"{FLOWS}/quality/mod.rs": ""},
    "A11": {f"{TRACK}/tracker/votes.rs": ""},
    "A12": {"crates/analyze/src/identity.rs": ""},
    "B1": {f"{FLOWS}/handshake/mod.rs": ""},
    "B1'": {"crates/verdict/src/transfers/opening.rs": ""},
    "B2": {f"{FLOWS}/promotion/mod.rs": ""},
    "B3": {f"{FLOWS}/dns/mod.rs": ""},
    "B4": {f"{TRACK}/scoreboard/acknowledge.rs": ""},
    "B5": {f"{FLOWS}/pings/mod.rs": ""},
    "B6": {f"{FLOWS}/self_inflicted/mod.rs": ""},
    "B7": {f"{FLOWS}/on_device/mod.rs": ""},
    "B8": {f"{EVIDENCE}/fine_uplink.rs": ""},
    "C1": {f"{TRACK}/scoreboard/mod.rs": ""},
    "C2": {f"{TRACK}/scoreboard/send.rs": ""},
    "C3": {f"{TRACK}/scoreboard/acknowledge.rs": ""},
    "C4": {
        f"{FLOWS}/loss_episodes/rss.rs": "R_ss of LTE13",
        f"{FLOWS}/loss_episodes/train.rs": "trains of duplicate ACKs",
        f"{FLOWS}/loss_episodes/episode.rs": "a timeout that was undone",
        f"{EVIDENCE}/sender/repair.rs": "the time that timeouts and repairs take",
        f"{EVIDENCE}/sender/lost_flight.rs": "a timeout that only what follows shows",
    },
    "C5": {
        f"{TRACK}/scoreboard/timer.rs": "the three rules",
        f"{FLOWS}/rto/sender.rs": "samples from duplicate ACKs, and what they would have prevented",
    },
    "C6": {
        f"{EVIDENCE}/receiver_window.rs": "full and closed",
        f"{TRACK}/scoreboard/window.rs": "the edge that the sender knew",
        f"{TRACK}/tracker/scale.rs": "the scale without the handshake",
        f"{TRACK}/scoreboard/unit.rs": "the MSS without the handshake",
    },
    "C7": {
        f"{EVIDENCE}/idle_gaps/flights.rs": "the class of a gap",
        f"{EVIDENCE}/idle_gaps/regain.rs": "the time that a restart takes",
    },
    "C8": {f"{FLOWS}/options/mod.rs": "", f"{FLOWS}/ecn/mod.rs": "marks"},
    "D1": {f"{FLOWS}/fair/mod.rs": ""},
    "D2": {f"{FLOWS}/truncated/mod.rs": ""},
    "D3": {f"{FLOWS}/throughput/mod.rs": ""},
    "E1": {
        f"{TRACK}/ticks.rs": "the ticks that there are",
        f"{FLOWS}/tick/fit.rs": "the tick that the packets show",
        f"{PYTHON}/study/lte13/fig18_tick.py": "LTE13's tick by two packets",
    },
    "E2": {f"{FLOWS}/bandwidth/estimators.rs": ""},
    "E3": {f"{FLOWS}/bandwidth/link.rs": ""},
    "E4": {f"{FLOWS}/bandwidth/used.rs": "", f"{FLOWS}/bandwidth/utilisation.rs": "of a flow"},
    "E5": {f"{PYTHON}/answers/pair/validation.py": ""},
    "E6": {f"{PYTHON}/study/lte13/section63_utilisation.py": ""},
    "F1": {
        f"{FLOWS}/http/row.rs": "HTTP",
        f"{FLOWS}/quic/mod.rs": "QUIC",
        f"{FLOWS}/tls/mod.rs": "TLS",
    },
    "F2": {f"{PYTHON}/answers/periodic.py": ""},
    "F3": {
        "crates/analyze/src/sessions/energy.rs": "energy",
        f"{PYTHON}/answers/radio_on.py": "radio-on time with its bounds",
    },
    "G1": {f"{RADIO}/log/rows.rs": "rows", f"{RADIO}/tti/aggregation.rs": "TTI aggregation"},
    "G2": {f"{RADIO}/bursts/rule.rs": ""},
    "G3": {f"{RADIO}/demand.rs": "link demand", f"{RADIO}/queue/mod.rs": "the queue estimate"},
    "G4": {f"{RADIO}/bursts/average.rs": ""},
    "G5": {"crates/read/src/modem/diag/messages/downlink_blocks.rs": ""},
    "G6": {f"{PYTHON}/study/_cells.py": ""},
    "G7": {
        f"{RADIO}/handovers/signalled.rs": "from RRC messages",
        f"{RADIO}/handovers/measured.rs": "from measurements",
    },
    "G8": {f"{PYTHON}/uplink/occupancy.py": "", f"{PYTHON}/uplink/device.py": "on the device"},
    "G9": {f"{RADIO}/clock/bounds.rs": "a log", f"{PYTHON}/answers/pair/clocks.py": "two captures"},
    "G10": {f"{RADIO}/order/mod.rs": ""},
    "H1": {f"{PYTHON}/study/eff14/fig1_runs.py": ""},
    "H2": {f"{PYTHON}/study/hwy18/numbers.py": ""},
    "H3": {f"{PYTHON}/study/bt19/fig1_speed_tests.py": ""},
    "H4": {f"{PYTHON}/campaign/known/lte13_slow_start.py": ""},
    "H5": {f"{PYTHON}/testbed/truth/__init__.py": ""},
    "H6": {f"{PYTHON}/testbed/truth/labels.py": ""},
    "H7": {f"{PYTHON}/campaign/rule.py": ""},
    "H8": {f"{PYTHON}/testbed/truth/trials/__init__.py": ""},
    "I0": {f"{PYTHON}/model/inputs.py": ""},
    "I1": {f"{PYTHON}/model/formulas.py": ""},
    "I2": {f"{PYTHON}/model/monte_carlo.py": ""},
    "I3": {f"{PYTHON}/comparison/inference/__init__.py": ""},
    "I4": {f"{PYTHON}/study/_curves.py": ""},
    "T1": {"crates/verdict/src/transfers/boundary.rs": ""},
    "T2": {"crates/verdict/src/slices/cut.rs": ""},
    "T3": {f"{EVIDENCE}/wait.rs": "the wait", f"{EVIDENCE}/idle_gaps/mod.rs": "the gap"},
    "T4": {f"{TRACK}/scoreboard/state.rs": ""},
    "T5": {f"{PYTHON}/store/_definitions.py": ""},
    "T6": {"crates/verdict/src/rule/slice.rs": ""},
    "T7": {f"{EVIDENCE}/queue.rs": ""},
    "T8": {f"{EVIDENCE}/sender.rs": ""},
    "T9": {"crates/verdict/src/rule/certainty.rs": ""},
    "T10": {f"{PYTHON}/mechanisms/__init__.py": ""},
}
"""Files by definition; where a definition has several measures, with the measure of each file."""

SHARED = {
    f"{TRACK}/scoreboard/acknowledge.rs": "one walk over what an ACK covers gives its RTT and says "
    "whether it is a duplicate",
}
"""Files that compute more than one definition, each with the reason."""
