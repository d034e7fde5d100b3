use airmile_read::modem::{Rnti, Tti, User};
use airmile_types::{Direction, Instant};

use super::*;

/// A decoded block of 100 bytes on 50 PRBs of the primary cell.
fn block(tti: i64) -> Tti {
    Tti {
        time: Instant::from_nanos(tti * 1_000_000),
        tti,
        epoch: 0,
        user: User(0),
        rnti: Rnti::C,
        direction: Direction::Downlink,
        cell: Some(1),
        carrier: 0,
        prbs: Some(50),
        prb_total: None,
        tbs_bytes: Some(100),
        block: 0,
        mcs: None,
        modulation: None,
        layers: None,
        harq: None,
        retransmission: Some(false),
        crc_ok: Some(true),
        padding_bytes: None,
        source: "test",
    }
}

/// The cell bandwidths: 100 PRBs on the primary carrier, 50 on the secondary one.
fn total(carrier: u8, _: Instant) -> Option<u16> {
    [100, 50].get(usize::from(carrier)).copied()
}

fn gather(blocks: &[Tti]) -> Vec<Ms> {
    milliseconds(TtiScope::downlink(User(0)), blocks, total)
}

#[test]
fn the_second_block_adds_bytes_but_no_prbs() {
    let all = gather(&[block(7), Tti { block: 1, ..block(7) }]);
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].share, all[0].bytes), (Some(0.5), Some(200)));
}

#[test]
fn the_share_is_the_largest_of_the_carriers() {
    let second = Tti { carrier: 1, cell: Some(2), prbs: Some(40), ..block(7) };
    let all = gather(&[second, block(7)]);
    assert_eq!((all[0].share, all[0].cell), (Some(0.8), Some(1)));
}

#[test]
fn one_carrier_can_be_looked_at_alone() {
    let second = Tti { carrier: 1, ..block(8) };
    let scope = TtiScope { carrier: Some(0), ..TtiScope::downlink(User(0)) };
    let all = milliseconds(scope, &[block(7), second], total);
    assert_eq!(all.iter().map(|ms| ms.tti).collect::<Vec<_>>(), [7]);
}

#[test]
fn only_the_users_own_data_of_one_direction() {
    let others = [
        Tti { rnti: Rnti::Other, ..block(1) },
        Tti { user: User(1), ..block(2) },
        Tti { direction: Direction::Uplink, ..block(3) },
    ];
    assert_eq!(gather(&others), []);
    assert_eq!(gather(&[Tti { rnti: Rnti::Sps, ..block(4) }]).len(), 1);
}

#[test]
fn a_block_counts_when_it_is_decoded() {
    let failed = Tti { crc_ok: Some(false), ..block(1) };
    let again = Tti { retransmission: Some(true), ..block(9) };
    let all = gather(&[failed, again]);
    assert_eq!((all[0].bytes, all[0].failed_bytes), (Some(0), 100));
    assert_eq!((all[1].bytes, all[1].retransmission), (Some(100), Some(true)));
    assert_eq!(all[0].share, Some(0.5), "an allocation all the same");
}

#[test]
fn without_a_crc_the_first_transmission_is_volume() {
    let first = Tti { crc_ok: None, ..block(1) };
    let again = Tti { retransmission: Some(true), ..first.clone() };
    let both = gather(&[first, Tti { tti: 9, ..again }]);
    assert_eq!((both[0].bytes, both[1].bytes), (Some(100), Some(0)));
}

#[test]
fn what_the_log_does_not_contain_is_not_known() {
    let unknown = Tti { carrier: 2, ..block(1) };
    let sizeless = Tti { tbs_bytes: None, retransmission: None, ..block(2) };
    let all = gather(&[block(1), unknown, sizeless]);
    assert_eq!(all[0].share, None);
    assert_eq!((all[1].bytes, all[1].padding_bytes, all[1].retransmission), (None, None, None));
    let own = Tti { carrier: 2, prb_total: Some(100), ..block(3) };
    assert_eq!(gather(&[own])[0].share, Some(0.5));
}

#[test]
fn blocks_out_of_order_are_put_in_order_or_counted() {
    let mut all = Vec::new();
    let mut aggregator = Milliseconds::new(TtiScope::downlink(User(0)), 5);
    for tti in [1, 4, 2, 9, 3, 1, 9] {
        aggregator.push(&block(tti), &total, &mut all);
    }
    assert_eq!(aggregator.late(), 1);
    aggregator.finish(&mut all);
    assert_eq!(all.iter().map(|ms| ms.tti).collect::<Vec<_>>(), [1, 2, 3, 4, 9]);
    assert_eq!(all[4].bytes, Some(200));
}

#[test]
fn an_epoch_begins_behind_a_gap_and_a_late_block_does_not_reach_back() {
    let next =
        |tti, ms: i64| Tti { epoch: 1, time: Instant::from_nanos(ms * 1_000_000), ..block(tti) };
    let mut all = Vec::new();
    let mut aggregator = Milliseconds::new(TtiScope::downlink(User(0)), 300);
    for block in [block(1), next(900, 900), next(901, 899), block(3)] {
        aggregator.push(&block, &total, &mut all);
    }
    assert_eq!(aggregator.late(), 1);
    aggregator.finish(&mut all);
    let marks: Vec<_> =
        all.iter().map(|ms| (ms.tti, ms.time.as_nanos() / 1_000_000, ms.after_gap)).collect();
    assert_eq!(marks, [(1, 1, false), (900, 900, true), (901, 900, false)]);
}
