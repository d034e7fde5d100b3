use airmile_read::modem::{Rnti, Tti, User};
use airmile_types::Instant;
use proptest::prelude::*;

use super::*;

const DAY_MS: i64 = 86_400_000;

/// A block of millisecond `ms` by the stamp, with this counter.
fn block(ms: i64, counter: i64) -> Tti {
    let time = Instant::from_nanos((1_700_000_000_000 + ms) * 1_000_000);
    let plain = Tti::plain(time, counter, User(0), "emulator");
    // Sizes tell blocks apart.
    Tti { rnti: Rnti::C, prbs: Some(50), tbs_bytes: u32::try_from(ms % 9_973).ok(), ..plain }
}

fn frames(ms: i64, counter: i64) -> Tti {
    Tti { source: "falcon", tti: counter.rem_euclid(FRAMES_MS), ..block(ms, counter) }
}

fn of_cell(tti: Tti, cell: u16) -> Tti {
    Tti { cell: Some(cell), ..tti }
}

/// Milliseconds since the first block by number and by stamp, and epochs.
fn places(all: &[Tti]) -> Vec<(i64, i64, u32)> {
    let first = all.first().expect("a block");
    let ms = |tti: &Tti| (tti.time - first.time).as_nanos() / 1_000_000;
    all.iter().map(|tti| (tti.tti - first.tti, ms(tti), tti.epoch)).collect()
}

fn ordered_with(ttis: impl IntoIterator<Item = Tti>) -> (Vec<Tti>, Unplaced) {
    let mut order = Order::default();
    ttis.into_iter().for_each(|tti| order.push(tti));
    let found = order.end_log();
    (order.finish(), found)
}

#[test]
fn a_counter_that_begins_again_begins_an_epoch() {
    let first = (0..200).map(|ms| block(ms, ms));
    let second = (0..200).map(|ms| block(110_000 + ms, ms));
    let (all, found) = ordered_with(first.chain(second));
    assert_eq!((found.epochs, found.stray, found.copies), (2, 0, 0));
    let places = places(&all);
    assert_eq!((places[199], places[200]), ((199, 199, 0), (110_000, 110_000, 1)));
}

#[test]
fn wraps_of_every_period_go_on() {
    for period in [10_240, 1 << 16, 10_485_760, 1 << 31, 1_i64 << 32] {
        let first = period - 100;
        let (all, found) = ordered_with((0..300).map(|ms| block(ms, (first + ms) % period)));
        assert_eq!((found.epochs, found.stray), (1, 0), "{period}");
        assert!(places(&all).iter().all(|(number, stamp, _)| number == stamp), "{period}");
    }
    let silences = (0..30).map(|i| frames(i * 7_000, i * 7_000 + 5));
    let (all, found) = ordered_with(silences);
    assert_eq!((all.len(), found.epochs), (30, 1));
    assert!(places(&all).iter().all(|(number, stamp, _)| number == stamp));
}

#[test]
fn another_cell_counts_its_own_frames() {
    let first = (0..100).map(|ms| of_cell(block(ms, 1000 + ms), 1));
    let moved = (140..300).map(|ms| of_cell(block(ms, 345 + ms), 2));
    let back = (320..400).map(|ms| of_cell(block(ms, 1000 + ms), 1));
    let (all, found) = ordered_with(first.chain(moved).chain(back));
    assert_eq!((found.epochs, found.stray), (1, 0));
    assert!(places(&all).iter().all(|(number, stamp, _)| number == stamp));
}

#[test]
fn one_damaged_block_shifts_nothing() {
    for (stamp, counter) in [(DAY_MS, 0), (-DAY_MS, 0), (0, DAY_MS), (DAY_MS, DAY_MS)] {
        for at in [0, 1, 150, 298, 299] {
            let damaged = |ms| if ms == at { (stamp, counter) } else { (0, 0) };
            let row = |ms: i64| block(ms + damaged(ms).0, 1000 + ms + damaged(ms).1);
            let (all, found) = ordered_with((0..300).map(row));
            // A last block whose stamp and counter agree was sent a day later.
            let kept = u64::from(stamp == counter && at == 299);
            assert_eq!(found.stray + kept, 1, "{stamp} {counter} at {at}");
            assert_eq!((all.len() as u64, found.epochs), (299 + kept, 1), "{at}");
        }
    }
}

#[test]
fn blocks_out_of_order_are_sorted() {
    let shuffled = (0..3000).map(|i| (i * 1_597) % 3000);
    let (all, found) = ordered_with(shuffled.map(|ms| block(ms, ms)));
    assert_eq!((found.stray, found.epochs), (0, 1));
    assert!(places(&all).iter().map(|(number, ..)| *number).eq(0..3000));
}

#[test]
fn copies_are_counted_and_equal_blocks_of_one_subframe_are_kept() {
    let log = || (0..200).map(|ms| block(ms, ms));
    let (all, found) = ordered_with(log().chain(log().skip(50)));
    assert_eq!((all.len(), found.copies, found.epochs), (200, 150, 1));
    let two_codewords = log().flat_map(|tti| [tti.clone(), tti]);
    let (all, found) = ordered_with(two_codewords);
    assert_eq!((all.len(), found.copies), (400, 0));
}

