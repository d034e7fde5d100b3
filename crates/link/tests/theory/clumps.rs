//! Tests what makes deliveries come in clumps: TDD, measurement gaps, a modem that passes packets on
//! together, and blocks that wait for one that RLC sends anew.

use airmile_link::{AirConfig, Blocked, HarqConfig, LinkConfig, QueueConfig, RateConfig};
use airmile_types::Direction;

use crate::common::{Played, quiet, saturated, spaced};

/// Links whose subframes carry 1500 bytes.
fn link() -> LinkConfig {
    let mut config = quiet();
    for air in [&mut config.downlink, &mut config.uplink] {
        air.rate = RateConfig::Constant { mbps: 12.0 };
        air.queue = QueueConfig { bytes: 10_000_000, ..QueueConfig::default() };
    }
    config
}

#[test]
fn a_tdd_carrier_serves_the_subframes_of_the_table() {
    // The subframes of a frame for each configuration (TS 36.211 table 4.2-2): downlink, special and
    // uplink ones.
    let table = [(2, 2, 6), (4, 2, 4), (6, 2, 2), (6, 1, 3), (7, 1, 2), (8, 1, 1), (3, 2, 5)];
    for (number, (down, special, up)) in table.into_iter().enumerate() {
        let config = LinkConfig { tdd: Some(number as u32), ..link() };
        let downlink = saturated(&config, Direction::Downlink, 2_000);
        let per_frame = downlink.served_bytes() as f64 / 200.0;
        // A special subframe has 37 of 50 PRBs.
        let theory = 1_500.0 * (f64::from(down) + f64::from(special) * 37.0 / 50.0);
        assert!((per_frame / theory - 1.0).abs() < 0.02, "{number}: {per_frame} of {theory}");
        let uplink = saturated(&config, Direction::Uplink, 2_000);
        let served = uplink.rows.iter().filter(|row| row.prbs > 0).map(|row| row.tti % 10);
        let subframes: std::collections::BTreeSet<_> = served.collect();
        assert_eq!(subframes.len(), up, "{number}: {subframes:?}");
        assert!(uplink.rows[100..].iter().all(|row| row.prbs == 0 || row.available_bytes > 0));
    }
}

#[test]
fn what_is_repeated_on_a_tdd_carrier_waits_for_a_subframe_of_its_direction() {
    for (number, subframes) in [6.0, 4.0, 2.0, 3.0, 2.0, 1.0, 5.0].into_iter().enumerate() {
        let uplink = AirConfig { harq: HarqConfig::default(), ..link().uplink };
        let config = LinkConfig { tdd: Some(number as u32), uplink, ..link() };
        let played = saturated(&config, Direction::Uplink, 2_000);
        let late: u64 = played.rows[1_000..].iter().map(|row| u64::from(row.served_bytes)).sum();
        // A tenth of the blocks is sent again.
        let most = 0.9 * 1_500.0 * subframes * 100.0;
        assert!(late as f64 > 0.7 * most, "{number}: {late} of {most}");
    }
}

#[test]
fn nothing_is_sent_in_a_measurement_gap() {
    for (period, tti_us) in [(40, 1000), (80, 1000), (40, 500)] {
        for direction in [Direction::Downlink, Direction::Uplink] {
            let config = LinkConfig { gap_period_ms: Some(period), tti_us, ..link() };
            let ttis_per_ms = u64::from(1000 / tti_us);
            let played = saturated(&config, direction, 4_000);
            for row in &played.rows {
                let in_gap = row.tti % (u64::from(period) * ttis_per_ms) < 6 * ttis_per_ms;
                assert_eq!(row.blocked == Blocked::Gap, in_gap, "{direction:?} {}", row.tti);
                assert!(!in_gap || row.prbs + row.repeated_prbs == 0);
            }
            if direction == Direction::Downlink {
                let busy = played.rows[200..].iter().filter(|row| row.prbs > 0).count();
                let theory = 3_800.0 * (1.0 - 6.0 / f64::from(period));
                assert!((busy as f64 - theory).abs() <= 12.0, "{busy} TTIs of {theory}");
            }
        }
    }
}

/// The times in milliseconds at which something was delivered, without repetitions.
fn instants(played: &Played) -> Vec<f64> {
    let mut at: Vec<f64> =
        played.delivered.iter().map(|(at, _)| at.as_nanos() as f64 / 1e6).collect();
    at.dedup();
    at
}

#[test]
fn a_modem_passes_packets_on_together() {
    for aggregation_ms in [1.0, 2.5, 10.0] {
        let mut config = link();
        config.downlink.aggregation_ms = aggregation_ms;
        let played = spaced(&config, Direction::Downlink, 1500, 1_000_000, 1_000);
        assert!(played.is_in_order());
        for at in instants(&played) {
            assert!((at / aggregation_ms).fract().abs() < 1e-9, "{at} ms");
        }
        let clump = 1_000.0 / instants(&played).len() as f64;
        assert!((clump - aggregation_ms.max(1.0)).abs() < 0.2, "{clump} packets at a time");
        // Each packet waits for the end of its interval at most.
        let waits = played.delays_ms();
        assert!(waits.iter().all(|wait| (5.7..5.7 + aggregation_ms + 1e-6).contains(wait)));
    }
}

#[test]
fn what_waits_for_a_block_that_rlc_sends_anew_comes_with_it() {
    // Each block is sent once. One in a hundred fails, and RLC sends it anew after a HARQ round of
    // 8 ms and 40 ms more.
    let mut config = link();
    config.downlink.harq = HarqConfig { failure: 0.01, transmissions: 1, rlc_ms: 40.0 };
    let played = spaced(&config, Direction::Downlink, 1500, 2_000_000, 5_000);
    assert!(played.is_in_order());
    let mut clumps = 0;
    let mut index = 0;
    while index < played.delivered.len() {
        let at = played.delivered[index].0;
        let together = played.delivered[index..].iter().take_while(|each| each.0 == at).count();
        if together > 1 {
            // The first packet of a clump is the one that failed: it is late by 48 ms, or by several
            // times as much, and those after it came every 2 ms meanwhile.
            let (_, first) = played.delivered[index];
            let late = (at - played.sent[first]).as_millis_f64() - 5.7;
            let rounds = (late / 48.0).round();
            assert!(rounds >= 1.0 && (late - 48.0 * rounds).abs() <= 1.0, "late by {late} ms");
            let since = (late / 2.0).floor();
            // A clump ends early at a packet that failed too.
            let next = played.delivered.get(index + together).map(|(_, next)| played.sent[*next]);
            let cut = next.is_some_and(|sent| (at - sent).as_millis_f64() > 8.0);
            let short = since + 1.0 - together as f64;
            assert!(if cut { short > 0.0 } else { short.abs() <= 1.0 }, "{together} after {late}");
            clumps += 1;
        }
        index += together;
    }
    // A failure within the wait for another one makes no clump of its own.
    assert!((30..=50).contains(&clumps), "{clumps} clumps");
}
