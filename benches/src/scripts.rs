//! Writes random packet scripts: flows that mostly behave well, and sometimes lose, repeat,
//! reorder, reset, close their window or send what no TCP stack sends. The number of the script
//! decides everything.

use std::io::{self, Write};

use crate::frame::{ACK, FIN, PSH, SYN, Tcp, frame, scatter};
use crate::writer::{create, file_header, record};

const START_NS: u64 = 1_700_000_000_000_000_000;
const MS: u64 = 1_000_000;
const RST: u8 = 4;
const PACKETS: u64 = 160;
const FLOWS: usize = 3;

/// Writes the scripts `first..first + count`, one after another, each with its own phone.
pub(crate) fn write(out: &str, first: u64, count: u64) -> io::Result<u64> {
    let mut out = create(out)?;
    file_header(&mut out)?;
    let (mut time, mut packets, mut bytes) = (START_NS, 0, Vec::new());
    for number in first..first.saturating_add(count) {
        let mut script = Script::new(number);
        for _ in 0..PACKETS {
            let packet = script.next(&mut time);
            let wire = frame(&packet.0, &packet.1, &mut bytes);
            record(&mut out, time, &bytes, wire)?;
            packets += 1;
        }
    }
    out.flush()?;
    Ok(packets)
}

/// What each end of a flow has sent and seen: first uplink, then downlink.
#[derive(Clone, Copy, Default)]
struct Flow {
    next: [u32; 2],
    acknowledged: [u32; 2],
    sent: u64,
}

struct Script {
    number: u64,
    drawn: u64,
    flows: [Flow; FLOWS],
    timestamps: bool,
}

impl Script {
    fn new(number: u64) -> Self {
        let mut script =
            Self { number, drawn: 0, flows: [Flow::default(); FLOWS], timestamps: true };
        script.timestamps = script.draw(4) > 0;
        for flow in 0..FLOWS {
            script.flows[flow].next = [script.draw(1 << 32) as u32, script.draw(1 << 32) as u32];
            script.flows[flow].acknowledged = script.flows[flow].next;
        }
        script
    }

    /// A random number below `limit`.
    fn draw(&mut self, limit: u64) -> u64 {
        self.drawn += 1;
        scatter(self.number.wrapping_mul(0x1_0001).wrapping_add(scatter(self.drawn))) % limit
    }

    /// The next packet with its options; `time` advances, sometimes by seconds.
    fn next(&mut self, time: &mut u64) -> (Tcp, Vec<u8>) {
        *time += match self.draw(40) {
            0 => self.draw(3_000) * MS,
            1..=9 => self.draw(80) * MS,
            _ => self.draw(2 * MS),
        };
        let place = self.draw(FLOWS as u64) as usize;
        let side = self.draw(3).min(1) as usize;
        let mut flow = self.flows[place];
        flow.sent += 1;
        let opening = flow.sent <= 2 && self.draw(8) > 0;
        let (side, flags) = if opening {
            ((flow.sent - 1) as usize, if flow.sent == 1 { SYN } else { SYN | ACK })
        } else {
            (side, self.flags())
        };
        let payload_bytes = if opening { 0 } else { self.payload() };
        let sequence = self.sequence(&mut flow, side, flags, payload_bytes);
        let acknowledgement = self.acknowledgement(&mut flow, 1 - side);
        let options = self.options(&flow, side, opening, *time);
        let window = if self.draw(60) == 0 { 0 } else { 200 + self.draw(4) as u16 * 500 };
        self.flows[place] = flow;
        let packet =
            Tcp { flags, window, payload_bytes, sequence, acknowledgement, ..Tcp::default() };
        (self.addressed(packet, place, side), options)
    }

    fn flags(&mut self) -> u8 {
        match self.draw(120) {
            0 => RST,
            1 => FIN | ACK,
            2 => SYN,
            3 => self.draw(64) as u8,
            4..=20 => ACK | PSH,
            _ => ACK,
        }
    }

    fn payload(&mut self) -> u16 {
        match self.draw(10) {
            0..=4 => 1360,
            5 => self.draw(1400) as u16,
            6 if self.draw(20) == 0 => 1,
            _ => 0,
        }
    }

    /// Mostly the next sequence number; otherwise a repetition, a hole, or anything.
    fn sequence(&mut self, flow: &mut Flow, side: usize, flags: u8, payload: u16) -> u32 {
        let next = flow.next[side];
        let sequence = match self.draw(60) {
            0..=2 => next.wrapping_sub(1360 * (1 + self.draw(6)) as u32),
            3 | 4 => next.wrapping_add(1360 * (1 + self.draw(3)) as u32),
            5 => next.wrapping_sub(1),
            6 if self.draw(6) == 0 => self.draw(1 << 32) as u32,
            _ => next,
        };
        let end =
            sequence.wrapping_add(payload.into()).wrapping_add((flags & (SYN | FIN)).count_ones());
        if (end.wrapping_sub(next) as i32) > 0 {
            flow.next[side] = end;
        }
        sequence
    }

    /// Mostly an acknowledgement of all that was sent; otherwise the previous one, one of a part,
    /// or anything.
    fn acknowledgement(&mut self, flow: &mut Flow, of: usize) -> u32 {
        let outstanding = flow.next[of].wrapping_sub(flow.acknowledged[of]);
        let acknowledged = match self.draw(30) {
            0..=5 => flow.acknowledged[of],
            6..=9 => {
                flow.acknowledged[of].wrapping_add(self.draw(u64::from(outstanding) + 1) as u32)
            }
            10 if self.draw(10) == 0 => self.draw(1 << 32) as u32,
            _ => flow.next[of],
        };
        if acknowledged.wrapping_sub(flow.acknowledged[of]) <= outstanding {
            flow.acknowledged[of] = acknowledged;
        }
        acknowledged
    }

    fn options(&mut self, flow: &Flow, side: usize, opening: bool, time: u64) -> Vec<u8> {
        let mut options =
            if opening { vec![2, 4, 5, 120, 1, 3, 3, 7, 4, 2, 1, 1] } else { Vec::new() };
        if self.timestamps && self.draw(200) > 0 {
            let clock = (time / MS) as u32;
            let back = if self.draw(50) == 0 { 1000 } else { 20 + self.draw(60) as u32 };
            options.extend([1, 1, 8, 10]);
            options.extend(clock.to_be_bytes());
            options.extend(clock.wrapping_sub(back).to_be_bytes());
        }
        if !opening && self.draw(25) == 0 {
            let left = flow.acknowledged[1 - side].wrapping_add(1360 * (1 + self.draw(3)) as u32);
            options.extend([1, 1, 5, 10]);
            options.extend(left.to_be_bytes());
            options.extend(left.wrapping_add(1360).to_be_bytes());
        }
        options
    }

    fn addressed(&self, packet: Tcp, place: usize, side: usize) -> Tcp {
        let phone = [10, 45, (self.number >> 8) as u8, self.number as u8];
        let port = 20_000 + place as u16 + 10 * (self.number >> 16) as u16;
        let server = [203, 0, 113, 1 + place as u8];
        if side == 0 {
            Tcp {
                source: phone,
                destination: server,
                source_port: port,
                destination_port: 443,
                ..packet
            }
        } else {
            Tcp {
                source: server,
                destination: phone,
                source_port: 443,
                destination_port: port,
                ..packet
            }
        }
    }
}
