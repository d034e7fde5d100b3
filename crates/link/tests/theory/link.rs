//! Tests the link as a whole: rates, losses, seeds.

use airmile_link::{
    AirConfig, Blocked, CompetitorConfig, Discipline, EventKind, GrantConfig, HandoverConfig,
    HarqConfig, LinkConfig, Policy, QueueConfig, RateConfig, RrcConfig, Sharing, SinrConfig, State,
    TrafficConfig, tables,
};
use airmile_types::Direction;

use crate::common::{Played, quiet, saturated, spaced};

fn sinr(db: f64) -> RateConfig {
    RateConfig::Sinr { sinr: SinrConfig::Constant { db }, layers: 1, qam256: false }
}

fn full(count: u32, rate: RateConfig) -> Vec<CompetitorConfig> {
    vec![CompetitorConfig { count, rate, traffic: TrafficConfig::Full }]
}

fn with_competitors(policy: Policy, sharing: Sharing, count: u32, theirs: f64) -> LinkConfig {
    let mut config = quiet();
    let rate = RateConfig::Constant { mbps: theirs };
    let competitors = full(count, rate);
    config.downlink = AirConfig { policy, sharing, competitors, ..config.downlink };
    config
}

#[test]
fn a_good_channel_carries_the_largest_block_every_millisecond() {
    let mut config = quiet();
    config.downlink.rate = sinr(40.0);
    let played = saturated(&config, Direction::Downlink, 2_000);
    // CQI 15 (TS 36.213 table 7.2.3-1) allows MCS 27 or 28 on 50 PRBs; 28 is I_TBS 26.
    let most = f64::from(tables::tbs_bits(26, 50));
    let bits = played.served_bytes() as f64 * 8.0 / 2_000.0;
    assert!(bits <= most && bits > 0.8 * most, "{bits} of {most}");
}

#[test]
fn throughput_follows_the_efficiency_of_the_cqi() {
    // Bits per resource element of CQI 4, 7 and 10; 120 of them in each of 50 PRBs.
    for (db, efficiency) in [(0.5, 0.6016), (6.0, 1.4766), (11.0, 2.7305)] {
        let mut config = quiet();
        config.downlink.rate = sinr(db);
        let played = saturated(&config, Direction::Downlink, 2_000);
        let bits = played.served_bytes() as f64 * 8.0 / 2_000.0;
        let ideal = efficiency * 120.0 * 50.0;
        // One MCS carries up to a quarter more than the MCS below it.
        assert!(bits <= ideal && bits > 0.75 * ideal, "{db} dB: {bits} of {ideal}");
    }
}

#[test]
fn failed_blocks_cost_their_share_and_delay_what_follows() {
    let mut config = quiet();
    config.downlink.harq = HarqConfig { failure: 0.2, transmissions: 8, rlc_ms: 40.0 };
    let lossy = saturated(&config, Direction::Downlink, 20_000);
    let clean = saturated(&quiet(), Direction::Downlink, 20_000);
    let share = lossy.served_bytes() as f64 / clean.served_bytes() as f64;
    assert!((share - 0.8).abs() < 0.01, "{share}");
    assert!(lossy.is_in_order());
}

#[test]
fn round_robin_gives_every_user_the_same_time() {
    for sharing in [Sharing::OneUserFirst, Sharing::Split] {
        let alone = saturated(&quiet(), Direction::Downlink, 10_000).served_bytes() as f64;
        let config = with_competitors(Policy::RoundRobin, sharing, 3, 80.0);
        let shared = saturated(&config, Direction::Downlink, 10_000);
        let share = shared.served_bytes() as f64 / alone;
        assert!((share - 0.25).abs() < 0.02, "{sharing:?}: {share}");
    }
}

