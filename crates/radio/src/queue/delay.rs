//! Estimates the backhaul delay between capture point and base station, and the delay from the base
//! station to a capture on the phone. Neither is measured directly; the least values are taken,
//! which occur when nothing waits.

use airmile_types::Duration;

use super::service::{Service, TICK};

/// The lengths of pauses, the most reliable first. After a pause, the first packet and the first
/// block belong together. A pause shows only delays shorter than half of its length.
const PAUSES_MS: [i64; 5] = [200, 100, 50, 30, 10];

/// The number of first packets that is enough to find the least delay (our choice).
const ENOUGH: usize = 5;

/// The backhaul delay from the capture point to the base station, from packets that came after a
/// pause. `captured` are the times of packets in nanoseconds, counted as in the log. The result is
/// the least delay found. For short pauses, where a packet and a block may not belong together, the
/// lowest twentieth of the delays is left out.
pub(super) fn to_radio(captured: &[i64], service: &Service) -> Duration {
    let blocks: Vec<i64> = service.new_blocks().map(|block| block.at * TICK).collect();
    let (mut best, mut seen) = (None::<i64>, 0);
    for pause in PAUSES_MS.map(|ms| ms * TICK) {
        let most = best.map_or(pause / 2, |best| 2 * best + 5 * TICK);
        if seen >= ENOUGH || most > pause {
            break;
        }
        let waits = first_waits(captured, &blocks, pause, most);
        let skip = if pause >= PAUSES_MS[1] * TICK { 0 } else { waits.len() / 20 };
        if let Some(least) = waits.get(skip) {
            best = Some(best.map_or(*least, |best| best.min(*least)));
            seen += waits.len();
        }
    }
    Duration::from_nanos(best.unwrap_or(0))
}

/// The waits between each time of `from` that follows a pause and the first such time of `to`, in
/// ascending order.
fn first_waits(from: &[i64], to: &[i64], pause: i64, most: i64) -> Vec<i64> {
    let starts = after_pauses(to, pause);
    let wait = |at: i64| {
        // The offset of the clocks is known only to a subframe, so a block may seem to come before
        // its packet.
        let next = starts.get(starts.partition_point(|start| *start < at - TICK))?;
        Some((next - at).max(0)).filter(|wait| *wait <= most)
    };
    let mut waits: Vec<_> = after_pauses(from, pause).into_iter().filter_map(wait).collect();
    waits.sort_unstable();
    waits
}

fn after_pauses(times: &[i64], pause: i64) -> Vec<i64> {
    let mut last = i64::MIN;
    let mut starts = Vec::new();
    for at in times {
        if at.saturating_sub(last) >= pause {
            starts.push(*at);
        }
        last = *at;
    }
    starts
}

/// A quarter of a millisecond, and the number of such steps that a packet may take over the radio,
/// including HARQ retransmissions.
const STEP: i64 = TICK / 4;
const STEPS: i64 = 240;
/// For a delay to be accepted, the share of packets that meet a block must exceed the mean share by
/// this much (our choice).
const STANDS_OUT: f64 = 0.15;

/// The delay from a block to the capture of its packet on the phone: the delay at which the most
/// packets after a pause meet a block. If blocks follow each other without pauses, it is the least
/// delay that many pairs of a first block and a first packet share.
pub(super) fn from_radio(captured: &[i64], service: &Service) -> Duration {
    let mut captured = captured.to_vec();
    captured.sort_unstable();
    let blocks: Vec<i64> = service.new_blocks().map(|block| block.at).collect();
    let firsts = after_pauses(&captured, TICK * 3 / 2);
    let best = by_meeting(&firsts, &blocks);
    Duration::from_nanos(best.unwrap_or_else(|| by_pauses(&captured, &blocks)))
}

