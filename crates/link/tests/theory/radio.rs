//! Tests of transport blocks against the tables, HARQ retransmissions, and the PRBs of a TTI.

use airmile_link::{
    AirConfig, CompetitorConfig, GrantConfig, HandoverConfig, HarqConfig, Policy, RateConfig,
    Sharing, SinrConfig, TrafficConfig, tables,
};
use airmile_types::Direction;
use proptest::prelude::*;

use crate::common::{quiet, saturated, spaced};

fn sinr(db: f64, layers: u32) -> RateConfig {
    RateConfig::Sinr { sinr: SinrConfig::Constant { db }, layers, qam256: false }
}

#[test]
fn a_full_queue_is_served_the_block_of_the_table_each_millisecond() {
    // CQI 15 means 5.5547 bits in each of 120 elements (TS 36.213 table 7.2.3-1): 66656 bits for
    // 100 PRBs. I_TBS 25 (63776) is below that and 26 (75376) above. The blocks of I_TBS 25 on 25,
    // 50 and 100 PRBs are those of table 7.1.7.2.1-1; two layers on 50 PRBs carry the block of 100.
    for (prbs, layers, bits) in
        [(25, 1, 15_840), (50, 1, 31_704), (100, 1, 63_776), (50, 2, 63_776)]
    {
        let mut config = quiet();
        config.downlink.prbs = prbs;
        config.downlink.rate = sinr(30.0, layers);
        let rows = saturated(&config, Direction::Downlink, 300).rows;
        for row in &rows[100..] {
            assert_eq!((row.prbs, row.tbs_bytes * 8), (prbs, bits), "TTI {}", row.tti);
            assert_eq!(row.served_bytes, row.tbs_bytes);
        }
    }
}

#[test]
fn an_uplink_block_is_adapted_to_the_elements_of_an_uplink() {
    // There are 144 data elements in a pair of PRBs (TS 36.211 section 5.5.2). CQI 7 means 1.4766
    // bits in each: 21263 bits for 100 PRBs, where I_TBS 11 (19848) is below and 12 (22920) above.
    // CQI 15 means 5.5547 bits: 79987 bits, above I_TBS 26 (75376), the highest. The sizes are
    // those on 50 PRBs.
    for (db, bits) in [(6.0, 9_912), (30.0, 36_696)] {
        let mut config = quiet();
        config.uplink = AirConfig { rate: sinr(db, 1), grants: None, ..config.uplink };
        let rows = saturated(&config, Direction::Uplink, 300).rows;
        assert!(rows[100..].iter().all(|row| row.tbs_bytes * 8 == bits), "{:?}", rows[200]);
    }
}

#[test]
fn nothing_is_sent_below_the_lowest_cqi() {
    // CQI 0 is out of range (TS 36.213 table 7.2.3-1).
    for (db, served) in [(-6.0, true), (-7.0, false)] {
        let mut config = quiet();
        config.downlink.rate = sinr(db, 1);
        let rows = saturated(&config, Direction::Downlink, 300).rows;
        assert_eq!(rows.iter().any(|row| row.available_bytes > 0), served, "{db} dB");
        assert_eq!(rows.iter().any(|row| row.prbs > 0 && row.mcs.is_some()), served, "{db} dB");
    }
}

#[test]
fn every_block_is_the_one_of_its_mcs_and_prbs() {
    for (direction, table) in [
        (Direction::Downlink, tables::McsTable::Downlink64),
        (Direction::Uplink, tables::McsTable::Uplink64),
    ] {
        let fading = SinrConfig::Ar1 { mean_db: 8.0, sigma_db: 6.0, tau_ms: 100.0 };
        let rate = RateConfig::Sinr { sinr: fading, layers: 1, qam256: false };
        let mut config = quiet();
        config.downlink.rate = rate.clone();
        config.uplink = AirConfig { rate, grants: None, ..config.uplink };
        let rows = saturated(&config, direction, 5_000).rows;
        let known = tables::mcs(table);
        for row in rows.iter().filter(|row| row.prbs > 0) {
            let mcs = row.mcs.unwrap();
            assert!(known.contains(&mcs), "{mcs:?}");
            assert_eq!(row.tbs_bytes, tables::tbs_bits(mcs.i_tbs, row.prbs) / 8);
        }
        let kinds: std::collections::BTreeSet<_> =
            rows.iter().filter_map(|r| r.mcs.map(|mcs| mcs.index)).collect();
        assert!(kinds.len() > 8, "the channel moved through {kinds:?}");
    }
}

