#![doc = include_str!("ecn.md")]

use airmile_read::TcpFlags;
use airmile_track::{Analysis, Events, FlowFacts, NoEvents, Scope, Segment};
use airmile_types::{Direction, Parameters, PerDirection, Protocol, columns};

columns! {
    /// Explicit congestion notification in one direction; all null for protocols other than TCP.
    #[derive(Default)]
    pub struct EcnRow {
        /// Packets that are marked as ECN-capable: ECT(0), ECT(1) or CE.
        #[unit("packets")] #[cite("C8, RFC 3168 section 5")] pub ecn_capable: Option<u32>,
        /// Packets with ECT(1), which L4S senders use.
        #[unit("packets")] #[cite("C8, RFC 9331 section 4.1")] pub ecn_ect1: Option<u32>,
        /// Packets with CE, the mark of a congested queue.
        #[unit("packets")] #[cite("C8, RFC 3168 section 5")] pub ecn_ce: Option<u32>,
        /// Packets with ECE, the receiver's echo of CE; without SYNs, whose ECE flag negotiates
        /// ECN. Null where the flags count marks (RFC 9768).
        #[unit("packets")] #[cite("C8, RFC 3168 section 6.1")] pub ece: Option<u32>,
        /// Packets with CWR, the sender's answer to ECE; without SYNs, whose CWR flag negotiates
        /// ECN. Null with `ece`.
        #[unit("packets")] #[cite("C8, RFC 3168 section 6.1")] pub cwr: Option<u32>,
    }
}

/// Counts of both directions; `None` until a packet carries a mark.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ecn(Option<Box<PerDirection<EcnCounts>>>);

#[derive(Clone, Debug, Default, PartialEq)]
struct EcnCounts {
    capable: u32,
    ect1: u32,
    ce: u32,
    ece: u32,
    cwr: u32,
    /// Whether a packet had the flag AE, which only Accurate ECN has.
    accurate: bool,
}

airmile_types::held!(Ecn { 0 } EcnCounts {});

/// The values of the two ECN bits of the IP header (RFC 3168 section 5).
const ECT1: u8 = 1;
const CE: u8 = 3;

impl Analysis for Ecn {
    const NAME: &'static str = "ecn";
    const PAGE: &'static str = include_str!("ecn.md");
    const SCOPE: Scope = Scope::Direction;
    const WANTS: Events = Events::ECN;
    type Row = EcnRow;
    type Event = NoEvents;

    fn on_segment(&mut self, segment: &Segment<'_>, _: &Parameters, _: &mut Vec<NoEvents>) {
        let syn = segment.flags.has(TcpFlags::SYN);
        let echoes = !syn && segment.flags.any(TcpFlags::ECE | TcpFlags::CWR);
        if segment.ecn == 0 && !echoes {
            return;
        }
        let counts = self.0.get_or_insert_default().of_mut(segment.direction);
        counts.capable += u32::from(segment.ecn != 0);
        counts.ect1 += u32::from(segment.ecn == ECT1);
        counts.ce += u32::from(segment.ecn == CE);
        counts.ece += u32::from(!syn && segment.flags.has(TcpFlags::ECE));
        counts.cwr += u32::from(!syn && segment.flags.has(TcpFlags::CWR));
        counts.accurate |= !syn && segment.flags.has(TcpFlags::AE);
    }

    fn row(&self, flow: &FlowFacts, direction: Direction, _: &Parameters) -> EcnRow {
        if flow.protocol != Protocol::Tcp {
            return EcnRow::default();
        }
        let none = EcnCounts::default();
        let both = self.0.as_deref();
        let counts = both.map_or(&none, |counts| counts.of(direction));
        let accurate = flow.counts_marks()
            || both.is_some_and(|both| both.uplink.accurate || both.downlink.accurate);
        let echoes = |packets: u32| (!accurate).then_some(packets);
        EcnRow {
            ecn_capable: Some(counts.capable),
            ecn_ect1: Some(counts.ect1),
            ecn_ce: Some(counts.ce),
            ece: echoes(counts.ece),
            cwr: echoes(counts.cwr),
        }
    }
}
