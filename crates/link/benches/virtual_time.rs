//! Compares virtual time with real time: one phone at 20 Mbit/s with its ACKs. An item is one
//! simulated second, so items per second are the speed relative to real time. The truth is dropped,
//! or written as lines of text to a null sink.

use std::io::{Write, sink};

use airmile_link::{
    CompetitorConfig, End, Event, Link, LinkConfig, Packet, RateConfig, Row, SinrConfig, TcpFields,
    TrafficConfig, Truth,
};
use airmile_types::{Direction, Duration, Instant};
use divan::Bencher;
use divan::counter::ItemsCount;

const SECONDS: i64 = 10;
const DATA: Plain = Plain { bytes: 1500, payload: 1448 };
const ACK: Plain = Plain { bytes: 52, payload: 0 };
/// The time between packets of 1500 bytes at 20 Mbit/s.
const GAP: Duration = Duration::from_micros(600);

fn main() {
    divan::main();
}

/// Runs a link with a constant rate and this number of other users, who always have data to
/// receive.
#[divan::bench(args = [0, 5])]
fn constant_rate(bencher: Bencher<'_, '_>, competitors: u32) {
    measure(bencher, &RateConfig::Constant { mbps: 25.0 }, competitors, || ());
}

#[divan::bench(args = [0, 5])]
fn constant_rate_truth_as_text(bencher: Bencher<'_, '_>, competitors: u32) {
    let rate = RateConfig::Constant { mbps: 25.0 };
    measure(bencher, &rate, competitors, || Text(Vec::new()));
}

#[divan::bench(args = [0, 5])]
fn fading_channel(bencher: Bencher<'_, '_>, competitors: u32) {
    let sinr = SinrConfig::Ar1 { mean_db: 18.0, sigma_db: 3.0, tau_ms: 300.0 };
    measure(bencher, &RateConfig::Sinr { sinr, layers: 1, qam256: false }, competitors, || ());
}

fn measure<T: Truth>(
    bencher: Bencher<'_, '_>,
    rate: &RateConfig,
    competitors: u32,
    truth: impl Fn() -> T + Sync,
) {
    let mut config = LinkConfig::default();
    config.downlink.rate = rate.clone();
    if competitors > 0 {
        let others = CompetitorConfig {
            count: competitors,
            rate: rate.clone(),
            traffic: TrafficConfig::Full,
        };
        config.downlink.competitors = vec![others];
    }
    bencher.counter(ItemsCount::new(SECONDS as u64)).bench(|| play(&config, truth()));
}

/// Sends a packet each [`GAP`], and an ACK for every second packet that the phone receives.
fn play(config: &LinkConfig, mut truth: impl Truth) -> usize {
    let mut link = Link::new(config).expect("a sound link");
    let mut got = 0;
    let (mut due, end) = (Instant::from_nanos(0), Instant::from_nanos(SECONDS * 1_000_000_000));
    while link.next_tick() < end {
        let next = link.next_wake();
        while due <= next {
            link.push(End::Server, due, DATA, &mut truth);
            due = due + GAP;
        }
        while let Some((at_end, at, packet)) = link.pop(next) {
            match at_end {
                End::CoreWired => link.push(End::CoreRadio, at, packet, &mut truth),
                End::CoreRadio => link.push(End::CoreWired, at, packet, &mut truth),
                End::Phone => {
                    got += 1;
                    if got % 2 == 0 {
                        link.push(End::Phone, at, ACK, &mut truth);
                    }
                }
                End::Server => {}
            }
        }
        link.tick(next, &mut truth);
    }
    got
}

#[derive(Clone, Copy)]
struct Plain {
    bytes: u32,
    payload: u32,
}

impl Packet for Plain {
    fn bytes(&self) -> u32 {
        self.bytes
    }

    fn tcp(&self) -> Option<TcpFields> {
        Some(TcpFields { payload_bytes: self.payload, ..TcpFields::default() })
    }
}

/// A truth that formats its lines as for a file and drops them.
struct Text(Vec<u8>);

impl Truth for Text {
    fn row(&mut self, direction: Direction, row: &Row) {
        self.0.clear();
        let state = row.state().name();
        let _ = writeln!(
            self.0,
            "{},{},{},{},{},{},{},{},{state}",
            direction.as_str(),
            row.tti,
            row.queue_bytes,
            row.cell_prbs,
            row.available_bytes,
            row.prbs,
            row.served_bytes,
            row.other_prbs,
        );
        let _ = sink().write_all(&self.0);
    }

    fn event(&mut self, event: &Event) {
        let _ = writeln!(sink(), "{event:?}");
    }
}
