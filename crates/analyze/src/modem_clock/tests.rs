use super::*;
use proptest::prelude::*;

const MS: i64 = 1_000_000;

fn at(ns: i64) -> Instant {
    Instant::from_nanos(1_700_000_000_000_000_000 + ns)
}

/// Bursts of packets after pauses, and the blocks of an idle cell that serve them at 2000 bytes a
/// millisecond.
fn traffic(bursts: &[(i64, u64)]) -> (Vec<Volume>, Vec<Volume>) {
    let (mut now, mut served, mut passed) = (0, Vec::new(), Vec::new());
    for (pause_ms, packets) in bursts {
        now += pause_ms * MS;
        for packet in 0..*packets {
            passed.push((at(now + packet as i64 * 12_000), 1500));
        }
        let mut left = packets * 1500;
        // The next subframe begins somewhat later.
        let mut subframe = (now / MS + 1) * MS;
        while left > 0 {
            served.push((at(subframe), left.min(2000)));
            left -= left.min(2000);
            subframe += MS;
        }
        now = subframe;
    }
    (served, passed)
}

/// The modem's clock goes `ppm` slower and is `offset` behind.
fn by_modem(served: &[Volume], offset: i64, ppm: f64) -> Vec<Volume> {
    let stretch = |time: Instant| {
        let elapsed = (time - at(0)).as_nanos() as f64;
        at(0) + Duration::from_nanos((elapsed * (1.0 - ppm * 1e-6)) as i64 - offset)
    };
    served.iter().map(|(time, bytes)| (stretch(*time), *bytes)).collect()
}

fn bursts() -> impl Strategy<Value = Vec<(i64, u64)>> {
    prop::collection::vec((20i64..900, 1u64..60), 60..160)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_shift_and_a_stretch_are_recovered(
        bursts in bursts(), offset_ms in -10_000_000i64..10_000_000, ppm in -50.0f64..50.0,
    ) {
        let (served, passed) = traffic(&bursts);
        let modem = by_modem(&served, offset_ms * MS, ppm);
        let fit = align(&modem, &passed, Vantage::Monitor).unwrap();
        for index in [0, served.len() / 2, served.len() - 1] {
            let error = (fit.to_capture(modem[index].0) - served[index].0).abs();
            prop_assert!(error <= Duration::from_millis(5), "{error:?} at {index}: {fit:?}");
            prop_assert!(error <= fit.uncertainty + Duration::from_millis(2), "{fit:?}");
        }
        prop_assert!((fit.explained_ratio - 1.0).abs() < 0.05);
    }

    #[test]
    fn a_part_of_the_log_is_enough(
            bursts in prop::collection::vec((50i64..900, 1u64..60), 100..160), offset_ms in -100_000i64..100_000) {
        let (served, passed) = traffic(&bursts);
        let modem = by_modem(&served, offset_ms * MS, 0.0);
        let part = &modem[modem.len() / 3..];
        let tap = &passed[..passed.len() * 4 / 5];
        let fit = align(part, tap, Vantage::Monitor).unwrap();
        let error = (fit.to_capture(part[0].0) - served[modem.len() / 3].0).abs();
        prop_assert!(error <= Duration::from_millis(5), "{error:?}: {fit:?}");
    }
}

#[test]
fn another_phone_fits_nowhere() {
    let mut state = 1u64;
    let mut below = |most: u64| {
        // Knuth's MMIX generator.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    for pair in 0..30 {
        let mut bursts = || -> Vec<(i64, u64)> {
            (0..120).map(|_| (20 + below(880) as i64, 1 + below(59))).collect()
        };
        let (served, _) = traffic(&bursts());
        let (_, passed) = traffic(&bursts());
        let fit = align(&served, &passed, Vantage::Monitor);
        assert!(fit.is_err(), "pair {pair}: {fit:?}");
    }
}

#[test]
fn what_is_too_short_or_repeats_itself_is_refused() {
    let (served, passed) = traffic(&[(100, 3)]);
    assert_eq!(align(&served, &passed, Vantage::Monitor), Err(NotAligned::TooShort));
    assert_eq!(align(&[], &passed, Vantage::Monitor), Err(NotAligned::TooShort));
    let (served, passed) = traffic(&[(500, 20); 100]);
    let part = &served[served.len() / 4..served.len() / 2];
    assert!(matches!(align(part, &passed, Vantage::Monitor), Err(NotAligned::Ambiguous(..))));
}
