//! Tests RRC timers and handovers.

use airmile_link::{
    Blocked, DriveConfig, End, EventKind, HandoverConfig, HarqConfig, Link, LinkConfig, PathConfig,
    RateConfig, RrcConfig, SinrConfig,
};
use airmile_types::{Direction, Instant};

use crate::common::{Played, quiet, saturated, spaced, timed};

fn with_rrc(promotion_ms: (f64, f64), inactivity_ms: f64) -> LinkConfig {
    let mut config = quiet();
    let rrc =
        RrcConfig { promotion_ms, inactivity_ms, sleep_after_ms: 0.0, ..RrcConfig::default() };
    config.rrc = Some(rrc);
    config
}

#[test]
fn the_tail_ends_an_inactivity_timer_after_the_last_block() {
    let config = with_rrc((100.0, 100.0), 700.0);
    let played = timed(&config, Direction::Downlink, 1500, [20_300_000, 1_020_300_000]);
    let at = |kind| {
        let found = played.events.iter().filter(move |event| event.kind == kind);
        found.map(|event| event.at.as_nanos() / 1_000_000).collect::<Vec<_>>()
    };
    // The first packet is seen at 21 ms, and connected and served at 121; the phone is idle 700 ms
    // later. So the second packet, at 1021 ms, needs a promotion again.
    assert_eq!(at(EventKind::Promotion), [21, 1_021]);
    assert_eq!(at(EventKind::Idle), [821, 1_821]);
    let blocked = played.rows.iter().filter(|row| row.blocked == Blocked::Rrc);
    let connected = 2 * 700;
    assert_eq!(blocked.count(), played.rows.len() - connected);
}

#[test]
fn a_packet_within_the_tail_starts_the_timer_anew() {
    let config = with_rrc((100.0, 100.0), 700.0);
    let packets = (0..5).map(|n| 20_300_000 + n * 600_000_000);
    let played = timed(&config, Direction::Uplink, 1500, packets);
    let count = |kind| played.events.iter().filter(|event| event.kind == kind).count();
    assert_eq!((count(EventKind::Promotion), count(EventKind::Idle)), (1, 1));
}

#[test]
fn promotions_are_uniform_and_last_as_long_as_they_say() {
    let config = with_rrc((200.0, 320.0), 500.0);
    let played = spaced(&config, Direction::Downlink, 1500, 2_000_000_000, 400);
    let reported: Vec<f64> = played
        .events
        .iter()
        .filter(|event| event.kind == EventKind::Promotion)
        .map(|event| event.value)
        .collect();
    assert_eq!(reported.len(), 400);
    for (delay, reported) in played.delays_ms().iter().zip(&reported) {
        // The delay contains 0.7 ms to the TTI that sees the packet, 5 ms on the air, and the rest
        // of the TTI in which the promotion ends.
        assert!((0.0..1.0).contains(&(delay - 5.7 - reported)), "{delay} for {reported}");
    }
    let mean = reported.iter().sum::<f64>() / 400.0;
    // The standard error of the mean of 400 values is 120 / sqrt(12 * 400) = 1.7 ms.
    assert!((mean - 260.0).abs() < 7.0, "{mean}");
    assert!(reported.iter().all(|reported| (200.0..320.0).contains(reported)));
}

fn handover(forwarding: bool, path_change_ms: f64) -> LinkConfig {
    let mut config = quiet();
    let (at_ms, outage_ms) = (500.0, 60.0);
    config.handovers = vec![HandoverConfig { at_ms, outage_ms, forwarding, path_change_ms }];
    config
}

#[test]
fn forwarding_delays_by_the_outage_and_loses_nothing() {
    let played = spaced(&handover(true, 0.0), Direction::Downlink, 1500, 2_000_000, 500);
    assert_eq!(played.delivered.len(), 500);
    assert!(played.is_in_order());
    let delays = played.delays_ms();
    let longest = delays.iter().fold(0.0f64, |a, b| a.max(*b));
    // The packet that came at 500.3 ms is the first one served in TTI 560: 59.7 ms, and 5 ms on the
    // air.
    assert!((longest - 64.7).abs() < 1e-6, "{longest}");
    assert!((delays[0] - 5.7).abs() < 1e-6 && (delays[499] - 5.7).abs() < 1e-6);
}

