//! Reads one capture, and keeps its TCP packets and the payload to each phone.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use airmile_read::{Packet, TcpFlags, TcpHeader, Transport};
use airmile_track::Router;
use airmile_types::Side;

use super::seen::{BIN, Flows, Seen, Taken, Volume};
use crate::error::Error;
use crate::options::Options;
use crate::shards::feed::Feed;
use crate::verbs::analyze::settle;
use crate::verbs::progress::Progress;
use crate::verbs::sources::sources;

/// The number of packets between two calls of the progress function.
const STRIDE: u64 = 1 << 16;

/// Reads a capture and keeps the data of its packets.
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
    let inputs = settle(feed)?.inputs;
    Ok(Taken { seen, volume, inputs })
}

/// Keeps a TCP packet, and returns whether the phone sent it.
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

/// The keys of a packet: one that identifies it, and one for all segments that offloads may join.
/// Neither contains time to live, ECN bits or window, which routers may change on the way. Segments
/// that offloads join have the same acknowledgement number and the same timestamps.
fn keys(flow: u32, up: bool, bytes: u32, tcp: &TcpHeader) -> (u64, u64) {
    let mut hasher = DefaultHasher::new();
    let stamps = tcp.options.timestamps.map(|stamps| (stamps.value, stamps.echo));
    (flow, up, tcp.acknowledgement, stamps).hash(&mut hasher);
    let group = hasher.finish();
    let control = TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST;
    (tcp.sequence, bytes, tcp.flags.0 & control.0).hash(&mut hasher);
    (hasher.finish(), group)
}
