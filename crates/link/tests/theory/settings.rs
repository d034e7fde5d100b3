//! Tests settings that make no link: each is refused with its name, and none makes a link panic.

use airmile_link::{
    CompetitorConfig, DriveConfig, GrantConfig, HandoverConfig, HarqConfig, Link, LinkConfig,
    PolicerConfig, RateConfig, RrcConfig, SinrConfig, TrafficConfig,
};
use airmile_types::Direction;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::common::{quiet, saturated};

fn refusal(change: impl FnOnce(&mut LinkConfig)) -> String {
    let mut config = quiet();
    change(&mut config);
    match Link::<Vec<u8>>::new(&config) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.setting,
    }
}

fn sinr(sinr: SinrConfig) -> RateConfig {
    RateConfig::Sinr { sinr, layers: 1, qam256: false }
}

#[test]
fn what_is_no_policer_no_frame_and_no_gap_is_refused() {
    let policer = |mbps, burst_bytes| Some(PolicerConfig { mbps, burst_bytes });
    let refused = [
        refusal(|c| c.downlink.policer = policer(0.0, 3_000)),
        refusal(|c| c.uplink.policer = policer(1.0, 1_499)),
        refusal(|c| c.path_uplink.policer = policer(f64::NAN, 3_000)),
        refusal(|c| c.path_downlink.burst_bytes = u64::MAX),
        refusal(|c| c.downlink.aggregation_ms = -1.0),
        refusal(|c| c.tdd = Some(7)),
        refusal(|c| (c.tdd, c.tti_us) = (Some(1), 500)),
        refusal(|c| c.gap_period_ms = Some(60)),
    ];
    let names = [
        "downlink.policer.mbps",
        "uplink.policer.burst_bytes",
        "path_uplink.policer.mbps",
        "path_downlink.burst_bytes",
        "downlink.aggregation_ms",
        "tdd",
        "tdd",
        "gap_period_ms",
    ];
    assert_eq!(refused, names);
}

const NO_NUMBERS: [f64; 4] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0];

#[test]
fn what_is_no_number_or_below_none_is_refused_wherever_it_stands() {
    for bad in NO_NUMBERS {
        let refused = [
            refusal(|c| c.downlink.rate = RateConfig::Constant { mbps: bad }),
            refusal(|c| c.downlink.rate = RateConfig::Steps { hold_ms: bad, mbps: vec![1.0] }),
            refusal(|c| c.downlink.rate = RateConfig::Steps { hold_ms: 1.0, mbps: vec![bad] }),
            refusal(|c| {
                c.downlink.rate = sinr(SinrConfig::Steps { hold_ms: bad, db: vec![1.0] });
            }),
            refusal(|c| {
                let (mean_db, sigma_db, tau_ms) = (10.0, bad, 100.0);
                c.downlink.rate = sinr(SinrConfig::Ar1 { mean_db, sigma_db, tau_ms });
            }),
            refusal(|c| {
                let (mean_db, sigma_db, tau_ms) = (10.0, 3.0, bad);
                c.downlink.rate = sinr(SinrConfig::Ar1 { mean_db, sigma_db, tau_ms });
            }),
            refusal(|c| {
                let drive = DriveConfig { speed_mps: bad, ..DriveConfig::default() };
                c.downlink.rate = sinr(SinrConfig::Drive(drive));
            }),
            refusal(|c| {
                let drive = DriveConfig { outage_ms: bad, ..DriveConfig::default() };
                c.downlink.rate = sinr(SinrConfig::Drive(drive));
            }),
            refusal(|c| c.downlink.loss = bad),
            refusal(|c| c.downlink.air_ms = bad),
            refusal(|c| c.downlink.harq = HarqConfig { failure: bad, ..HarqConfig::default() }),
            refusal(|c| c.downlink.harq = HarqConfig { rlc_ms: bad, ..HarqConfig::default() }),
            refusal(|c| {
                c.uplink.grants = Some(GrantConfig { answer_ms: bad, ..GrantConfig::default() });
            }),
            refusal(|c| {
                c.rrc = Some(RrcConfig { promotion_ms: (1.0, bad), ..RrcConfig::default() });
            }),
            refusal(|c| c.rrc = Some(RrcConfig { awake_ms: bad, ..RrcConfig::default() })),
            refusal(|c| c.handovers = vec![at(bad, 1.0)]),
            refusal(|c| c.handovers = vec![at(1.0, bad)]),
            refusal(|c| c.path_downlink.delay_ms = bad),
            refusal(|c| c.path_downlink.loss = bad),
            refusal(|c| c.path_downlink.mbps = Some(bad)),
            refusal(|c| others(c, 1, TrafficConfig::Poisson { mbps: bad })),
            refusal(|c| others(c, 1, TrafficConfig::OnOff { on_ms: bad, off_ms: 1.0 })),
        ];
        for (index, setting) in refused.iter().enumerate() {
            assert_ne!(setting, "accepted", "case {index} with {bad}");
        }
    }
}