#[test]
fn a_lone_block_is_late_by_whole_rounds_with_the_chances_of_failure() {
    let mut config = quiet();
    config.downlink.harq = HarqConfig { failure: 0.3, transmissions: 3, rlc_ms: 40.0 };
    let count = 6_000;
    let played = spaced(&config, Direction::Downlink, 1500, 200_000_000, count);
    let rounds = |late_ms: f64| {
        let late = |delay: &&f64| (**delay - 5.7 - late_ms).abs() < 1e-6;
        played.delays_ms().iter().filter(late).count() as f64 / count as f64
    };
    // Each HARQ retransmission comes 8 TTIs later; RLC retransmits 40 ms after the third
    // transmission.
    let theory = [(0.0, 0.7), (8.0, 0.21), (16.0, 0.063), (64.0, 0.0189), (72.0, 0.00567)];
    for (late_ms, chance) in theory {
        let (found, error) = (rounds(late_ms), (chance * (1.0 - chance) / count as f64).sqrt());
        assert!((found - chance).abs() < 4.0 * error, "{late_ms} ms: {found} for {chance}");
    }
    let sum: f64 = (0..60).map(|n| rounds(f64::from(n) * 8.0)).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
}

#[test]
fn nothing_new_is_sent_beyond_the_window_of_rlc() {
    let mut config = quiet();
    config.downlink.harq = HarqConfig { failure: 0.3, transmissions: 1, rlc_ms: 10_000.0 };
    config.uplink.harq = config.downlink.harq;
    for direction in [Direction::Downlink, Direction::Uplink] {
        let rows = saturated(&config, direction, 2_000).rows;
        let blocks = rows.iter().filter(|row| row.served_bytes > 0).count();
        // There are 512 blocks from the first that failed (TS 36.322 section 7.2); RLC retransmits
        // none so soon.
        assert!((512..530).contains(&blocks), "{direction:?}: {blocks}");
    }
}

#[test]
fn ttis_of_half_a_millisecond_halve_harq_and_grant_delays_but_not_rlc_delays() {
    let mut config = quiet();
    config.tti_us = 500;
    // A packet that arrives 0.3 ms into a millisecond is served in the TTI that begins at 0.5 ms.
    let played = spaced(&config, Direction::Downlink, 1200, 10_000_000, 500);
    assert_eq!(played.delays_ms().len(), 500);
    assert!(played.delays_ms().iter().all(|delay| (delay - 5.2).abs() < 1e-6));
    config.downlink.harq = HarqConfig { failure: 0.3, transmissions: 3, rlc_ms: 40.0 };
    let count = 2_000;
    let delays = spaced(&config, Direction::Downlink, 1200, 200_000_000, count).delays_ms();
    // A HARQ retransmission takes 8 TTIs, which are 4 ms; RLC retransmits 40 ms after the third.
    for (late_ms, chance) in [(0.0, 0.7), (4.0, 0.21), (8.0, 0.063), (52.0, 0.0189)] {
        let late = delays.iter().filter(|delay| (*delay - 5.2 - late_ms).abs() < 1e-6).count();
        let (found, error) =
            (late as f64 / count as f64, (chance * (1.0 - chance) / count as f64).sqrt());
        assert!((found - chance).abs() < 4.0 * error, "{late_ms} ms: {found} for {chance}");
    }
    config.downlink.harq = quiet().downlink.harq;
    config.uplink.grants = Some(GrantConfig::default());
    let lone = spaced(&config, Direction::Uplink, 1200, 200_000_000, 3);
    // The scheduling request is at 30 ms; the grant comes at 34 ms and is used 4 TTIs later, at 36
    // ms. The second grant follows after as long again.
    assert_eq!(lone.delays_ms().len(), 3);
    assert!(lone.delays_ms().iter().all(|delay| (delay - (42.0 + 5.0 - 20.3)).abs() < 1e-6));
}