#[test]
fn logs_that_overlap_are_one_epoch_and_logs_that_do_not_are_two() {
    for (from, copies, epochs) in [(150, 50, 1), (200, 0, 1), (5000, 0, 2)] {
        let mut order = Order::default();
        (0..200).for_each(|ms| order.push(frames(ms, ms)));
        let first = order.end_log();
        (from..from + 200).for_each(|ms| order.push(frames(ms, ms)));
        let second = order.end_log();
        assert_eq!((second.copies, first.epochs + second.epochs), (copies, epochs), "{from}");
        assert!(places(&order.finish()).iter().all(|(number, stamp, _)| number == stamp));
    }
}

#[test]
fn a_clock_that_is_set_back_does_not_turn_back_the_order() {
    for set_back_ms in [800, 60_000, DAY_MS] {
        let before = (0..300).map(|ms| block(ms, 7_000 + ms));
        let after = (300..600).map(|ms| block(ms - set_back_ms, 7_000 + ms));
        let (all, found) = ordered_with(before.chain(after));
        assert_eq!((found.set_back, found.epochs, found.stray), (1, 1, 0), "{set_back_ms}");
        assert!(places(&all).iter().all(|(number, stamp, _)| number == stamp), "{set_back_ms}");
    }
}

#[test]
fn a_clock_that_is_set_ahead_begins_an_epoch() {
    let before = (0..300).map(|ms| block(ms, 7_000 + ms));
    let after = (300..600).map(|ms| block(ms + 5_000, 7_000 + ms));
    let (all, found) = ordered_with(before.chain(after));
    assert_eq!((all.len(), found.epochs, found.stray), (600, 2, 0));
}

#[test]
fn logs_that_were_joined_last_first_are_in_the_order_of_time() {
    let later = (0..200).map(|ms| block(DAY_MS + ms, ms));
    let earlier = (0..200).map(|ms| block(ms, 90_000 + ms));
    let (all, found) = ordered_with(later.chain(earlier));
    assert_eq!((found.epochs, found.set_back), (2, 0));
    assert!(places(&all).iter().all(|(number, stamp, _)| number == stamp));
}

#[test]
fn a_short_log_keeps_every_block() {
    for count in 0..4 {
        let blocks = (0..count).map(|i| block(i * 50_000, i * 50_000));
        assert_eq!(ordered(blocks).len() as i64, count);
    }
}

#[test]
fn a_log_that_is_being_written_gives_what_the_whole_log_gives() {
    let log = || {
        let first = (0..500).map(|ms| block(ms, ms));
        let second = (0..500).map(|ms| block(9_000 + ms, ms));
        first.chain([block(DAY_MS, 3)]).chain(second)
    };
    let mut order = Order::default();
    let mut found = Vec::new();
    for tti in log() {
        order.push(tti);
        found.extend(order.take());
    }
    order.end();
    found.extend(order.take());
    assert_eq!(found, ordered(log()));
    assert_eq!(order.unplaced().stray, 1);
}

proptest! {
    #[test]
    fn whatever_comes_is_counted_once(
        rows in prop::collection::vec((any::<i32>(), any::<i64>(), 0u8..4, 0u16..3), 0..200),
    ) {
        let tti = |(ms, counter, user, cell): &(i32, i64, u8, u16)| Tti {
            user: User((*user).into()),
            cell: (*cell > 0).then_some(*cell),
            time: Instant::from_nanos(i64::from(*ms).saturating_mul(1 << 32)),
            ..block(i64::from(*ms).abs(), *counter)
        };
        let (all, found) = ordered_with(rows.iter().map(tti));
        prop_assert_eq!(all.len() as u64 + found.stray + found.copies, rows.len() as u64);
        prop_assert!(all.windows(2).all(|two| two[0].tti <= two[1].tti));
    }
}

/// Files one after the other: how many blocks, epochs, strays and copies, and whether numbers and
/// stamps go on together.
fn read_in_turn(files: Vec<Vec<Tti>>) -> (usize, u64, u64, u64, bool) {
    let mut order = Order::default();
    let (mut epochs, mut stray, mut copies) = (0, 0, 0);
    for file in files {
        file.into_iter().for_each(|tti| order.push(tti));
        let found = order.end_log();
        (epochs, stray, copies) =
            (epochs + found.epochs, stray + found.stray, copies + found.copies);
    }
    let places = places(&order.finish());
    let go_on = places.iter().all(|(number, stamp, _)| number == stamp);
    (places.len(), epochs, stray, copies, go_on)
}

#[test]
fn short_sessions_that_each_begin_anew_are_epochs() {
    let sessions = (0..30).flat_map(|minute| (0..40).map(move |i| (minute * 60_000, i * 25)));
    let (all, found) = ordered_with(sessions.map(|(begin, ms)| block(begin + ms, ms)));
    assert_eq!((all.len(), found.stray, found.epochs), (1200, 0, 30));
}