fn at(at_ms: f64, outage_ms: f64) -> HandoverConfig {
    HandoverConfig { at_ms, outage_ms, forwarding: true, path_change_ms: 0.0 }
}

fn others(config: &mut LinkConfig, count: u32, traffic: TrafficConfig) {
    let rate = RateConfig::Constant { mbps: 20.0 };
    config.downlink.competitors = vec![CompetitorConfig { count, rate, traffic }];
}

#[test]
fn what_would_never_end_or_fill_the_memory_is_refused() {
    let cases = [
        (refusal(|c| c.downlink.prbs = 0), "downlink.prbs"),
        (refusal(|c| c.downlink.prbs = u32::MAX), "downlink.prbs"),
        (refusal(|c| c.tti_us = 0), "tti_us"),
        (
            refusal(|c| c.uplink.rate = sinr(SinrConfig::Drive(DriveConfig::default()))),
            "uplink.rate.sinr",
        ),
        (refusal(|c| c.downlink.air_ms = 10_001.0), "downlink"),
        (refusal(|c| c.uplink.harq.rlc_ms = 10_001.0), "uplink"),
        (refusal(|c| c.downlink.queue.bytes = u64::MAX), "downlink.queue.bytes"),
        (refusal(|c| c.uplink.queue.qdisc_packets = u32::MAX), "uplink.queue.qdisc_packets"),
        (refusal(|c| others(c, u32::MAX, TrafficConfig::Full)), "downlink.competitors"),
        (
            refusal(|c| others(c, 1, TrafficConfig::OnOff { on_ms: 1e-9, off_ms: 1e-9 })),
            "downlink.competitors.traffic",
        ),
        (
            refusal(|c| others(c, 1, TrafficConfig::Poisson { mbps: 1e-300 })),
            "downlink.competitors.traffic",
        ),
        (refusal(|c| c.path_uplink.mbps = Some(1e-300)), "path_uplink.mbps"),
        (refusal(|c| c.path_uplink.buffer_bytes = u64::MAX), "path_uplink.buffer_bytes"),
        (refusal(|c| c.downlink.harq.failure = 1.0), "downlink.harq"),
        (refusal(|c| c.downlink.harq.transmissions = 0), "downlink.harq"),
        (refusal(|c| c.uplink.grants.as_mut().unwrap().delay_ttis = u32::MAX), "uplink.grants"),
        (
            refusal(|c| c.downlink.rate = RateConfig::Steps { hold_ms: 1e-9, mbps: vec![1.0] }),
            "downlink.rate.mbps",
        ),
        (refusal(|c| c.downlink.rate = RateConfig::Trace { ms: vec![0] }), "downlink.rate.ms"),
        (
            refusal(|c| {
                let sinr = SinrConfig::Constant { db: 30.0 };
                c.downlink.rate = RateConfig::Sinr { sinr, layers: 1, qam256: true };
            }),
            "downlink.rate.qam256",
        ),
        (
            refusal(|c| {
                let (ms, db) = (vec![0.0, 1e-12], vec![1.0, 2.0]);
                c.downlink.rate = sinr(SinrConfig::Series { ms, db });
            }),
            "downlink.sinr",
        ),
        (
            refusal(|c| {
                let (sleep_cycle_ms, awake_ms) = (0.0, 0.0);
                c.rrc = Some(RrcConfig { sleep_cycle_ms, awake_ms, ..RrcConfig::default() });
            }),
            "rrc.sleep_cycle_ms",
        ),
    ];
    for (said, expected) in cases {
        assert_eq!(said, expected);
    }
}