#[test]
fn a_trace_is_carried_to_the_byte() {
    let ms = vec![1, 1, 2, 5, 5, 5, 9, 10];
    for tti_us in [1000, 500] {
        let mut config = quiet();
        config.tti_us = tti_us;
        config.downlink.rate = RateConfig::Trace { ms: ms.clone() };
        let ttis = 2_000_000 / u64::from(tti_us);
        let rows = saturated(&config, Direction::Downlink, ttis).rows;
        let served: u64 = rows.iter().skip(rows.len() / 2).map(|r| u64::from(r.served_bytes)).sum();
        // There are 8 opportunities every 10 ms in the second second.
        assert_eq!(served, 800 * 1500, "{tti_us} us");
    }
}

prop_compose! {
    fn busy_cell()(
        failure in 0.0..0.7f64,
        transmissions in 1u32..5,
        rlc_ms in 0.0..60.0f64,
        fair in any::<bool>(),
        split in any::<bool>(),
        count in 0u32..5,
        delay_ttis in 0u32..12,
        seed in any::<u64>(),
    ) -> airmile_link::LinkConfig {
        let mut config = quiet();
        let harq = HarqConfig { failure, transmissions, rlc_ms };
        let rate = RateConfig::Constant { mbps: 20.0 };
        let competitors = vec![CompetitorConfig { count, rate, traffic: TrafficConfig::Full }];
        let policy = if fair { Policy::ProportionalFair } else { Policy::RoundRobin };
        let sharing = if split { Sharing::Split } else { Sharing::OneUserFirst };
        let grants = Some(GrantConfig { delay_ttis, ..GrantConfig::default() });
        let air = AirConfig { harq, competitors, policy, sharing, ..config.downlink };
        config.uplink = AirConfig { grants, queue: config.uplink.queue, ..air.clone() };
        config.downlink = air;
        config.handovers = vec![
            HandoverConfig { at_ms: 200.0, outage_ms: 30.0, forwarding: true, path_change_ms: 0.0 },
            HandoverConfig { at_ms: 500.0, outage_ms: 7.0, forwarding: true, path_change_ms: 0.0 },
        ];
        config.seed = seed;
        config
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_tti_has_more_prbs_than_the_carrier_and_nothing_overtakes(config in busy_cell()) {
        for direction in [Direction::Downlink, Direction::Uplink] {
            let played = saturated(&config, direction, 1_000);
            for row in &played.rows {
                let all = row.prbs + row.repeated_prbs + row.other_prbs;
                prop_assert!(all <= row.cell_prbs, "TTI {}: {all} PRBs", row.tti);
                prop_assert!(row.served_bytes <= row.tbs_bytes);
            }
            prop_assert!(played.is_in_order());
            let gone = played.events.iter().filter(|e| e.direction == Some(direction)).count();
            prop_assert!(played.delivered.len() + gone <= played.sent.len());
            // A phone whose reports are not decoded sends no new data, and repeats the reports.
            // After retxBSR-Timer (TS 36.321 section 5.4.5) it would send a request again, but that
            // timer is longer than the rest of the run.
            let late =
                played.rows[700..].iter().any(|row| row.prbs > 0 || row.repeated_prbs > 0);
            prop_assert!(late, "{direction:?}: the phone starved");
        }
    }
}
