//! Computes how long the radio of a subscriber was on, and how much energy that took (methods F3).
//!
//! Input: the times of all packets of the subscriber, in either direction, of any protocol. Output:
//! radio-on time, promotions, energy. Bias: the timers of the network are assumed
//! (`sessions.tail_s`), not measured. If the operator's tail is shorter, all three outputs are too
//! large.

use airmile_track::SessionFacts;
use airmile_types::{Direction, Instant, Parameters};

use super::silence::Silence;

/// The state of a subscriber's radio, from the packets so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RadioEnergy {
    last: Option<Instant>,
    /// The time for which the radio was on between packets, in seconds, without the tail after the
    /// last packet.
    on_s: f64,
    /// The part of that time in continuous reception, in seconds.
    active_s: f64,
    promotions: i64,
}

/// The use of the radio in a session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RadioUse {
    pub(crate) on_s: f64,
    pub(crate) promotions: i64,
    pub(crate) energy_j: f64,
}

impl RadioEnergy {
    /// Takes a packet of the subscriber, and returns the silence before it if that is long enough
    /// for a row. Overlapping tails merge; after a longer gap the radio needs a promotion.
    #[inline]
    pub(crate) fn on_packet(&mut self, time: Instant, parameters: &Parameters) -> Option<Silence> {
        let Some(last) = self.last else {
            (self.promotions, self.last) = (1, Some(time));
            return None;
        };
        if last >= time {
            return None;
        }
        self.last = Some(time);
        let gap_s = (time - last).as_secs_f64();
        if gap_s <= parameters.tail_s && gap_s <= parameters.least_listed_silence_s {
            self.on_s += gap_s;
            self.active_s += least(gap_s, parameters.inactivity_ms / 1e3);
            return None;
        }
        self.wake(gap_s, parameters);
        (gap_s > parameters.least_listed_silence_s).then_some(Silence { start: last, end: time })
    }

    /// The use of the radio, including the tail after the last packet.
    pub(crate) fn finish(mut self, session: &SessionFacts, parameters: &Parameters) -> RadioUse {
        self.add(parameters.tail_s, parameters);
        RadioUse {
            on_s: self.on_s,
            promotions: self.promotions,
            energy_j: self.energy_mj(session, parameters) / 1e3,
        }
    }

    #[cold]
    fn wake(&mut self, gap_s: f64, parameters: &Parameters) {
        self.add(gap_s, parameters);
        self.promotions += i64::from(gap_s > parameters.tail_s);
    }

    fn add(&mut self, gap_s: f64, parameters: &Parameters) {
        let on_s = least(gap_s, parameters.tail_s);
        self.on_s += on_s;
        self.active_s += least(on_s, parameters.inactivity_ms / 1e3);
    }

    /// The energy in millijoules, by Huang et al., MobiSys 2012, section 4.4: a base power for each
    /// state, and energy per megabit.
    fn energy_mj(&self, session: &SessionFacts, parameters: &Parameters) -> f64 {
        let megabits = |direction| *session.payload_bytes.of(direction) as f64 * 8.0 / 1e6;
        self.promotions as f64 * parameters.promotion_mw * parameters.promotion_model_ms / 1e3
            + self.active_s * parameters.active_mw
            + (self.on_s - self.active_s) * parameters.tail_mw
            + megabits(Direction::Uplink) * parameters.uplink_mj_per_mbit
            + megabits(Direction::Downlink) * parameters.downlink_mj_per_mbit
    }
}

/// The smaller of two numbers, without the check for NaN that `f64::min` makes.
#[inline]
fn least(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[cfg(test)]
mod tests {
    use crate::script::{Collected, Value, run};

    fn number(outcome: &Collected, row: usize, column: &str) -> f64 {
        match outcome.table("sessions").and_then(|table| table.cell(row, column)) {
            Some(Value::F64(value)) => *value,
            Some(Value::I64(value)) => *value as f64,
            other => panic!("{column}: {other:?}"),
        }
    }

    #[test]
    fn one_packet_costs_a_promotion_and_a_tail() {
        let outcome = run("+0 > udp (0)").unwrap();
        assert_eq!(number(&outcome, 0, "radio_on_s"), 10.0);
        assert_eq!(number(&outcome, 0, "promotions"), 1.0);
        let expected = 1.2107 * 0.2601 + 1.28804 * 0.1 + 1.06 * 9.9;
        assert!((number(&outcome, 0, "energy_j") - expected).abs() < 1e-9);
    }

    #[test]
    fn tails_merge_and_long_gaps_promote() {
        let outcome =
            run("+0 > udp (1)\n+4 < udp (1)\n+30 > udp (1) {flow 2}\n+10 < udp (1) {flow 2}")
                .unwrap();
        assert_eq!(number(&outcome, 0, "radio_on_s"), 4.0 + 10.0 + 10.0 + 10.0);
        assert_eq!(number(&outcome, 0, "promotions"), 2.0);
    }

    #[test]
    fn bytes_cost_by_direction() {
        let none = run("+0 > udp (0)\n+0 < udp (0)").unwrap();
        let some = run("+0 > udp (12500)\n+0 < udp (12500)").unwrap();
        let extra = number(&some, 0, "energy_j") - number(&none, 0, "energy_j");
        assert!((extra - 0.1 * (0.43839 + 0.05197)).abs() < 1e-9);
    }

    /// The cost of a delayed FIN (LTE13 section 7.2).
    #[test]
    fn a_late_fin_costs_a_tail_but_nothing_while_another_flow_keeps_the_radio_on() {
        let radio_on = |others: &str, fin: &str| {
            let text = format!("+0 > . 1:101(100) ack 1\n{others}{fin}");
            number(&run(&text).unwrap(), 0, "radio_on_s")
        };
        let alone = radio_on("", "40 > F. 101:101(0) ack 1\n") - radio_on("", "");
        let others: String =
            (1..=12).map(|n| format!("{} < udp (9) {{flow 2}}\n", n * 5)).collect();
        let (before, after) = others.split_at(others.find("45 <").unwrap());
        let kept_on = radio_on(&format!("{before}40.1 > F. 101:101(0) ack 1\n{after}"), "");
        assert_eq!(alone, 10.0);
        assert_eq!(kept_on, radio_on(&others, ""));
    }

    #[test]
    fn another_tail() {
        let outcome = run("set sessions.tail_s = 3\n+0 > udp (0)\n+4 > udp (0)").unwrap();
        assert_eq!(number(&outcome, 0, "radio_on_s"), 6.0);
        assert_eq!(number(&outcome, 0, "promotions"), 2.0);
    }
}