/// Generates numbers of every size, and values that are not numbers.
fn any_size() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::num::f64::ANY,
        Just(0.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        1e-12..1e-3f64,
        0.0..1e3f64,
        1e3..1e12f64,
    ]
}

/// Generates values that every setting accepts, except for one value that may have any size.
fn one_wild() -> impl Strategy<Value = Vec<f64>> {
    let tame = prop::collection::vec(1.0..1e3f64, 15);
    let wild = prop_oneof![Just(None), (0usize..15, any_size()).prop_map(Some)];
    (tame, wild).prop_map(|(mut values, wild)| {
        if let Some((index, value)) = wild {
            values[index] = value;
        }
        values
    })
}

fn drawn(x: &[f64], failure: f64, kind: usize, count: u32, transmissions: u32) -> LinkConfig {
    let mut config = quiet();
    config.downlink.harq = HarqConfig { failure, transmissions, rlc_ms: x[0] };
    config.downlink.air_ms = x[1];
    config.handovers = vec![at(x[2], x[3])];
    let drive =
        DriveConfig { speed_mps: x[4], spacing_m: x[5], offset_m: x[6], ..Default::default() };
    let channels = [
        SinrConfig::Ar1 { mean_db: x[4] / 10.0, sigma_db: x[5] / 10.0, tau_ms: x[6] },
        SinrConfig::Steps { hold_ms: x[4], db: vec![x[5] / 10.0, x[6] / 10.0] },
        SinrConfig::Series { ms: vec![0.0, x[4], x[4] + x[5]], db: vec![1.0, x[6] / 10.0, 3.0] },
        SinrConfig::Drive(drive),
    ];
    config.downlink.rate = sinr(channels[kind].clone());
    let traffic =
        [TrafficConfig::Poisson { mbps: x[7] }, TrafficConfig::OnOff { on_ms: x[7], off_ms: x[8] }];
    others(&mut config, count, traffic[kind % 2]);
    let promotion_ms = (x[9], x[9] + x[10]);
    let (awake_ms, sleep_cycle_ms) = (x[11], x[11] + x[12]);
    let rrc = RrcConfig { promotion_ms, sleep_cycle_ms, awake_ms, ..Default::default() };
    config.rrc = Some(RrcConfig { inactivity_ms: x[13], sleep_after_ms: x[14], ..rrc });
    config
}

#[test]
fn a_link_that_is_accepted_can_be_run() {
    let (links, accepted) = (256, std::cell::Cell::new(0));
    let mut runner = TestRunner::new(ProptestConfig::with_cases(links));
    let draw = (one_wild(), 0.0..0.9f64, 0usize..4, 0u32..4, 1u32..9);
    let result = runner.run(&draw, |(x, failure, kind, count, transmissions)| {
        let config = drawn(&x, failure, kind, count, transmissions);
        if Link::<Vec<u8>>::new(&config).is_ok() {
            accepted.set(accepted.get() + 1);
            let rows = saturated(&config, Direction::Downlink, 300).rows;
            prop_assert_eq!(rows.len(), 300);
        }
        Ok(())
    });
    result.unwrap();
    // Half of the settings have no such value at all.
    assert!(accepted.get() >= links / 3, "{} of {links}", accepted.get());
    assert!(accepted.get() < links, "none was wild");
}