#[test]
fn without_forwarding_what_waited_at_the_old_cell_is_lost_and_no_more() {
    // 3000 bytes come each ms and 2500 leave, so that a queue has built up by then.
    let played = spaced(&handover(false, 0.0), Direction::Downlink, 1500, 500_000, 2_000);
    let lost = played.events.iter().filter(|event| event.kind == EventKind::HandoverLoss).count();
    // The queue when the last TTI of the old cell began.
    let queued = played.rows[499].queue_bytes;
    assert!(queued > 200_000, "{queued}");
    assert!(lost.abs_diff(queued as usize / 1500) <= 2, "{lost} of {queued} bytes");
    let dropped = played.events.iter().filter(|e| e.kind == EventKind::DropTail).count();
    assert_eq!(played.delivered.len() + lost + dropped, 2_000);
    assert!(played.is_in_order());
}

#[test]
fn an_uplink_keeps_what_waits_in_the_phone() {
    let played = spaced(&handover(false, 0.0), Direction::Uplink, 1500, 2_000_000, 500);
    assert_eq!(played.delivered.len(), 500);
    assert!(played.is_in_order());
}

#[test]
fn a_new_path_is_longer_from_the_end_of_the_outage_on() {
    let mut config = handover(true, 7.0);
    config.path_downlink = PathConfig { delay_ms: 10.0, ..PathConfig::default() };
    let mut link = Link::new(&config).unwrap();
    let at = |ms: i64| Instant::from_nanos(ms * 1_000_000);
    let mut through = |sent: i64| {
        while link.next_tick() <= at(sent) {
            link.tick(link.next_tick(), &mut ());
        }
        link.push(End::Server, at(sent), vec![0u8; 100], &mut ());
        let (end, left, _) = link.pop(Instant::MAX).unwrap();
        assert_eq!(end, End::CoreWired);
        (left - at(sent)).as_millis_f64()
    };
    let delays: Vec<f64> = [100, 510, 559, 560, 900].into_iter().map(&mut through).collect();
    assert_eq!(delays, [10.0, 10.0, 10.0, 17.0, 17.0]);
}

#[test]
fn a_handover_that_is_due_during_another_follows_it_for_its_whole_time() {
    let mut config = handover(true, 3.0);
    config.handovers.push(HandoverConfig { at_ms: 520.0, ..config.handovers[0] });
    let played = saturated(&config, Direction::Downlink, 1_000);
    let away = played.rows.iter().filter(|row| row.blocked == Blocked::Handover);
    assert_eq!(away.map(|row| row.tti).collect::<Vec<_>>(), (500..620).collect::<Vec<_>>());
    assert_eq!(played.path_change_ms, 6.0);
}

/// The times at which handovers began, and their durations, in milliseconds.
fn begun(played: &Played) -> Vec<(i64, f64)> {
    let starts = played.events.iter().filter(|event| event.kind == EventKind::HandoverStart);
    starts.map(|event| (event.at.as_nanos() / 1_000_000, event.value)).collect()
}

#[test]
fn a_drive_that_changes_cells_during_a_handover_hands_over_after_it() {
    // At 30 m/s the phone is half-way to the next cell after 17, 50 and 83 s.
    for (outage_ms, drive_ms) in [(40_000.0, 5.0), (60_000.0, 0.0)] {
        let mut config = quiet();
        let drive = DriveConfig {
            speed_mps: 30.0,
            shadow_db: 0.0,
            path_change_ms: 5.0,
            ..DriveConfig::default()
        };
        let sinr = SinrConfig::Drive(drive);
        config.downlink.rate = RateConfig::Sinr { sinr, layers: 1, qam256: false };
        let (at_ms, path_change_ms) = (1_000.0, 1.0);
        config.handovers =
            vec![HandoverConfig { at_ms, outage_ms, forwarding: true, path_change_ms }];
        let end = 1_000 + outage_ms as i64;
        let played = saturated(&config, Direction::Downlink, end.cast_unsigned() + 1_000);
        assert_eq!(begun(&played), [(1_000, outage_ms), (end, 50.0)]);
        assert_eq!(played.path_change_ms, 1.0 + drive_ms);
    }
}

#[test]
fn a_phone_in_idle_mode_changes_its_cell_without_an_outage() {
    let mut config = handover(false, 3.0);
    config.rrc = with_rrc((100.0, 100.0), 700.0).rrc;
    let played = timed(&config, Direction::Downlink, 1500, [499_300_000 + 500_000_000]);
    assert_eq!(begun(&played), []);
    assert_eq!(played.path_change_ms, 3.0);
    assert_eq!(played.delivered.len(), 1);
}