#[test]
fn proportional_fair_gives_equal_time_to_users_of_unequal_rate() {
    for (sharing, theirs) in [(Sharing::OneUserFirst, 60.0), (Sharing::Split, 5.0)] {
        let alone = saturated(&quiet(), Direction::Downlink, 10_000).served_bytes() as f64;
        let config = with_competitors(Policy::ProportionalFair, sharing, 1, theirs);
        let share = saturated(&config, Direction::Downlink, 10_000).served_bytes() as f64 / alone;
        assert!((share - 0.5).abs() < 0.05, "{sharing:?}: {share}");
    }
}

#[test]
fn splitting_serves_all_in_one_millisecond_and_taking_turns_does_not() {
    let turns = with_competitors(Policy::RoundRobin, Sharing::OneUserFirst, 1, 20.0);
    let split = with_competitors(Policy::RoundRobin, Sharing::Split, 1, 20.0);
    let both = |config| {
        let played = saturated(config, Direction::Downlink, 1_000);
        played.rows.iter().filter(|row| row.prbs > 0 && row.other_prbs > 0).count()
    };
    assert!(both(&turns) < 10);
    assert!(both(&split) > 990);
}

#[test]
fn a_packet_on_an_idle_link_waits_only_for_the_next_tti() {
    // 1500 bytes come every 4.2 ms, on a link that carries 2500 bytes per millisecond.
    let played = spaced(&quiet(), Direction::Downlink, 1500, 4_200_000, 1_000);
    let delays = played.delays_ms();
    assert_eq!(delays.len(), 1_000);
    // The packets arrive 0.3, 0.5, 0.7, 0.9 and 0.1 ms into a TTI; the air interface takes 5 ms.
    for (delay, expected) in delays.iter().zip([5.7, 5.5, 5.3, 5.1, 5.9].into_iter().cycle()) {
        assert!((delay - expected).abs() < 1e-6, "{delay} ms instead of {expected} ms");
    }
    assert!(played.rows.iter().all(|row| row.state() != State::Contention));
}

#[test]
fn a_queue_grows_by_what_the_link_lacks() {
    // 3000 bytes come each millisecond, and 2500 leave: 500 more wait after each.
    let mut config = quiet();
    config.downlink.queue = QueueConfig { bytes: 10_000_000, ..QueueConfig::default() };
    let played = spaced(&config, Direction::Downlink, 1500, 500_000, 2_000);
    let last = played.rows.iter().rfind(|row| row.tti == 900).unwrap();
    // The first packet came in TTI 20, so the queue has grown for 880 TTIs.
    let expected = (900 - 20) * 500;
    assert!(last.queue_bytes.abs_diff(expected) <= 3_000, "{} for {expected}", last.queue_bytes);
}

#[test]
fn a_full_queue_drops_the_newest_and_codel_keeps_the_wait_short() {
    let mut config = quiet();
    config.downlink.queue = QueueConfig { bytes: 250_000, ..QueueConfig::default() };
    let full = spaced(&config, Direction::Downlink, 1500, 500_000, 20_000);
    assert!(full.events.iter().any(|event| event.kind == EventKind::DropTail));
    config.downlink.queue.discipline = Discipline::Codel;
    let codel = spaced(&config, Direction::Downlink, 1500, 560_000, 20_000);
    assert!(codel.events.iter().any(|event| event.kind == EventKind::CodelDrop));
    let longest = full.delays_ms().into_iter().fold(0.0, f64::max);
    // The buffer of 250 kB is served with 2500 bytes a millisecond.
    assert!((longest - 105.0).abs() < 2.0, "{longest}");
    let late = codel.delays_ms().split_off(10_000);
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    assert!(mean < 60.0, "{mean}");
}

