//! Defines the tables `sessions` and `silences`.

mod energy;
mod silence;

use airmile_read::Access;
use airmile_track::SessionFacts;
use airmile_types::{Address, Direction, EventTable, Instant, columns};

pub(crate) use energy::RadioEnergy;
use energy::RadioUse;
pub use silence::SilenceRow;

columns! {
    /// One row per subscriber session.
    pub struct SessionRow {
        /// Number of the session.
        #[unit("")] #[cite("A3")] pub session_id: u64,
        /// Number of the capture that the session's first packet is of.
        #[unit("")] #[cite("A1")] pub capture: u32,
        /// Address of the phone, or its /64.
        #[unit("")] #[cite("A3")] pub ue: Address,
        /// Network that the interface of the session's first packet leads to: cellular, wlan,
        /// ethernet, tunnel, tethered, loopback; null where the capture does not show it. Only a
        /// name of a wireless LAN, or an interface beside a cellular one, is no cellular one.
        #[unit("")] #[cite("A2")] pub access: Option<&'static str>,
        /// Time of the first packet.
        #[unit("ns")] #[cite("A3")] pub start_ns: Instant,
        /// Time of the last packet.
        #[unit("ns")] #[cite("A3")] pub end_ns: Instant,
        /// Flows that began in the session.
        #[unit("flows")] #[cite("A4")] pub flows: u32,

        /// Payload that the phone sent, of any protocol.
        #[unit("bytes")] #[cite("A9")] pub ul_bytes: i64,

        /// Payload that was sent to the phone, of any protocol.
        #[unit("bytes")] #[cite("A9")] pub dl_bytes: i64,
        /// Time for which the radio was on: one tail (`sessions.tail_s`) after each packet;
        /// overlaps count once. Null where the interface is not a cellular one.
        #[unit("s")] #[cite("F3, LTE13 section 7.1")] pub radio_on_s: Option<f64>,
        /// Number of times that the radio woke up: before the first packet, and after each gap
        /// longer than the tail. Null where the interface is not a cellular one.
        #[unit("promotions")] #[cite("F3")] pub promotions: Option<i64>,
        /// Energy of the radio by the LTE power model of MobiSys 2012, with the parameters `energy.*`.
        /// Null where the interface is not a cellular one.
        #[unit("J")] #[cite("F3, Huang et al. MobiSys 2012")] pub energy_j: Option<f64>,
    }
}

impl EventTable for SessionRow {
    const TABLE: &'static str = "sessions";
    const DOC: &'static str =
        "One row per subscriber session (methods A3), in the order in which they ended.";
}

impl SessionRow {
    /// The row of a session.
    pub(crate) fn new(session: &SessionFacts, radio: RadioUse) -> Self {
        let radio = Some(radio).filter(|_| may_be_cellular(session.access));
        let bytes =
            |direction| i64::try_from(*session.payload_bytes.of(direction)).unwrap_or(i64::MAX);
        Self {
            session_id: session.session_id,
            capture: session.capture,
            ue: session.ue,
            access: session.access.as_str(),
            start_ns: session.start,
            end_ns: session.end,
            flows: session.flows,
            ul_bytes: bytes(Direction::Uplink),
            dl_bytes: bytes(Direction::Downlink),
            radio_on_s: radio.map(|radio| radio.on_s),
            promotions: radio.map(|radio| radio.promotions),
            energy_j: radio.map(|radio| radio.energy_j),
        }
    }
}

/// Whether packets of an interface may wake the radio of a cellular network.
const fn may_be_cellular(access: Access) -> bool {
    matches!(access, Access::Unknown | Access::Cellular)
}

#[cfg(test)]
mod tests {
    use crate::script::{Collected, run};

    fn column(outcome: &Collected, table: &str, column: &str) -> Vec<String> {
        let table = outcome.table(table).unwrap();
        (0..table.rows.len()).map(|row| table.cell(row, column).unwrap().to_string()).collect()
    }

    /// Methods A3: a session belongs to the phone, not to its flows; a flow may outlive its
    /// session.
    #[test]
    fn a_session_ends_after_its_gap_although_a_flow_lives() {
        let outcome = run("set sessions.gap_s = 20\n+0 > . 1:101(100) ack 1\n+5 < . +10 ack all\n\
             +25 < . +20 ack all\n+1 > . ack all\n+0 > udp (7) {flow 2}")
        .unwrap();
        assert_eq!(column(&outcome, "sessions", "dl_bytes"), ["10", "20"]);
        assert_eq!(column(&outcome, "sessions", "flows"), ["1", "1"]);
        let ids = column(&outcome, "sessions", "session_id");
        assert_ne!(ids[0], ids[1]);
        assert_eq!(column(&outcome, "flows", "session_id"), ids);
    }

    const DUAL_STACK: &str = "flow 2 = [2001:db8::1]:40001 - [2001:db8:ffff::9]:443\n\
        flow 3 = 10.0.0.2:40002 - 203.0.113.9:443\n\
        +0 > S 0:0(0) {flow 1 teid 7}\n+1 > S 0:0(0) {flow 2 teid 7}\n";

    /// Methods A3: one TEID joins an IPv4 address and an IPv6 prefix.
    #[test]
    fn one_tunnel_joins_the_addresses_of_both_families() {
        let outcome = run(&format!("{DUAL_STACK}+1 > udp (5) {{flow 2 teid 8}}")).unwrap();
        assert_eq!(column(&outcome, "sessions", "ue"), ["10.0.0.1"]);
        assert_eq!(column(&outcome, "sessions", "flows"), ["3"]);
    }

    #[test]
    fn a_tunnel_that_was_given_to_another_phone_joins_nothing_to_the_first() {
        let outcome = run(&format!("{DUAL_STACK}+1 > S 0:0(0) {{flow 3 teid 7}}")).unwrap();
        assert_eq!(column(&outcome, "sessions", "ue"), ["10.0.0.1", "10.0.0.2"]);
        assert_eq!(column(&outcome, "sessions", "flows"), ["2", "1"]);
    }
}
