//! Sends DNS messages through the engine. Each part of the input is a query or an answer in the
//! flow of one resolver.

use airmile_read::{Packet, Transport};
use airmile_types::{Address, Instant};

use crate::input::made;
use crate::null::Null;

pub(crate) fn run(input: &[u8]) {
    let Some(messages) = made::<Vec<(bool, u8, Vec<u8>)>>(input) else { return };
    Null::run(|take| {
        let mut now = 1_600_000_000_000_000_000;
        for (uplink, wait, message) in &messages {
            now += i64::from(*wait) * 100_000_000;
            take(&packet(*uplink, now, message));
        }
    });
}

fn packet(uplink: bool, now: i64, message: &[u8]) -> Packet<'_> {
    let (phone, server) = (Address::v4([10, 0, 0, 1]), Address::v4([203, 0, 113, 53]));
    let (source, destination) = if uplink { (phone, server) } else { (server, phone) };
    let (source_port, destination_port) = if uplink { (5353, 53) } else { (53, 5353) };
    let payload_bytes = u32::try_from(message.len()).unwrap_or(u32::MAX);
    Packet {
        time: Instant::from_nanos(now),
        frame: 0,
        source,
        destination,
        ip_protocol: 17,
        ip_version: 4,
        hop_limit: 64,
        ip_bytes: payload_bytes.saturating_add(28),
        payload_bytes,
        payload: message,
        transport: Transport::Udp { source_port, destination_port },
        ..Packet::default()
    }
}