#[test]
fn the_first_packet_after_idle_mode_waits_for_the_promotion() {
    let mut config = quiet();
    config.rrc = Some(RrcConfig {
        promotion_ms: (250.0, 250.0),
        inactivity_ms: 5_000.0,
        sleep_after_ms: 0.0,
        ..RrcConfig::default()
    });
    // With packets every 8 s the phone is idle again each time; with packets every 2 s only once.
    for (gap_ms, promotions) in [(8_000, 5), (2_000, 1)] {
        let played = spaced(&config, Direction::Downlink, 1500, gap_ms * 1_000_000, 5);
        let found = played.events.iter().filter(|e| e.kind == EventKind::Promotion).count();
        assert_eq!(found, promotions, "every {gap_ms} ms");
        let delays = played.delays_ms();
        assert!((delays[0] - 255.7).abs() < 1.0, "{delays:?}");
        let second = if promotions == 1 { 5.7 } else { 255.7 };
        assert!((delays[1] - second).abs() < 1.0, "{delays:?}");
    }
}

#[test]
fn a_sleeping_phone_hears_a_packet_at_its_next_wake_up() {
    let mut config = quiet();
    config.rrc = Some(RrcConfig {
        start_connected: true,
        sleep_after_ms: 100.0,
        sleep_cycle_ms: 40.0,
        awake_ms: 2.0,
        ..RrcConfig::default()
    });
    let played = spaced(&config, Direction::Downlink, 1500, 517_000_000, 60);
    let waits: Vec<f64> = played.delays_ms().into_iter().skip(1).map(|d| d - 5.0).collect();
    assert!(waits.iter().all(|wait| *wait <= 40.0));
    let mean = waits.iter().sum::<f64>() / waits.len() as f64;
    assert!((10.0..30.0).contains(&mean), "{mean}");
    assert!(played.rows.iter().any(|row| row.blocked == Blocked::Asleep && row.queue_bytes > 0));
}

#[test]
fn a_handover_stops_the_radio_and_forwards_or_loses_what_waits() {
    for forwarding in [true, false] {
        let mut config = quiet();
        let (at_ms, outage_ms) = (500.0, 60.0);
        config.handovers =
            vec![HandoverConfig { at_ms, outage_ms, forwarding, path_change_ms: 3.0 }];
        let played = saturated(&config, Direction::Downlink, 1_000);
        let away = |row: &&airmile_link::Row| row.blocked == Blocked::Handover;
        assert_eq!(played.rows.iter().filter(away).count(), 60);
        let lost = played.events.iter().any(|event| event.kind == EventKind::HandoverLoss);
        assert_eq!(lost, !forwarding);
        assert_eq!(played.path_change_ms, 3.0);
    }
}

#[test]
fn an_uplink_asks_waits_and_reports() {
    let mut config = quiet();
    config.uplink.grants = Some(GrantConfig {
        request_period_ms: 10.0,
        answer_ms: 4.0,
        delay_ttis: 4,
        first_bytes: 100,
    });
    // Each packet is alone: the first grant carries 100 bytes and the report, the second the rest.
    let played = spaced(&config, Direction::Uplink, 1500, 200_000_000, 40);
    let delays = played.delays_ms();
    // The next opportunity is 0 to 10 ms away; 4 ms pass to the grant and 4 to its use, as long
    // again for the second grant, and 5 on the air.
    assert!(delays.iter().all(|delay| (21.0..=32.0).contains(delay)), "{delays:?}");
    let used: Vec<_> = played.rows.iter().filter(|row| row.prbs > 0).collect();
    assert_eq!(used.len(), 80);
    let saturated = saturated(&config, Direction::Uplink, 5_000);
    let busy = saturated.rows.iter().filter(|row| row.prbs > 0).count();
    assert!(busy > 4_950, "a full queue rides on its reports: {busy}");
}

#[test]
fn the_firmware_pushes_back_into_the_kernels_queue() {
    let mut config = quiet();
    config.uplink.queue =
        QueueConfig { bytes: 20_000, qdisc_packets: 50, ..QueueConfig::default() };
    let played = spaced(&config, Direction::Uplink, 1500, 500_000, 2_000);
    assert!(played.rows.iter().all(|row| row.queue_bytes <= 20_000));
    let fullest = played.rows.iter().map(|row| row.qdisc_bytes).max().unwrap();
    // The value is taken when a TTI begins, after the firmware has taken what fits.
    assert!((48 * 1500..=50 * 1500).contains(&fullest), "{fullest}");
    assert!(played.events.iter().any(|event| event.kind == EventKind::DropTail));
    assert!(played.is_in_order());
}

