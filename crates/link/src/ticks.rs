//! Models a phone whose TCP timestamps advance in other ticks than the milliseconds of this machine:
//! in coarser ones (RFC 7323 section 5.4 allows 1 ms to 1 s), or in those of an oscillator that is
//! fast or slow. The timestamp option is rewritten when packets leave the phone, and converted back
//! in packets that reach it.
//!
//! Packets that leave carry `first + (TSval - first) / tick`, computed with 32-bit arithmetic from
//! the first TSval of the connection, so that a wrap-around is not a jump. A tick need not be a
//! whole number of milliseconds: for a kernel with HZ = 300 it is 3.33 ms, for a clock that is fast
//! by 50 ppm 0.99995 ms. An echoed tick becomes the last TSval that was sent in that tick.

use std::collections::{HashMap, VecDeque};

use airmile_types::Duration;

use crate::option::{self, Stamps};

/// The length of the kernel's tick, in nanoseconds.
const MS_NS: i64 = 1_000_000;

/// The number of ticks that are remembered; the echo of an older tick becomes the first millisecond
/// of that tick. The number is our choice.
const REMEMBERED_TICKS: usize = 4_096;

/// The number of connections that are remembered; beyond it, the connection that was silent for
/// longest is forgotten. The number is our choice, and larger than the connections of any run at a
/// time.
const MOST_CONNECTIONS: usize = 4_096;

/// Addresses and ports; those of the phone come first.
type Flow = (u128, u128, u16, u16);

/// The timestamp clock of one phone, for all of its connections.
#[derive(Debug)]
pub struct TickClock {
    tick_ns: i64,
    connections: HashMap<Flow, Connection>,
    /// The number of packets that have left the phone.
    packets: u64,
}

#[derive(Debug)]
struct Connection {
    first: u32,
    /// The number of the connection's last packet that left the phone.
    last_packet: u64,
    /// The ticks, each with the last TSval sent in it.
    sent: VecDeque<(u32, u32)>,
}

impl TickClock {
    /// Creates a clock; `None` unless its ticks are 1 to 1000 ms long, apart from the error of an
    /// oscillator of 0.1 %.
    pub fn new(tick: Duration) -> Option<Self> {
        let tick_ns = tick.as_nanos();
        let known = (999_000..=1_001_000_000).contains(&tick_ns);
        known.then(|| Self { tick_ns, connections: HashMap::new(), packets: 0 })
    }

    /// Rewrites a packet that leaves the phone; the packet begins with its IP header.
    pub fn from_phone(&mut self, packet: &mut [u8]) {
        let Some(stamps) = option::find(packet) else { return };
        let (value, tick_ns) = (stamps.value, self.tick_ns);
        let connection = self.connection(stamps.sender, stamps.receiver, value);
        let tick = connection.tick(value, tick_ns);
        connection.remember(tick, value);
        option::set(packet, &stamps, option::Field::Value, tick);
    }

    /// Converts a packet that reaches the phone back.
    pub fn to_phone(&mut self, packet: &mut [u8]) {
        let Some(stamps) = echoing(packet) else { return };
        let flow = flow(stamps.receiver, stamps.sender);
        let Some(connection) = self.connections.get(&flow) else { return };
        let value = connection.value(stamps.echo, self.tick_ns);
        option::set(packet, &stamps, option::Field::Echo, value);
    }

    /// Rewrites a packet that was recorded in the phone, before it left or after it was converted
    /// back, to the form that every other host saw.
    pub fn recorded(&mut self, packet: &mut [u8], leaves: bool) {
        if leaves {
            return self.from_phone(packet);
        }
        let Some(stamps) = echoing(packet) else { return };
        let flow = flow(stamps.receiver, stamps.sender);
        let Some(connection) = self.connections.get(&flow) else { return };
        let tick = connection.tick(stamps.echo, self.tick_ns);
        option::set(packet, &stamps, option::Field::Echo, tick);
    }

    fn connection(
        &mut self,
        phone: option::Endpoint,
        other: option::Endpoint,
        value: u32,
    ) -> &mut Connection {
        let flow = flow(phone, other);
        self.packets += 1;
        if self.connections.len() >= MOST_CONNECTIONS && !self.connections.contains_key(&flow) {
            self.forget();
        }
        let connection = self.connections.entry(flow).or_insert_with(|| Connection {
            first: value,
            last_packet: 0,
            sent: VecDeque::new(),
        });
        connection.last_packet = self.packets;
        connection
    }

    fn forget(&mut self) {
        let oldest = self.connections.iter().min_by_key(|(_, connection)| connection.last_packet);
        if let Some(flow) = oldest.map(|(flow, _)| *flow) {
            self.connections.remove(&flow);
        }
    }
}

