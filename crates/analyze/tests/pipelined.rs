//! Tests that the rows at hand stay few when a single packet completes thousands of them.
#![allow(missing_docs, reason = "tests write their own inputs")]

use airmile_analyze::{Engine, FlowRow, Output};
use airmile_read::{Packet, TcpFlags, TcpHeader, Transport};
use airmile_track::{TrackConfig, Tracker};
use airmile_types::{Address, Duration, EventTable, Instant, Parameters};

/// A response without a body, as short as it can be.
const RESPONSE: &[u8] = b"HTTP/1.1 204\n\n";
/// The responses of one packet, which offloading may make as long as IP allows.
const RESPONSES: usize = 4000;
const PACKETS: usize = 50;

/// The greatest number of rows of `http` that were handed over at once, and their sum.
#[derive(Default)]
struct Most {
    at_once: usize,
    all: usize,
}

impl Output for Most {
    fn flow(&mut self, _: &FlowRow<'_>) {}

    fn rows<T: EventTable>(&mut self, rows: &mut Vec<T>) {
        if T::TABLE == "http" {
            self.at_once = self.at_once.max(rows.len());
            self.all += rows.len();
        }
        rows.clear();
    }
}

fn packet(number: usize, payload: &[u8]) -> Packet<'_> {
    let header = TcpHeader {
        source_port: 80,
        destination_port: 40_000,
        sequence: 1 + (number * payload.len()) as u32,
        acknowledgement: 1,
        flags: TcpFlags::ACK,
        window: 5000,
        ..TcpHeader::default()
    };
    Packet {
        time: Instant::default() + Duration::from_millis(number as i64),
        frame: 1 + number as u64,
        source: Address::v4([192, 0, 2, 1]),
        destination: Address::v4([10, 0, 0, 1]),
        ip_protocol: 6,
        ip_version: 4,
        hop_limit: 64,
        ip_bytes: 40 + payload.len() as u32,
        payload_bytes: payload.len() as u32,
        payload,
        transport: Transport::Tcp(header),
        ..Packet::default()
    }
}

#[test]
fn pipelined_responses_are_handed_over_packet_by_packet() {
    let payload = RESPONSE.repeat(RESPONSES);
    let engine = Engine::new(Parameters::default(), Most::default());
    let mut tracker = Tracker::new(TrackConfig::default(), engine);
    for number in 0..PACKETS {
        tracker.packet(&packet(number, &payload));
    }
    let most = tracker.finish().finish();
    assert_eq!(most.all, PACKETS * RESPONSES);
    assert!(most.at_once <= 2 * RESPONSES, "{} rows at once", most.at_once);
}
