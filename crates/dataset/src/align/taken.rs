//! What is kept of one capture: its TCP packets, and how much payload went to each phone.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use airmile_read::{Packet, TcpFlags, TcpHeader, Transport};
use airmile_track::Router;
use airmile_types::{Address, Instant, Side};

use super::BIN;
use crate::error::Error;
use crate::feed::Feed;
use crate::manifest::Input;
use crate::options::Options;
use crate::run::{Progress, settle, sources};

/// Packets between two calls of the progress function.
const STRIDE: u64 = 1 << 16;

/// A TCP packet that passed a tap.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// Says which packet it is.
    pub(super) key: u64,
    /// The same for segments that offloads may join: all of the key but what is theirs alone.
    pub(super) group: u64,
    pub(super) time: Instant,
    /// Number in [`Flows`].
    pub(super) flow: u32,
    pub(super) sequence: u32,
    pub(super) bytes: u32,
    /// Whether the phone sent it.
    pub(super) up: bool,
}

/// One capture.
pub(super) struct Taken {
    pub(super) seen: Vec<Seen>,
    pub(super) volume: Volume,
    pub(super) inputs: Vec<Input>,
}

/// Bytes of payload to a phone, by its address and the number of the bin.
pub(super) type Volume = HashMap<(Address, i64), u64>;

/// An address with its port.
pub(super) type End = (Address, u16);

/// The TCP connections of both captures, by number.
#[derive(Default)]
pub(super) struct Flows {
    numbers: HashMap<(End, End), u32>,
    ends: Vec<(End, End)>,
}

impl Flows {
    /// The phone's and the server's end.
    pub(super) fn ends(&self, flow: u32) -> Option<(End, End)> {
        self.ends.get(flow as usize).copied()
    }

    pub(super) const fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of a packet's flow, and whether the phone sent it. Who the phone is was said of
    /// the flow's first packet, and holds for both captures.
    fn find(&mut self, from: End, to: End, sender: Side) -> (u32, bool) {
        let fresh = self.ends.len() as u32;
        let number = *self.numbers.entry((from.min(to), from.max(to))).or_insert(fresh);
        if number == fresh {
            self.ends.push(if sender == Side::Ue { (from, to) } else { (to, from) });
        }
        let up = self.ends(number).is_some_and(|(ue, _)| ue == from);
        (number, up)
    }
}

/// Reads a capture.
pub(super) fn take(
    inputs: &[String],
    options: &Options,
    flows: &mut Flows,
    progress: &mut impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Taken, Error> {
    let config = options.track()?;
    let sources = sources(inputs, &options.stop)?;
    let mut feed = Feed::open(sources);
    let mut router = Router::new(&config);
    let mut at = Progress { total_bytes: feed.total_bytes(), ..Progress::default() };
    let (mut seen, mut volume) = (Vec::new(), Volume::new());
    let _ = feed.run(|packet, feed| {
        let route = router.route(packet);
        if !route.copy {
            let up = tcp(packet, route.sender, flows, &mut seen);
            if !up.unwrap_or(route.sender == Side::Ue) && packet.payload_bytes > 0 {
                let bin = packet.time.bin(BIN);
                *volume.entry((packet.destination, bin)).or_default() +=
                    u64::from(packet.payload_bytes);
            }
        }
        at.packets += 1;
        if !at.packets.is_multiple_of(STRIDE) {
            return ControlFlow::Continue(());
        }
        at.bytes = feed.bytes_read();
        progress(at)
    });
    let (_, inputs) = settle(feed)?;
    Ok(Taken { seen, volume, inputs })
}

/// Keeps a TCP packet; tells whether the phone sent it.
fn tcp(packet: &Packet<'_>, sender: Side, flows: &mut Flows, seen: &mut Vec<Seen>) -> Option<bool> {
    let Transport::Tcp(tcp) = &packet.transport else { return None };
    let (from, to) = ((packet.source, tcp.source_port), (packet.destination, tcp.destination_port));
    let (flow, up) = flows.find(from, to, sender);
    let (key, group) = keys(flow, up, packet.payload_bytes, tcp);
    seen.push(Seen {
        key,
        group,
        time: packet.time,
        flow,
        sequence: tcp.sequence,
        bytes: packet.payload_bytes,
        up,
    });
    Some(up)
}

/// Routers change time to live and ECN bits on the way, some change the window: nothing of these.
/// Segments that offloads join have one acknowledgement number and one pair of timestamps.
fn keys(flow: u32, up: bool, bytes: u32, tcp: &TcpHeader) -> (u64, u64) {
    let mut hasher = DefaultHasher::new();
    let stamps = tcp.options.timestamps.map(|stamps| (stamps.value, stamps.echo));
    (flow, up, tcp.acknowledgement, stamps).hash(&mut hasher);
    let group = hasher.finish();
    let control = TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST;
    (tcp.sequence, bytes, tcp.flags.0 & control.0).hash(&mut hasher);
    (hasher.finish(), group)
}