#[test]
fn a_phone_is_not_idle_while_a_block_awaits_its_repetition() {
    let mut config = with_rrc((100.0, 100.0), 700.0);
    config.downlink.harq = HarqConfig { failure: 0.5, transmissions: 1, rlc_ms: 2_000.0 };
    let played = spaced(&config, Direction::Downlink, 1500, 30_000_000_000, 12);
    let late: Vec<f64> = played.delays_ms().iter().map(|delay| delay - 105.7).collect();
    // Each block is sent anew 8 TTIs or 2 s later, as often as needed, over the same connection.
    let whole = |late: &f64| (late - (late / 2_008.0).round() * 2_008.0).abs() < 1e-6;
    assert!(late.iter().all(whole), "{late:?}");
    assert!(late.iter().any(|late| *late > 2_000.0), "{late:?}");
    let promotions = played.events.iter().filter(|event| event.kind == EventKind::Promotion);
    assert_eq!(promotions.count(), 12);
}

#[test]
fn a_phone_measures_its_cell_each_second_as_the_link_reports_it() {
    let mut config = quiet();
    let sinr = SinrConfig::Ar1 { mean_db: 8.0, sigma_db: 3.0, tau_ms: 300.0 };
    config.downlink.rate = RateConfig::Sinr { sinr, layers: 1, qam256: false };
    let played = spaced(&config, Direction::Downlink, 1500, 10_000_000, 450);
    assert!(played.measured.len() >= 4, "{}", played.measured.len());
    for (second, measured) in played.measured.iter().enumerate() {
        let row = &played.rows[second * 1_000];
        assert_eq!(measured.at.as_nanos(), second as i64 * 1_000_000_000);
        assert_eq!((measured.cell, measured.serving, measured.sinr_db), (0, true, row.sinr_db));
        // Nothing else is heard, so the level over a noise of -123.24 dBm is the SINR.
        let above_noise = measured.rsrp_dbm.unwrap() + 123.24;
        assert!((above_noise - measured.sinr_db.unwrap()).abs() < 1e-9);
    }
}

#[test]
fn a_link_without_a_channel_has_a_cell_of_which_nothing_is_known() {
    let played = spaced(&quiet(), Direction::Downlink, 1500, 10_000_000, 10);
    let first = played.measured[0];
    assert!(first.serving && first.rsrp_dbm.is_none() && first.rsrq_db.is_none());
    assert!(first.sinr_db.is_none() && first.cqi.is_none() && played.rows[0].sinr_db.is_none());
}

#[test]
fn a_planned_handover_leads_to_another_cell_at_its_time() {
    let played = spaced(&handover(true, 0.0), Direction::Downlink, 1500, 4_000_000, 500);
    let ms = |at: Instant| at.as_nanos() / 1_000_000;
    let [begins, ends] = played.moved.as_slice() else { panic!("{:?}", played.moved) };
    assert_eq!((ms(begins.start), begins.end), (500, None));
    assert_eq!((ms(ends.start), ends.end.map(ms)), (500, Some(560)));
    assert_eq!((ends.from, ends.to), (begins.from, begins.to));
    let serving: Vec<u16> = played.measured.iter().map(|measured| measured.cell).collect();
    assert_eq!(serving[..2], [ends.from, ends.to]);
}

#[test]
fn a_drive_hears_its_neighbours_and_moves_to_those_it_heard() {
    let mut config = quiet();
    let drive = DriveConfig { speed_mps: 60.0, shadow_db: 0.0, ..DriveConfig::default() };
    config.downlink.rate =
        RateConfig::Sinr { sinr: SinrConfig::Drive(drive), layers: 1, qam256: false };
    let played = spaced(&config, Direction::Downlink, 1500, 100_000_000, 600);
    let ends: Vec<_> = played.moved.iter().filter(|moved| moved.end.is_some()).collect();
    assert!(ends.len() >= 2, "{ends:?}");
    for pair in ends.windows(2) {
        assert_eq!(pair[0].to, pair[1].from);
    }
    for moved in ends {
        let mut heard = played.measured.iter().filter(|m| m.at < moved.start && m.cell == moved.to);
        assert!(heard.next_back().is_some_and(|last| !last.serving), "{moved:?}");
    }
    for second in played.measured.chunk_by(|a, b| a.at == b.at) {
        assert_eq!(second.iter().filter(|measured| measured.serving).count(), 1);
        // A level cannot exceed everything that is received: 12 subcarriers of a block.
        assert!(second.iter().all(|m| m.rsrq_db.is_some_and(|db| db < -10.79)));
        let known = second.iter().filter(|measured| measured.sinr_db.is_some());
        assert_eq!(known.count(), 1);
    }
}