impl Connection {
    fn tick(&self, value: u32, tick_ns: i64) -> u32 {
        let since_ns = i64::from(value.wrapping_sub(self.first).cast_signed()) * MS_NS;
        self.first.wrapping_add(low_bits(since_ns.div_euclid(tick_ns)))
    }

    fn remember(&mut self, tick: u32, value: u32) {
        match self.sent.back_mut() {
            Some((last, newest)) if *last == tick => *newest = value,
            // This packet was overtaken; its tick is known already.
            Some((last, _)) if tick.wrapping_sub(*last).cast_signed() < 0 => {}
            _ => self.sent.push_back((tick, value)),
        }
        if self.sent.len() > REMEMBERED_TICKS {
            self.sent.pop_front();
        }
    }

    fn value(&self, tick: u32, tick_ns: i64) -> u32 {
        let known = self.sent.iter().rev().find(|(sent, _)| *sent == tick);
        known.map_or_else(
            || {
                let since_ns = i64::from(tick.wrapping_sub(self.first).cast_signed()) * tick_ns;
                // The first millisecond of the tick.
                self.first.wrapping_add(low_bits((since_ns + MS_NS - 1).div_euclid(MS_NS)))
            },
            |(_, value)| *value,
        )
    }
}

/// A number in the 32-bit arithmetic of timestamps (RFC 7323 section 5.2).
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "modulo 2^32")]
const fn low_bits(number: i64) -> u32 {
    number as u32
}

/// The timestamps of a packet whose echo is valid: TSecr counts only together with an ACK (RFC 7323
/// section 3.2).
fn echoing(packet: &[u8]) -> Option<Stamps> {
    option::find(packet).filter(|stamps| stamps.acknowledges)
}