#[test]
fn forced_and_random_losses_are_distinguished() {
    let mut config = quiet();
    config.downlink.forced_drops = vec![3, 7];
    config.downlink.loss = 0.05;
    let played = spaced(&config, Direction::Downlink, 1500, 1_000_000, 10_000);
    let count = |kind| played.events.iter().filter(|event| event.kind == kind).count();
    assert_eq!(count(EventKind::ForcedDrop), 2);
    assert!((400..600).contains(&count(EventKind::AirLoss)), "{}", count(EventKind::AirLoss));
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_does_not() {
    let mut config = with_competitors(Policy::ProportionalFair, Sharing::Split, 4, 30.0);
    let channel = SinrConfig::Ar1 { mean_db: 12.0, sigma_db: 4.0, tau_ms: 200.0 };
    config.downlink.rate = RateConfig::Sinr { sinr: channel, layers: 2, qam256: false };
    let run = |config: &LinkConfig| -> Played { saturated(config, Direction::Downlink, 3_000) };
    let (first, second) = (run(&config), run(&config));
    assert_eq!(first.rows, second.rows);
    assert_eq!(first.delivered, second.delivered);
    config.seed = 2;
    assert_ne!(run(&config).rows, first.rows);
}

#[test]
fn half_milliseconds_carry_half_as_much_each() {
    let mut config = quiet();
    config.tti_us = 500;
    let halves = saturated(&config, Direction::Downlink, 4_000).served_bytes() as f64;
    let whole = saturated(&quiet(), Direction::Downlink, 2_000).served_bytes() as f64;
    assert!((halves / whole - 1.0).abs() < 0.01);
}

#[test]
fn a_drive_changes_cells_about_once_a_spacing() {
    let mut config = quiet();
    let drive = airmile_link::DriveConfig { speed_mps: 30.0, ..Default::default() };
    config.downlink.rate =
        RateConfig::Sinr { sinr: SinrConfig::Drive(drive), layers: 1, qam256: false };
    let played = saturated(&config, Direction::Downlink, 300_000);
    let handovers = played.events.iter().filter(|e| e.kind == EventKind::HandoverStart).count();
    // The drive leads 9 km past cells that are 1 km apart; shadowing adds a few handovers.
    assert!((8..=30).contains(&handovers), "{handovers}");
}

#[test]
fn what_makes_no_link_is_named() {
    let mut config = quiet();
    config.downlink.prbs = 3;
    let said = airmile_link::Ran::<Vec<u8>>::new(&config).unwrap_err().to_string();
    assert_eq!(said, "downlink.prbs: a carrier has 6 to 110 PRBs");
    let unknown = serde_json::from_str::<LinkConfig>(r#"{"downlink":{"prb":3}}"#).unwrap_err();
    assert!(unknown.to_string().contains("unknown field `prb`"), "{unknown}");
}

#[test]
fn the_channel_is_the_same_whatever_the_phone_sends() {
    let mut config = with_competitors(Policy::ProportionalFair, Sharing::Split, 2, 20.0);
    let channel = SinrConfig::Ar1 { mean_db: 12.0, sigma_db: 4.0, tau_ms: 200.0 };
    config.downlink.rate = RateConfig::Sinr { sinr: channel, layers: 1, qam256: false };
    config.downlink.harq.failure = 0.1;
    let available = |played: &Played| -> Vec<u32> {
        played.rows.iter().take(1_000).map(|row| row.available_bytes).collect()
    };
    let sparse = spaced(&config, Direction::Downlink, 1500, 40_000_000, 30);
    let dense = spaced(&config, Direction::Downlink, 1500, 500_000, 3_000);
    assert_eq!(available(&sparse), available(&dense));
}
