//! Defines the silences of a phone, which show the use of the radio for any assumed length of the
//! tail (methods F3).

use airmile_types::{Direction, EventTable, Instant, columns};

columns! {
    /// A silence of a phone within a session.
    pub struct SilenceRow {
        /// The session in which the silence ended.
        #[unit("")] #[cite("A3")] pub session_id: u64,
        /// Time of the last packet before the silence, of any flow and protocol.
        #[unit("ns")] #[cite("F3")] pub start_ns: Instant,
        /// Time of the packet that ended the silence.
        #[unit("ns")] #[cite("F3")] pub end_ns: Instant,
        /// Length of the silence.
        #[unit("s")] #[cite("F3")] pub silence_s: f64,
        /// Direction of the packet that ended the silence.
        #[unit("")] #[cite("F3")] pub ended_by: Direction,
    }
}

impl EventTable for SilenceRow {
    const TABLE: &'static str = "silences";
    const DOC: &'static str = "One row per silence of a phone longer than `silences.least_s` within a session (methods F3): with a tail of T seconds the radio was off for `silence_s` - T of each that is longer.";
}

/// A time in which a phone has no packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Silence {
    pub(super) start: Instant,
    pub(super) end: Instant,
}

impl Silence {
    /// The row of the silence.
    pub(crate) fn row(self, session_id: u64, ended_by: Direction) -> SilenceRow {
        let silence_s = (self.end - self.start).as_secs_f64();
        SilenceRow { session_id, start_ns: self.start, end_ns: self.end, silence_s, ended_by }
    }
}

#[cfg(test)]
mod tests {
    use crate::script::{Collected, run};

    fn column(outcome: &Collected, table: &str, column: &str) -> Vec<String> {
        let table = outcome.table(table).unwrap();
        (0..table.rows.len()).map(|row| table.cell(row, column).unwrap().to_string()).collect()
    }

    #[test]
    fn silences_are_of_the_phone_not_of_a_flow() {
        let outcome = run("+0 > udp (1)\n+1 < udp (1)\n+1.5 > udp (1) {flow 2}\n\
             +2 > S 0:0(0) {flow 3}\n+0 < udp (1)\n+13 < udp (1) {flow 2}")
        .unwrap();
        assert_eq!(column(&outcome, "silences", "silence_s"), ["1.5", "2", "13"]);
        assert_eq!(column(&outcome, "silences", "ended_by"), ["uplink", "uplink", "downlink"]);
        let session = column(&outcome, "sessions", "session_id");
        assert!(column(&outcome, "silences", "session_id").iter().all(|id| *id == session[0]));
    }

    #[test]
    fn thirteen_seconds_broken_by_another_address_of_the_phone_are_two_silences() {
        let outcome = run("flow 2 = [2001:db8::1]:40001 - [2001:db8:ffff::9]:443\n\
             flow 3 = 10.0.0.2:40002 - 203.0.113.9:443\n\
             +0 > S 0:0(0) {flow 3 teid 7}\n+0 > S 0:0(0) {flow 2 teid 7}\n\
             +6 > udp (1) {flow 2 teid 7}\n+7 > S 0:0(0) {flow 3 teid 7}")
        .unwrap();
        assert_eq!(column(&outcome, "silences", "silence_s"), ["6", "7"]);
    }

    /// Methods A3: a silence belongs to the session in which it ended, also in a flow that began in
    /// an earlier session.
    #[test]
    fn a_split_of_sessions_is_no_silence() {
        let outcome =
            run("set sessions.gap_s = 20\n+0 > . 1:101(100) ack 1\n+25 < . +20 ack all\n\
             +3 > . ack all")
            .unwrap();
        assert_eq!(column(&outcome, "silences", "silence_s"), ["3"]);
        let ids = column(&outcome, "sessions", "session_id");
        assert_eq!(column(&outcome, "silences", "session_id"), ids[1..]);
    }

    #[test]
    fn the_radio_time_of_any_tail_follows_from_the_silences() {
        for tail in [1.0, 2.5, 10.0] {
            let outcome = run(&format!(
                "set sessions.tail_s = {tail}\n+0 > udp (0)\n+.7 > udp (0)\n+2 > udp (0)\n\
                 +.9 < udp (0)\n+12 > udp (0)"
            ))
            .unwrap();
            let silences = column(&outcome, "silences", "silence_s");
            let off: f64 =
                silences.iter().map(|s| (s.parse::<f64>().unwrap() - tail).max(0.0)).sum();
            let on: f64 = column(&outcome, "sessions", "radio_on_s")[0].parse().unwrap();
            assert!((15.6 - off + tail - on).abs() < 1e-9, "{tail}: {on}");
        }
    }
}
