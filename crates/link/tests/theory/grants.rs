//! Tests scheduling requests, buffer reports and grants, exact to the TTI.

use airmile_link::{
    Blocked, CompetitorConfig, EventKind, GrantConfig, HarqConfig, LinkConfig, RateConfig, Row,
    TrafficConfig,
};
use airmile_types::Direction;
use proptest::prelude::*;

use crate::common::{quiet, saturated, spaced, timed};

fn asking(period_ms: f64, answer_ms: f64, delay_ttis: u32, first_bytes: u32) -> LinkConfig {
    let mut config = quiet();
    config.uplink.grants =
        Some(GrantConfig { request_period_ms: period_ms, answer_ms, delay_ttis, first_bytes });
    config
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_lone_packet_waits_for_its_request_and_two_grants(
        period in 1i64..40, answer in 0i64..20, delay in 1i64..10, at_us in 20_000i64..400_000,
    ) {
        let config = asking(period as f64, answer as f64, delay as u32, 100);
        let played = timed(&config, Direction::Uplink, 1500, [at_us * 1_000]);
        // The TTI that first sees the packet, the next opportunity for a request, and the answer to
        // it.
        let seen = (at_us + 999) / 1_000;
        let asked = (seen + period - 1) / period * period;
        let first = asked + answer + delay;
        // The first block reports what is left; the base station knows it in the next TTI at the
        // earliest.
        let second = first + answer.max(1) + delay;
        let used: Vec<i64> =
            played.rows.iter().filter(|row| row.prbs > 0).map(|row| row.tti as i64).collect();
        prop_assert_eq!(&used, &[first, second]);
        prop_assert_eq!(played.delivered[0].0.as_nanos(), (second + 5) * 1_000_000);
    }
}

#[test]
fn a_first_grant_that_holds_the_packet_needs_no_second() {
    let played = timed(&asking(10.0, 4.0, 4, 2_000), Direction::Uplink, 1500, [20_300_000]);
    let used: Vec<u64> = played.rows.iter().filter(|r| r.prbs > 0).map(|r| r.tti).collect();
    assert_eq!(used, [38]);
    assert_eq!(played.delays_ms(), [43.0 - 20.3]);
}

#[test]
fn a_report_is_rounded_up_and_padding_is_what_it_costs() {
    // 10 packets come at once: 14900 bytes are left to report, and a report is up to a sixth too
    // high (TS 36.321 table 6.1.3.1-1).
    let config = asking(10.0, 4.0, 4, 100);
    let played = timed(&config, Direction::Uplink, 1500, [20_300_000; 10]);
    let used: Vec<_> = played.rows.iter().filter(|row| row.prbs > 0).collect();
    let granted: u32 = used.iter().skip(1).map(|row| row.tbs_bytes).sum();
    let served: u32 = used.iter().map(|row| row.served_bytes).sum();
    assert_eq!(served, 15_000);
    assert!((15_000..14_900 * 7 / 6).contains(&granted), "{granted}");
    assert!(played.events.iter().all(|event| event.kind != EventKind::DropTail));
}

/// The rows in which data waited and the phone sent nothing, with the reason.
fn unserved(config: &LinkConfig, at_ns: &[i64]) -> Vec<(u64, Blocked)> {
    let played = timed(config, Direction::Uplink, 1500, at_ns.iter().copied());
    let waits = |row: &&Row| row.queue_bytes > 0 && row.prbs + row.repeated_prbs == 0;
    played.rows.iter().filter(waits).map(|row| (row.tti, row.blocked)).collect()
}

#[test]
fn a_wait_for_a_request_is_no_contention_although_others_are_served() {
    let mut config = asking(10.0, 4.0, 4, 2_000);
    let (traffic, rate) =
        (TrafficConfig::Poisson { mbps: 2.0 }, RateConfig::Constant { mbps: 20.0 });
    config.uplink.competitors = vec![CompetitorConfig { count: 1, rate, traffic }];
    let waits = unserved(&config, &[20_300_000]);
    // The packet is seen in TTI 21; the request is sent in 30, and the grant in 34 for 38.
    let expected: Vec<_> = (21..38).map(|tti| (tti, Blocked::Grant)).collect();
    assert_eq!(waits, expected);
}

#[test]
fn a_full_uplink_waits_for_the_others_and_not_for_grants() {
    let mut config = asking(10.0, 4.0, 4, 2_000);
    let (traffic, rate) = (TrafficConfig::Full, RateConfig::Constant { mbps: 20.0 });
    config.uplink.competitors = vec![CompetitorConfig { count: 3, rate, traffic }];
    let rows = saturated(&config, Direction::Uplink, 500).rows;
    let unserved = |row: &&Row| row.prbs + row.repeated_prbs == 0;
    let late: Vec<_> = rows[200..].iter().filter(unserved).map(|row| row.blocked).collect();
    assert!(late.len() > 200 && late.iter().all(|blocked| *blocked == Blocked::No));
}

#[test]
fn a_tti_that_repetitions_fill_is_not_a_wait_for_a_grant() {
    let mut config = asking(10.0, 4.0, 4, 100);
    config.uplink.harq.failure = 0.5;
    let rows = saturated(&config, Direction::Uplink, 3_000).rows;
    let filled: Vec<_> = rows.iter().filter(|row| row.prbs == 0 && row.repeated_prbs > 0).collect();
    assert!(filled.len() > 100);
    assert!(filled.iter().all(|row| row.blocked == Blocked::No));
}

#[test]
fn a_report_is_known_when_its_block_is_decoded() {
    let mut config = asking(10.0, 4.0, 4, 100);
    config.uplink.harq = HarqConfig { failure: 0.3, transmissions: 9, rlc_ms: 40.0 };
    let played = spaced(&config, Direction::Uplink, 1500, 400_000_000, 200);
    let ttis = |sent: fn(&Row) -> u32| {
        played.rows.iter().filter(move |row| sent(row) > 0).map(|row| row.tti)
    };
    let used: Vec<u64> = ttis(|row| row.prbs).collect();
    assert_eq!(used.len(), 400);
    let mut late = 0;
    for pair in used.chunks_exact(2) {
        let mut decoded =
            ttis(|row| row.repeated_prbs).filter(|tti| (pair[0]..pair[1]).contains(tti));
        let decoded = decoded.next_back().unwrap_or(pair[0]);
        // The answer takes 4 TTIs, and its use 4 more.
        assert_eq!(pair[1], decoded + 8);
        late += u32::from(decoded > pair[0]);
    }
    assert!((30..90).contains(&late), "{late} of 200 blocks failed");
}