const fn flow(phone: option::Endpoint, other: option::Endpoint) -> Flow {
    (phone.0, other.0, phone.1, other.1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::option::tests::{checksum_holds, segment};

    fn stamps(packet: &[u8]) -> (u32, u32) {
        option::find(packet).map(|stamps| (stamps.value, stamps.echo)).unwrap()
    }

    #[test]
    fn ticks_go_on_over_the_wrap_around() {
        let mut clock = TickClock::new(Duration::from_millis(10)).unwrap();
        let start = u32::MAX - 25;
        let ticks = (0..60).step_by(10).map(|ms| {
            let mut packet = segment(true, start.wrapping_add(ms), 0, &[1, 1]);
            clock.from_phone(&mut packet);
            stamps(&packet).0.wrapping_sub(start)
        });
        assert_eq!(ticks.collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_tick_of_a_third_of_ten_milliseconds_loses_none() {
        let mut clock = TickClock::new(Duration::from_micros(3_330)).unwrap();
        let ticks = [0, 3, 4, 6, 7, 333, 9_990].map(|ms| {
            let mut packet = segment(true, ms, 0, &[1, 1]);
            clock.from_phone(&mut packet);
            stamps(&packet).0
        });
        assert_eq!(ticks, [0, 0, 1, 1, 2, 100, 3_000]);
        // Nothing was sent in tick 2,999: its echo becomes its first millisecond, 9,986.67 rounded
        // up.
        let mut answer = segment(false, 77, 2_999, &[1, 1]);
        clock.to_phone(&mut answer);
        assert_eq!(stamps(&answer), (77, 9_987));
    }

    #[test]
    fn a_fast_clock_gains_what_its_ppm_say_and_every_echo_comes_back() {
        // 50 ppm of 400 s are 20 ms; a clock that is slow by as much loses them.
        for (tick_ns, gained) in [(999_950, 20), (1_000_050, -20)] {
            let mut clock = TickClock::new(Duration::from_nanos(tick_ns)).unwrap();
            for value in (0..=400_000).step_by(100) {
                let mut packet = segment(true, value, 0, &[1, 1]);
                clock.from_phone(&mut packet);
                let tick = stamps(&packet).0;
                let exact = f64::from(value) * (1.0 + f64::from(gained) / 400_000.0);
                assert!((f64::from(tick) - exact).abs() <= 1.0, "{tick} for {exact}");
                let mut answer = segment(false, 77, tick, &[1, 1]);
                clock.to_phone(&mut answer);
                assert_eq!(stamps(&answer), (77, value));
            }
        }
    }

    #[test]
    fn an_echo_is_the_last_that_was_sent_in_its_tick() {
        let mut clock = TickClock::new(Duration::from_millis(10)).unwrap();
        for value in [1_000, 1_003, 1_007, 1_012] {
            clock.from_phone(&mut segment(true, value, 0, &[1, 1]));
        }
        for (tick, expected) in [(1_000, 1_007), (1_001, 1_012), (1_005, 1_050)] {
            let mut answer = segment(false, 77, tick, &[1, 1]);
            clock.to_phone(&mut answer);
            assert_eq!(stamps(&answer), (77, expected));
        }
    }

    #[test]
    fn of_too_many_connections_the_longest_silent_is_forgotten() {
        let mut clock = TickClock::new(Duration::from_millis(10)).unwrap();
        let mut leave = |port: u16, value| {
            let mut packet = segment(true, value, 0, &[1, 1]);
            packet[24..26].copy_from_slice(&port.to_be_bytes());
            clock.from_phone(&mut packet);
            stamps(&packet).0
        };
        let ports = || 1..=MOST_CONNECTIONS as u16;
        assert!(ports().all(|port| leave(port, 1_000) == 1_000));
        assert_eq!(leave(1, 1_100), 1_010);
        // The second connection makes room for this one, which begins anew; the first continues.
        leave(60_000, 1_000);
        assert_eq!((leave(1, 1_200), leave(2, 1_200)), (1_020, 1_200));
        assert_eq!(clock.connections.len(), MOST_CONNECTIONS);
    }

    #[test]
    fn what_has_no_connection_or_no_stamps_stays_as_it_is() {
        let mut clock = TickClock::new(Duration::from_millis(10)).unwrap();
        let mut unknown = segment(false, 5, 6, &[1, 1]);
        let before = unknown.clone();
        clock.to_phone(&mut unknown);
        assert_eq!(unknown, before);
        assert!(
            TickClock::new(Duration::from_micros(998)).is_none()
                && TickClock::new(Duration::from_millis(1_002)).is_none()
        );
    }

    proptest! {
        #[test]
        fn what_is_rewritten_has_a_right_checksum_and_comes_back(
            first in any::<u32>(),
            steps in prop::collection::vec(0u32..300, 1..40),
            before in prop::sample::select(vec![&[][..], &[1], &[1, 1], &[1, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2]]),
            tick_us in 1_000u32..200_000,
        ) {
            let mut clock = TickClock::new(Duration::from_micros(tick_us.into())).unwrap();
            let mut recorder = TickClock::new(Duration::from_micros(tick_us.into())).unwrap();
            let mut value = first;
            let mut seen = None;
            for step in [0].into_iter().chain(steps) {
                value = value.wrapping_add(step);
                let mut packet = segment(true, value, 9, before);
                let mut recorded = packet.clone();
                clock.from_phone(&mut packet);
                prop_assert!(checksum_holds(&packet));
                recorder.recorded(&mut recorded, true);
                prop_assert_eq!(&recorded, &packet);
                let tick = stamps(&packet).0;
                let expected = value.wrapping_sub(first) * 1_000 / tick_us;
                prop_assert_eq!(tick.wrapping_sub(first), expected);
                let mut answer = segment(false, 5, tick, before);
                let unchanged = answer.clone();
                clock.to_phone(&mut answer);
                prop_assert!(checksum_holds(&answer));
                // This value is the last one of the tick so far.
                prop_assert_eq!(stamps(&answer), (5, value));
                recorder.recorded(&mut answer, false);
                prop_assert_eq!(answer, unchanged);
                prop_assert!(seen.is_none_or(|seen| tick.wrapping_sub(seen) < 1 << 31));
                seen = Some(tick);
            }
        }

        #[test]
        fn a_packet_cut_anywhere_is_the_beginning_of_the_whole_one(
            first in any::<u32>(),
            later in 0u32..10_000,
            before in prop::sample::select(vec![&[][..], &[1], &[3, 3, 7], &[1, 1]]),
            cut in 40usize..90,
        ) {
            let mut clock = TickClock::new(Duration::from_millis(10)).unwrap();
            let second = first.wrapping_add(later);
            for value in [first, second] {
                let mut whole = segment(true, value, 9, before);
                let mut part = whole[..cut.min(whole.len())].to_vec();
                let found = option::find(&part).is_some();
                clock.from_phone(&mut whole);
                clock.from_phone(&mut part);
                prop_assert!(!found || part == whole[..part.len()]);
            }
            // The echo is the last field of the option, so a packet may end just after it.
            let mut whole = segment(false, 5, first.wrapping_add(later / 10), before);
            let mut part = whole[..cut.min(whole.len())].to_vec();
            let found = option::find(&part).is_some();
            clock.to_phone(&mut whole);
            clock.to_phone(&mut part);
            prop_assert!(!found || part == whole[..part.len()]);
        }

        #[test]
        fn bytes_of_any_kind_are_survived(mut bytes in prop::collection::vec(any::<u8>(), 0..120)) {
            let mut clock = TickClock::new(Duration::from_millis(10)).unwrap();
            clock.from_phone(&mut bytes);
            clock.to_phone(&mut bytes);
            clock.recorded(&mut bytes, false);
        }
    }
}
