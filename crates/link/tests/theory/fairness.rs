//! Tests what each scheduler gives to each user, for each rule of sharing a millisecond.

use airmile_link::{
    CompetitorConfig, LinkConfig, Policy, RateConfig, Row, Sharing, SinrConfig, TrafficConfig,
};
use airmile_types::Direction;

use crate::common::{quiet, saturated};

const WAYS: [(Policy, Sharing); 4] = [
    (Policy::RoundRobin, Sharing::OneUserFirst),
    (Policy::RoundRobin, Sharing::Split),
    (Policy::ProportionalFair, Sharing::OneUserFirst),
    (Policy::ProportionalFair, Sharing::Split),
];

fn cell(
    (policy, sharing): (Policy, Sharing),
    own: RateConfig,
    count: u32,
    rate: RateConfig,
    traffic: TrafficConfig,
) -> LinkConfig {
    let mut config = quiet();
    config.downlink.policy = policy;
    config.downlink.sharing = sharing;
    config.downlink.rate = own;
    config.downlink.competitors = vec![CompetitorConfig { count, rate, traffic }];
    config
}

fn constant(mbps: f64) -> RateConfig {
    RateConfig::Constant { mbps }
}

/// The user's share of all PRBs that were allocated.
fn share(rows: &[Row]) -> f64 {
    let own: u32 = rows.iter().map(|row| row.prbs).sum();
    let all: u32 = rows.iter().map(|row| row.prbs + row.other_prbs).sum();
    f64::from(own) / f64::from(all)
}

#[test]
fn equal_users_get_equal_shares_of_the_whole_carrier() {
    for way in WAYS {
        for count in [1, 3, 9] {
            let config = cell(way, constant(20.0), count, constant(20.0), TrafficConfig::Full);
            let rows = saturated(&config, Direction::Downlink, 5_000).rows;
            let fair = 1.0 / f64::from(count + 1);
            let share = share(&rows[100..]);
            // A group of 3 PRBs is 6 % of the carrier.
            assert!((share / fair - 1.0).abs() < 0.06, "{way:?}, {count} others: {share}");
            let idle = rows[100..].iter().filter(|row| row.prbs + row.other_prbs < 50).count();
            assert_eq!(idle, 0, "{way:?}, {count} others: PRBs were left");
        }
    }
}

#[test]
fn who_wants_little_gets_all_of_it_and_the_phone_the_rest() {
    // There are two users of 1 Mbit/s each, who could have 20: together a tenth of the carrier.
    for way in WAYS {
        let little = TrafficConfig::Poisson { mbps: 1.0 };
        let config = cell(way, constant(20.0), 2, constant(20.0), little);
        let rows = saturated(&config, Direction::Downlink, 20_000).rows;
        let rate = rows.iter().map(|row| f64::from(row.served_bytes)).sum::<f64>() * 8.0 / 20e6;
        // Padding of the last group of PRBs takes up to 6 % from them.
        assert!((16.5..=18.2).contains(&rate), "{way:?}: {rate}");
    }
}

#[test]
fn proportional_fair_rides_the_peaks_of_a_fading_channel_and_round_robin_cannot() {
    let fading = || {
        let sinr = SinrConfig::Ar1 { mean_db: 10.0, sigma_db: 5.0, tau_ms: 50.0 };
        RateConfig::Sinr { sinr, layers: 1, qam256: false }
    };
    // Four users are alike. With `OneUserFirst` the best user gets the whole TTI; `Split` favours
    // that user only a little.
    for (sharing, least) in [(Sharing::OneUserFirst, 1.1), (Sharing::Split, 1.03)] {
        let served = |policy| {
            let way = (policy, sharing);
            let config = cell(way, fading(), 3, fading(), TrafficConfig::Full);
            let rows = saturated(&config, Direction::Downlink, 60_000).rows;
            let share = share(&rows);
            assert!((share - 0.25).abs() < 0.03, "{way:?}: {share}");
            rows.iter().map(|row| u64::from(row.served_bytes)).sum::<u64>() as f64
        };
        let gain = served(Policy::ProportionalFair) / served(Policy::RoundRobin);
        assert!((least..=2.0).contains(&gain), "{sharing:?}: {gain}");
    }
}

#[test]
fn who_has_no_channel_at_all_holds_nobody_up() {
    for way in WAYS {
        let config = cell(way, constant(20.0), 1, constant(0.0), TrafficConfig::Full);
        let rows = saturated(&config, Direction::Downlink, 1_000).rows;
        assert!(rows[30..].iter().all(|row| row.served_bytes > 0), "{way:?}");
    }
}
