use airmile_types::{Duration, Instant, Vantage};
use proptest::prelude::*;

use super::cases::{at, block};
use super::{ClockFit, NotAligned, ServedLog, align};
use crate::queue::{Passed, PhoneCapture};
use crate::tti::Ms;

/// Bursts of packets after pauses, the blocks of an idle cell that serve them at 2000 bytes a
/// millisecond, and an acknowledgement 12 ms later.
fn traffic(bursts: &[(i64, u64)]) -> (Vec<Ms>, PhoneCapture) {
    let (mut now, mut served) = (0, Vec::new());
    let mut capture = PhoneCapture::new(Vantage::Monitor);
    for (pause_ms, packets) in bursts {
        now += pause_ms;
        // The next subframe begins a little later.
        let first = now + 1;
        for packet in 0..*packets {
            let mut passed = Passed::new(at(now as f64 + packet as f64 * 0.012), 1500, 1448, false);
            let last = first + (packet as i64 + 1) * 1500 / 2000;
            passed.acknowledged = Some(at((last + 12) as f64));
            capture.passed.push(passed);
        }
        let mut left = packets * 1500;
        now = first;
        while left > 0 {
            served.push(block(now, left.min(2000), 0));
            left -= left.min(2000);
            now += 1;
        }
    }
    (served, capture)
}

/// The times of the log by a modem's clock that runs `ppm` slower and is `offset_ms` behind.
fn by_modem(served: &[Ms], offset_ms: f64, ppm: f64) -> Vec<Ms> {
    let stretch = |time: Instant| {
        let elapsed = (time - at(0.0)).as_nanos() as f64;
        let read = elapsed * (1.0 - ppm * 1e-6) - offset_ms * 1e6;
        at(0.0) + Duration::from_nanos(read as i64)
    };
    served.iter().map(|ms| Ms { time: stretch(ms.time), ..*ms }).collect()
}

fn aligned(downlink: &[Ms], capture: &PhoneCapture) -> Result<ClockFit, NotAligned> {
    align(ServedLog { downlink, uplink: &[] }, capture)
}

fn bursts() -> impl Strategy<Value = Vec<(i64, u64)>> {
    prop::collection::vec((20i64..900, 1u64..60), 60..160)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn a_shift_and_a_stretch_are_recovered(
        bursts in bursts(), offset_ms in -10_000_000.0f64..10_000_000.0, ppm in -50.0f64..50.0,
    ) {
        let (served, capture) = traffic(&bursts);
        let modem = by_modem(&served, offset_ms, ppm);
        let fit = aligned(&modem, &capture).unwrap();
        for index in [0, served.len() / 2, served.len() - 1] {
            let error = (fit.to_capture(modem[index].time) - served[index].time).abs();
            prop_assert!(error <= Duration::from_millis(5), "{error:?} at {index}: {fit:?}");
            prop_assert!(error <= fit.uncertainty, "{error:?} at {index}: {fit:?}");
        }
        prop_assert!(fit.uncertainty <= Duration::from_millis(60), "{fit:?}");
        prop_assert!((fit.explained_ratio.unwrap() - 1.0).abs() < 0.05);
    }

    #[test]
    fn a_part_of_the_log_is_enough(
        bursts in prop::collection::vec((50i64..900, 1u64..60), 100..160),
        offset_ms in -100_000.0f64..100_000.0,
    ) {
        let (served, mut capture) = traffic(&bursts);
        let modem = by_modem(&served, offset_ms, 0.0);
        let part = &modem[modem.len() / 4..];
        capture.passed.truncate(capture.passed.len() * 9 / 10);
        let fit = aligned(part, &capture).unwrap();
        let error = (fit.to_capture(part[0].time) - served[modem.len() / 4].time).abs();
        prop_assert!(error <= Duration::from_millis(5), "{error:?}: {fit:?}");
        prop_assert!(error <= fit.uncertainty, "{error:?}: {fit:?}");
    }
}

/// Times at the limits of the nanosecond range, and times in between.
fn wild() -> impl Strategy<Value = Vec<i64>> {
    let any =
        prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(0), any::<i64>(), 0..10_000_000_000i64];
    prop::collection::vec(any, 1..12)
}

proptest! {
    /// Captures and logs come from outside, so their clocks may show anything.
    #[test]
    fn wild_times_have_an_answer_or_a_reason(
        blocks in wild(), packets in wild(), acks in wild(), behind in any::<bool>(), up in any::<bool>(),
    ) {
        let mut log: Vec<Ms> = blocks.iter().map(|ns| {
            let time = Instant::from_nanos(*ns);
            Ms { time, after_gap: ns % 5 == 1, ..block(0, u64::MAX >> (ns & 63), 0) }
        }).collect();
        log.sort_by_key(|ms| ms.time);
        let mut capture = PhoneCapture::new(if behind { Vantage::Ue } else { Vantage::Monitor });
        for (ns, ack) in packets.iter().zip(acks.iter().chain(&[0; 12])) {
            let mut packet = Passed::new(Instant::from_nanos(*ns), 1500, 1448, false);
            packet.acknowledged = (ack % 3 != 0).then_some(Instant::from_nanos(*ack));
            packet.unqueued = (ack % 2 == 0).then_some(Instant::from_nanos(*ack));
            packet.from_idle = ack % 2 == 0;
            capture.passed.push(packet);
            capture.sent.push(packet);
        }
        capture.passed.sort_by_key(|packet| packet.time);
        capture.sent.sort_by_key(|packet| packet.time);
        let uplink = if up { &log[..] } else { &[] };
        if let Ok(fit) = align(ServedLog { downlink: &log, uplink }, &capture) {
            prop_assert!(fit.uncertainty >= Duration::ZERO, "{fit:?}");
        }
    }
}

#[test]
fn another_phone_fits_nowhere() {
    let mut state = 1u64;
    let mut below = |most: u64| {
        // The linear congruential generator of Knuth's MMIX.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    for pair in 0..30 {
        let mut bursts = || -> Vec<(i64, u64)> {
            (0..120).map(|_| (20 + below(880) as i64, 1 + below(59))).collect()
        };
        let (served, _) = traffic(&bursts());
        let (_, capture) = traffic(&bursts());
        let fit = aligned(&served, &capture);
        assert_eq!(fit, Err(NotAligned::Violated), "pair {pair}");
    }
}

#[test]
fn what_is_too_short_or_repeats_itself_is_refused() {
    let (served, capture) = traffic(&[(100, 3)]);
    assert_eq!(aligned(&served, &capture), Err(NotAligned::TooShort));
    assert_eq!(aligned(&[], &capture), Err(NotAligned::TooShort));
    let (served, capture) = traffic(&[(500, 20); 100]);
    let part = by_modem(&served[served.len() / 4..served.len() / 2], 3_700.0, 0.0);
    assert!(matches!(aligned(&part, &capture), Err(NotAligned::Ambiguous(_))));
}

#[test]
fn a_drift_that_the_pairs_do_not_tell_widens_the_uncertainty() {
    // A link that is full for a minute after its beginning.
    let bursts = [(500, 3), (700, 40)].into_iter().chain(vec![(0, 10); 7_000]);
    let (served, capture) = traffic(&bursts.collect::<Vec<_>>());
    let modem = by_modem(&served, 1_000.0, 80.0);
    let fit = aligned(&modem, &capture).unwrap();
    for (read, true_one) in modem.iter().zip(&served) {
        let error = (fit.to_capture(read.time) - true_one.time).abs();
        assert!(error <= fit.uncertainty, "{error:?}: {fit:?}");
    }
}
