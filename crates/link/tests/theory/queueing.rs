//! Tests the queueing delay of known arrival patterns, and the effects of CoDel and of a wired
//! bottleneck.

use airmile_link::{Discipline, EventKind, LinkConfig, Path, PathConfig, QueueConfig, RateConfig};
use airmile_types::{Direction, Instant};
use rand::{Rng, SeedableRng};
use rand_distr::Exp1;
use rand_pcg::Pcg64Mcg;

use crate::common::{Played, quiet, spaced, timed};

/// A link on which one packet of 1500 bytes fills a TTI.
fn one_packet_a_tti() -> LinkConfig {
    let mut config = quiet();
    config.downlink.rate = RateConfig::Constant { mbps: 12.0 };
    config.downlink.queue = QueueConfig { bytes: 10_000_000, ..QueueConfig::default() };
    config
}

#[test]
fn constant_gaps_wait_as_d_d_1_says() {
    // Packets come every 0.8 ms and take 1 ms of service, so each waits 0.2 ms longer than the one
    // before. The first comes 0.3 ms into a TTI; TTI 21 + n serves packet n, and 5 ms pass on the
    // air.
    let played = spaced(&one_packet_a_tti(), Direction::Downlink, 1500, 800_000, 1_000);
    let delays = played.delays_ms();
    assert_eq!(delays.len(), 1_000);
    for (number, delay) in delays.iter().enumerate() {
        let theory = 5.7 + 0.2 * number as f64;
        assert!((delay - theory).abs() < 1e-6, "packet {number}: {delay} for {theory}");
    }
}

#[test]
fn poisson_arrivals_wait_as_m_d_1_says() {
    for load in [0.5, 0.8] {
        let mut random = Pcg64Mcg::seed_from_u64(7);
        let mut at_ms = 20.0;
        let arrivals = std::iter::repeat_with(|| {
            at_ms += random.sample::<f64, _>(Exp1) / load;
            (at_ms * 1e6) as i64
        });
        let count = 200_000;
        let played = timed(&one_packet_a_tti(), Direction::Downlink, 1500, arrivals.take(count));
        let delays = played.delays_ms();
        assert_eq!(delays.len(), count);
        // The Pollaczek-Khinchine formula, and half a TTI more because service begins with a TTI:
        // this is a server that takes vacations of one service time.
        let theory = load / (2.0 * (1.0 - load)) + 0.5;
        let (mean, error) = batch_means(&delays, 40);
        let wait = mean - 5.0;
        assert!(error < 0.05 * theory, "too few packets: {error} of {theory}");
        assert!((wait - theory).abs() < 3.0 * error, "{load}: {wait} +- {error} for {theory}");
    }
}

/// The mean and its standard error, from the means of batches that are long enough to be
/// independent.
fn batch_means(values: &[f64], batches: usize) -> (f64, f64) {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let means: Vec<f64> = values.chunks_exact(values.len() / batches).map(mean).collect();
    let all = mean(&means);
    let variance = means.iter().map(|m| (m - all).powi(2)).sum::<f64>() / (batches - 1) as f64;
    (all, (variance / batches as f64).sqrt())
}

#[test]
fn codel_drops_by_its_control_law() {
    let mut config = one_packet_a_tti();
    config.downlink.queue.discipline = Discipline::Codel;
    // A third more comes than the link carries, whatever is dropped. The n-th drop comes 100 ms /
    // sqrt(n) after the one before (RFC 8289).
    let played = spaced(&config, Direction::Downlink, 1500, 750_000, 4_000);
    let drops: Vec<f64> = played
        .events
        .iter()
        .filter(|event| event.kind == EventKind::CodelDrop)
        .map(|event| event.at.as_nanos() as f64 / 1e6)
        .collect();
    // The wait grows by a quarter of a ms per packet: it is 5 ms after 20 packets, and must stay
    // above that for 100 ms.
    assert!((139.0..=144.0).contains(&drops[0]), "first at {}", drops[0]);
    let mut due = drops[0];
    for (number, at) in drops.iter().enumerate().take(30).skip(1) {
        due += 100.0 / (number as f64).sqrt();
        assert!((0.0..=1.0).contains(&(at - due)), "drop {number}: at {at}, due at {due}");
    }
}

#[test]
fn codel_lets_a_queue_be_that_is_short() {
    let mut config = one_packet_a_tti();
    config.downlink.queue.discipline = Discipline::Codel;
    // Three packets come at once every 4 ms: none of them waits 5 ms.
    let bursts = (0..3_000i64).map(|n| 20_300_000 + n / 3 * 4_000_000);
    let played = timed(&config, Direction::Downlink, 1500, bursts);
    assert!(played.events.is_empty());
    assert_eq!(played.delivered.len(), 3_000);
}

#[test]
fn a_wired_bottleneck_spaces_packets_and_drops_what_its_buffer_lacks() {
    // At 12 Mbit/s each packet takes a millisecond. 20 packets come at once into a buffer for 10.
    let config = PathConfig {
        delay_ms: 3.0,
        mbps: Some(12.0),
        buffer_bytes: 15_000,
        ..PathConfig::default()
    };
    let mut path = Path::new(Direction::Downlink, &config, 1).unwrap();
    let mut played = Played::default();
    for _ in 0..20 {
        path.push(Instant::from_nanos(0), vec![0u8; 1500], &mut played);
    }
    let left = std::iter::from_fn(|| path.pop(Instant::MAX)).map(|(at, _)| at.as_nanos());
    let expected: Vec<i64> = (1..=10).map(|n| 3_000_000 + n * 1_000_000).collect();
    assert_eq!(left.collect::<Vec<_>>(), expected);
    assert!(played.events.iter().all(|event| event.kind == EventKind::PathDrop));
    assert_eq!(played.events.len(), 10);
}

#[test]
fn a_path_that_was_shortened_below_none_comes_back_to_what_it_was() {
    let config = PathConfig { delay_ms: 10.0, ..PathConfig::default() };
    let mut path = Path::new(Direction::Downlink, &config, 1).unwrap();
    let mut through = |change_ms: i64, at_ms: i64| {
        path.change_delay(airmile_types::Duration::from_millis(change_ms));
        let at = Instant::from_nanos(at_ms * 1_000_000);
        path.push(at, vec![1u8], &mut ());
        (path.pop(Instant::MAX).unwrap().0 - at).as_millis_f64()
    };
    assert_eq!([through(-15, 100), through(15, 200)], [0.0, 10.0]);
}

#[test]
fn a_shorter_path_does_not_overtake() {
    let config = PathConfig { delay_ms: 10.0, ..PathConfig::default() };
    let mut path = Path::new(Direction::Downlink, &config, 1).unwrap();
    path.push(Instant::from_nanos(0), vec![1u8], &mut ());
    path.change_delay(airmile_types::Duration::from_millis(-8));
    path.push(Instant::from_nanos(1_000_000), vec![2u8], &mut ());
    let left: Vec<_> = std::iter::from_fn(|| path.pop(Instant::MAX)).collect();
    let at = |ms: i64| Instant::from_nanos(ms * 1_000_000);
    assert_eq!(left, [(at(10), vec![1]), (at(10), vec![2])]);
}