#[test]
fn lone_blocks_of_an_idle_phone_are_kept() {
    for of in [block, frames] {
        let busy = |from: i64| (0..200).map(move |i| from + i);
        let times = busy(0).chain((1..40).map(|i| i * 15_000)).chain(busy(700_000));
        let log: Vec<Tti> = times.map(|ms| of(ms, ms)).collect();
        let all = log.len();
        assert_eq!(read_in_turn(vec![log]), (all, 1, 0, 0, true));
        let rare: Vec<Tti> = (0..50).map(|i| of(i * 50_000, i * 50_000)).collect();
        assert_eq!(read_in_turn(vec![rare]), (50, 1, 0, 0, true));
        let late = [0].into_iter().chain(busy(12_000)).map(|ms| of(ms, ms)).collect();
        assert_eq!(read_in_turn(vec![late]), (201, 1, 0, 0, true));
    }
}

#[test]
fn a_second_file_of_one_block_keeps_it() {
    for at in [100, 5_000, 400_000] {
        let first = (0..200).map(|ms| block(ms * 3, ms * 3)).collect();
        let (blocks, _, stray, ..) = read_in_turn(vec![first, vec![block(at + 1, at + 1)]]);
        assert_eq!((blocks, stray), (201, 0), "{at}");
    }
}

#[test]
fn overlapping_files_may_be_given_in_any_order() {
    for of in [block, frames] {
        let part = |from: i64, to: i64| -> Vec<Tti> { (from..to).map(|ms| of(ms, ms)).collect() };
        let files = vec![part(50_000, 110_000), part(0, 60_000)];
        assert_eq!(read_in_turn(files), (110_000, 1, 0, 10_000, true));
        let thrice =
            vec![part(50_000, 80_000), part(0, 60_000), part(0, 60_000), part(70_000, 90_000)];
        assert_eq!(read_in_turn(thrice), (90_000, 1, 0, 80_000, true));
    }
}

#[test]
fn two_files_of_one_counter_are_one_epoch_whichever_begins_first() {
    let file = |from: i64, to: i64, part: i64| {
        (from..to).filter(move |ms| ms % 2 == part).map(|ms| block(ms, ms)).collect::<Vec<Tti>>()
    };
    let files = vec![file(21_000, 76_000, 0), file(20_000, 75_000, 1)];
    assert_eq!(read_in_turn(files), (55_000, 1, 0, 0, true));
}

#[test]
fn cells_that_count_their_own_frames_may_be_in_files_of_one_time() {
    let file = |from: i64, cell: u16, ahead: i64| {
        (from..from + 20_000).map(|ms| of_cell(frames(ms, ms + ahead), cell)).collect::<Vec<Tti>>()
    };
    for from in [5_000, -5_000] {
        let found = read_in_turn(vec![file(0, 1, 0), file(from, 2, 3_333)]);
        assert_eq!(found, (40_000, 1, 0, 0, true), "{from}");
    }
}

#[test]
fn users_in_cells_that_are_not_aligned_alternate() {
    let row = |ms: i64| match (ms < 1_000, ms % 2) {
        (true, _) | (_, 0) => Tti { user: User(1), ..of_cell(block(ms, ms), 1) },
        _ => Tti { user: User(2), ..of_cell(block(ms, ms + 4_321), 2) },
    };
    for from in [0, 1_000] {
        let (all, found) = ordered_with((from..20_000).map(row));
        assert_eq!((all.len() as i64, found.stray, found.epochs), (20_000 - from, 0, 1));
        assert!(places(&all).iter().all(|(number, stamp, _)| number == stamp));
    }
}

#[test]
fn stamps_of_whole_seconds_are_no_epochs() {
    let bursts = (0..200).flat_map(|i| (0..30 + i * 7 % 90).map(move |ms| i * 777 + ms));
    let log: Vec<Tti> = bursts.map(|ms| block(ms / 1000 * 1000, ms)).collect();
    let all = log.len();
    let (kept, found) = ordered_with(log);
    assert_eq!((kept.len(), found.stray, found.epochs), (all, 0, 1));
}

#[test]
fn a_silence_of_a_log_with_jitter_is_no_epoch() {
    let bursts = (0..40).flat_map(|i| (0..100).map(move |ms| i * 12_000 + ms));
    let jitter = |ms: i64| ms * 7_919 % 200;
    let (all, found) = ordered_with(bursts.map(|ms| frames(ms + jitter(ms), ms)));
    assert_eq!((all.len(), found.stray, found.epochs, found.moved), (4_000, 0, 1, 0));
}

#[test]
fn a_log_that_is_of_the_time_of_another_is_named() {
    let mut order = Order::default();
    (0..2_000).for_each(|ms| order.push(block(ms, ms)));
    assert_eq!(order.end_log().moved, 0);
    (1_000..3_000).for_each(|ms| order.push(block(ms, ms + 777_777)));
    assert_eq!(order.end_log().moved, 1);
}