fn by_meeting(firsts: &[i64], blocks: &[i64]) -> Option<i64> {
    let meets = |at: &&i64, delay: i64| {
        blocks.binary_search(&((*at - delay + TICK / 2).div_euclid(TICK))).is_ok()
    };
    let shares: Vec<f64> = (0..=STEPS)
        .map(|step| firsts.iter().filter(|at| meets(at, step * STEP)).count() as f64)
        .map(|hits| hits / firsts.len().max(1) as f64)
        .collect();
    let top = shares.iter().copied().fold(0.0, f64::max);
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    if top - mean < STANDS_OUT {
        return None;
    }
    let is_top = |share: &f64| *share >= top - 0.01;
    let begin = shares.iter().position(is_top)?;
    let length = shares.iter().skip(begin).take_while(|share| is_top(share)).count();
    Some((2 * begin as i64 + length as i64 - 1) * STEP / 2)
}

fn by_pauses(captured: &[i64], blocks: &[i64]) -> i64 {
    let blocks: Vec<i64> = blocks.iter().map(|at| at * TICK).collect();
    for pause in PAUSES_MS.map(|ms| ms * TICK) {
        // No pause between packets is required: a packet that a HARQ retransmission delayed may
        // come just before the next one.
        let starts = after_pauses(&blocks, pause);
        let mut delays: Vec<i64> = starts
            .iter()
            .filter_map(|start| {
                Some(captured.get(captured.partition_point(|c| c < start))? - start)
            })
            .filter(|delay| *delay < pause.max(50 * TICK))
            .collect();
        delays.sort_unstable();
        if delays.len() >= ENOUGH || (pause == PAUSES_MS[4] * TICK && !delays.is_empty()) {
            return shared(&delays);
        }
    }
    0
}

/// The least value that three in ten of the values share to within half a millisecond.
fn shared(sorted: &[i64]) -> i64 {
    let near = |from: &&i64| {
        let count = sorted.partition_point(|v| *v <= **from + TICK / 2)
            - sorted.partition_point(|v| v < *from);
        count * 10 >= sorted.len() * 3
    };
    sorted.iter().find(near).or_else(|| sorted.get(sorted.len() / 10)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::service::QueueLog;
    use super::*;
    use crate::queue::tests::scheduled;
    use airmile_types::Instant;
    use proptest::prelude::*;

    fn service(at: &[i64]) -> Service {
        let all: Vec<_> = at.iter().map(|at| scheduled(*at, 1500, None, 1.0)).collect();
        Service::new(&QueueLog { downlink: &all, uplink: &[] as &[Instant] }).unwrap()
    }

    proptest! {
        #[test]
        fn the_delay_of_lone_packets_is_found(
            wired_us in 0i64..40_000,
            waits in prop::collection::vec((230i64..400, 0i64..20), 8..40),
        ) {
            // The packets are far apart; some wait for other users, and at least one does not.
            let mut now = 0;
            let (mut captured, mut blocks) = (Vec::new(), Vec::new());
            for (index, (pause, wait)) in waits.iter().enumerate() {
                now += pause;
                let wait = if index == 3 { 0 } else { *wait };
                captured.push(now * TICK - wired_us * 1000);
                blocks.push(now + wait);
            }
            let first = blocks[0];
            let captured: Vec<_> = captured.iter().map(|at| at - first * TICK).collect();
            let found = to_radio(&captured, &service(&blocks)).as_nanos();
            prop_assert_eq!(found, wired_us * 1000);
        }

        #[test]
        fn the_way_to_the_phone_is_found_through_repetitions(
            air_us in 3_000i64..25_000,
            repeated in prop::collection::vec(0u8..10, 60..100),
            gaps in prop::collection::vec(2i64..15, 100),
        ) {
            let mut now = 0;
            let (mut captured, mut blocks) = (Vec::new(), Vec::new());
            for (again, gap) in repeated.iter().zip(&gaps) {
                now += gap;
                blocks.push(now);
                captured.push(now * TICK + air_us * 1000 + if *again == 0 { 8 * TICK } else { 0 });
            }
            let first = blocks[0];
            let captured: Vec<_> = captured.iter().map(|at| at - first * TICK).collect();
            let found = from_radio(&captured, &service(&blocks)).as_nanos();
            prop_assert!((found - air_us * 1000).abs() <= TICK / 2, "{found} for {air_us}");
        }
    }
}
