#![doc = include_str!("quic.md")]

use airmile_track::{Analysis, Datagram, Events, FlowFacts, NoEvents, Scope};
use airmile_types::{Direction, Duration, Instant, Parameters, Protocol, columns};

use crate::flows::service::is_quic_initial;

columns! {
    /// What the long headers of a QUIC connection show.
    #[derive(Default)]
    pub struct QuicRow {
        /// Version of the first Initial packet: 1, 2, or draft-N; null without one.
        #[unit("")] #[cite("F1, RFC 9000 section 17.2, RFC 9369 section 3.1")] pub quic_version: Option<String>,
        /// Time from the first Initial packet to the first packet with a long header in the other
        /// direction, at the capture point. Null without such a packet, and when the Initial was
        /// repeated before it, because the answer does not show which Initial it answers.
        #[unit("ms")] #[cite("F1, RFC 9000 section 17.2")] pub quic_handshake_rtt_ms: Option<f64>,
    }
}

/// The progress of the connection's opening.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Quic {
    /// No Initial packet has passed.
    #[default]
    Unseen,
    /// The first Initial has passed; `repeated` is true when another followed it.
    Opened { version: u32, time: Instant, direction: Direction, repeated: bool },
    /// The other side has answered.
    Answered { version: u32, rtt: Option<Duration> },
}

airmile_types::held!(Quic {});

impl Analysis for Quic {
    const NAME: &'static str = "quic";
    const PAGE: &'static str = include_str!("quic.md");
    const SCOPE: Scope = Scope::Flow;
    const WANTS: Events = Events::NONE;
    type Row = QuicRow;
    type Event = NoEvents;

    fn on_datagram(&mut self, datagram: &Datagram<'_>, _: &Parameters, _: &mut Vec<NoEvents>) {
        if datagram.flow.protocol != Protocol::Udp {
            return;
        }
        match self {
            Self::Unseen if is_quic_initial(datagram.payload) => {
                let (time, direction) = (datagram.time, datagram.direction);
                let version = version(datagram.payload).unwrap_or_default();
                *self = Self::Opened { version, time, direction, repeated: false };
            }
            Self::Opened { direction, repeated, .. } if *direction == datagram.direction => {
                *repeated |= is_quic_initial(datagram.payload);
            }
            Self::Opened { version: known, time, repeated, .. } if version(datagram.payload).is_some() => {
                let rtt = (!*repeated).then_some(datagram.time - *time);
                *self = Self::Answered { version: *known, rtt: rtt.filter(|rtt| *rtt >= Duration::ZERO) };
            }
            _ => {}
        }
    }

    fn row(&self, _: &FlowFacts, _: Direction, _: &Parameters) -> QuicRow {
        match self {
            Self::Unseen => QuicRow::default(),
            Self::Opened { version, .. } => QuicRow { quic_version: Some(name(*version)), ..QuicRow::default() },
            Self::Answered { version, rtt } => QuicRow {
                quic_version: Some(name(*version)),
                quic_handshake_rtt_ms: rtt.map(Duration::as_millis_f64),
            },
        }
    }
}

/// The version in a long header; `None` when the packet has a short one, or was cut.
fn version(payload: &[u8]) -> Option<u32> {
    let [first, rest @ ..] = payload else { return None };
    let version = rest.first_chunk::<4>()?;
    (first & 0x80 != 0).then(|| u32::from_be_bytes(*version))
}

fn name(version: u32) -> String {
    match version {
        1 => "1".to_owned(),
        0x6b33_43cf => "2".to_owned(),
        draft => format!("draft-{}", draft & 0xff),
    }
}

#[cfg(test)]
mod tests {
    use crate::script::{Value, run};

    #[test]
    fn an_echo_whose_data_begin_as_an_initial_is_no_quic() {
        let outcome = run("+0 > echo 1 {hex \"c0 00 00 00 01 08\"}").unwrap();
        assert_eq!(outcome.table("flows").unwrap().cell(0, "quic_version"), Some(&Value::Null));
    }
}
