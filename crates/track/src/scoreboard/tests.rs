//! Tests of the scoreboard against a naive model that keeps every byte, and tests of each rule of
//! methods C2.

use std::collections::{BTreeMap, BTreeSet};

use airmile_read::{Packet, TcpHeader, Transport};
use airmile_types::{Address, Direction};
use proptest::prelude::*;

use super::*;
use crate::outcomes::{AckOutcome, DataOutcome, DuplicateAck, SegmentClass};
use crate::segment_facts::{Faults, SegmentFacts};

mod lanes;

const MS: i64 = 1_000_000;

fn at(ms: i64) -> Instant {
    Instant::from_nanos(1_700_000_000_000_000_000 + ms * MS)
}

fn data(start: i64, end: i64, ms: i64) -> DataInput {
    DataInput {
        start,
        end,
        time: at(ms),
        tsval: Some(ms as u32),
        tsecr: None,
        ip_id: ms as u16,
        hop_limit: 64,
        super_segment: false,
    }
}

fn ack(number: i64, ms: i64) -> AckInput<'static> {
    AckInput {
        ack: number,
        sack: &[],
        time: at(ms),
        window_field: 1000,
        window_bytes: Some(1 << 20),
        closed: false,
        pure: true,
        asks: false,
        tsval: Some(ms as u32),
        tsecr: None,
        ip_id: ms as u16,
    }
}

/// The facts of a packet that has changed nothing yet.
fn facts() -> SegmentFacts<'static> {
    let packet = Packet {
        time: at(0),
        frame: 0,
        source: Address::default(),
        destination: Address::default(),
        ip_protocol: 6,
        ip_version: 4,
        hop_limit: 64,
        ip_bytes: 0,
        payload_bytes: 0,
        payload: &[],
        transport: Transport::None,
        ..Packet::default()
    };
    SegmentFacts::new(&packet, &TcpHeader::default(), Direction::Downlink)
}

impl Scoreboard {
    /// Takes a packet with payload, and returns what the packet was.
    fn on_data(&mut self, input: &DataInput) -> DataOutcome {
        let mut facts = facts();
        self.take_data(input, &mut facts);
        DataOutcome {
            class: facts.class.expect("data has a class"),
            new_bytes: facts.new_bytes,
            below_highest: facts.below_highest,
            timeout: facts.timeout,
            since_last_data: facts.since_last_data,
            after_its_ack: facts.faults.has(Faults::AFTER_ITS_ACK),
            tail_probe: facts.tail_probe,
            may_be_probe: facts.may_be_probe,
        }
    }

    /// Takes an acknowledgement, and returns its outcome.
    fn on_ack(&mut self, input: &AckInput<'_>) -> AckOutcome {
        let mut facts = facts();
        self.take_ack(input, &mut facts);
        AckOutcome {
            acked_bytes: facts.acked_bytes,
            probed_bytes: facts.probed_bytes,
            delivered_bytes: facts.delivered_bytes,
            sacked_bytes: facts.sacked_bytes,
            dsack: facts.dsack,
            unneeded_retransmission: facts.unneeded_retransmission,
            duplicate: facts.duplicate_ack,
            rtt: facts.rtt,
            sack_rtt: facts.sack_rtt,
            recorded_twice: facts.faults.has(Faults::RECORDED_TWICE),
            tail_probe: facts.tail_probe,
        }
    }
}

/// A scoreboard whose sender has sent `[1, 1 + 1000 n)` in segments of 1000 bytes, one per
/// millisecond.
fn sent(n: i64) -> Scoreboard {
    let mut board = Scoreboard::default();
    board.synchronize(7);
    board.loop_sample(Duration::from_millis(20), at(0));
    board.handshake_rtt(Duration::from_millis(40));
    board.timer_sample(Duration::from_millis(60));
    board.on_ack(&ack(1, 0));
    for i in 0..n {
        assert_eq!(
            board.on_data(&data(1 + i * 1000, 1 + (i + 1) * 1000, i)).class,
            SegmentClass::New
        );
    }
    board
}

#[test]
fn the_rest_of_a_fragmented_segment_is_no_hole_and_not_counted() {
    let mut board = sent(1);
    board.note_fragment(1, 1001, at(0));
    board.on_data(&data(2001, 3001, 1));
    let sack = &[(1001, 3001)];
    let reported = board.on_ack(&AckInput { sack, ..ack(1, 40) });
    assert_eq!(reported.sacked_bytes, 1000, "of those that were seen");
    assert!(board.sacked_bytes() <= board.unique_bytes());
    board.on_ack(&ack(3001, 41));
    assert_eq!(board.acked_unseen_bytes(), 0);
}

#[test]
fn the_rest_of_a_fragmented_segment_is_no_longer_than_a_segment() {
    let mut board = sent(1);
    board.announce_mss(Some(1412), 12);
    board.note_fragment(1, 1001, at(0));
    board.on_data(&data(4201, 5201, 1));
    board.on_ack(&ack(5201, 40));
    assert_eq!(board.acked_unseen_bytes(), 2800, "two segments behind it were not recorded");
    // The same holds if the ACK is the first to report the bytes.
    board.note_fragment(4201, 5201, at(50));
    board.on_ack(&ack(4201 + 3 * 1400, 60));
    assert_eq!(board.acked_unseen_bytes(), 2 * 2800);
}

#[test]
fn a_sender_whose_receiver_was_not_captured_keeps_memory_bounded() {
    let segments = ranges::MOST as i64 + 500;
    let mut board = sent(segments);
    assert_eq!(board.ranges.iter().count(), ranges::MOST);
    assert_eq!(board.unique_bytes(), segments as u64 * 1000);
    // Intervals that were forgotten still count as sent.
    let again = board.on_data(&data(1, 1001, segments + 9000));
    assert_eq!((again.class, again.new_bytes), (SegmentClass::Retransmission, 0));
    assert_eq!(
        board.on_ack(&ack(1 + segments * 1000, segments + 9040)).acked_bytes,
        board.unique_bytes()
    );
}

#[test]
fn blocks_that_there_is_no_room_to_tell_apart_mark_nothing() {
    let mut board = sent(ranges::MOST as i64);
    let blocks = [(5_501, 6_501), (8_001, 9_001)];
    let outcome = board.on_ack(&AckInput { sack: &blocks, ..ack(1, 9_000_000) });
    assert_eq!(outcome.sacked_bytes, 1000, "the block that ends where segments do");
}

#[test]
fn bytes_in_flight_sent_again_are_a_retransmission() {
    let mut board = sent(10);
    let outcome = board.on_data(&data(1, 1001, 100));
    assert_eq!((outcome.class, outcome.new_bytes), (SegmentClass::Retransmission, 0));
}

#[test]
fn bytes_already_acknowledged_are_spurious() {
    let mut board = sent(10);
    board.on_ack(&ack(5001, 60));
    assert_eq!(board.on_data(&data(1, 1001, 100)).class, SegmentClass::Spurious);
}

#[test]
fn the_highest_segment_once_more_after_two_rtts_is_a_tail_probe() {
    let mut board = sent(10);
    board.on_ack(&ack(8001, 60));
    assert_eq!(board.on_data(&data(9001, 10001, 220)).class, SegmentClass::TailProbe);
}

/// What an ACK shows about a probe, on a scoreboard with ten segments sent a millisecond apart.
fn answer(
    board: &mut Scoreboard,
    number: i64,
    sack: &[(i64, i64)],
    ms: i64,
) -> Option<(bool, Instant)> {
    let out = board.on_ack(&AckInput { sack, ..ack(number, ms) });
    out.tail_probe.map(|probe| (probe.lost, probe.silent_since))
}

/// A scoreboard whose last segment is retransmitted 200 ms after the last ACK.
fn probed_with_old_data() -> Scoreboard {
    let mut board = sent(10);
    board.on_ack(&ack(8001, 60));
    assert_eq!(board.on_data(&data(9001, 10001, 260)).class, SegmentClass::TailProbe);
    board
}

#[test]
fn the_ack_of_a_probe_of_old_data_shows_that_it_repaired_a_loss() {
    let mut board = probed_with_old_data();
    assert_eq!(answer(&mut board, 10001, &[], 310), Some((true, at(80))), "silent since it heard");
    assert_eq!(answer(&mut board, 10001, &[(9001, 10001)], 315), None, "one answer");
}

#[test]
fn a_probe_of_old_data_was_needless_after_a_dsack_an_older_echo_or_an_ack_too_soon() {
    let dsack = &[(9001, 10001)];
    assert_eq!(answer(&mut probed_with_old_data(), 10001, dsack, 310), Some((false, at(80))));
    assert_eq!(answer(&mut probed_with_old_data(), 10001, &[], 290), Some((false, at(80))));
    let echo = |tsecr| {
        let late = AckInput { tsecr: Some(tsecr), ..ack(10001, 310) };
        probed_with_old_data().on_ack(&late).tail_probe.map(|probe| probe.lost)
    };
    assert_eq!((echo(9), echo(260)), (Some(false), Some(true)));
}

#[test]
fn an_ack_below_the_end_of_a_probe_decides_nothing() {
    let mut board = probed_with_old_data();
    assert_eq!(answer(&mut board, 9001, &[], 265), None, "RFC 8985 section 7.4.2");
    assert_eq!(answer(&mut board, 10001, &[], 310), Some((true, at(80))));
}

#[test]
fn a_probe_of_new_data_finds_a_loss_by_sack_and_nothing_by_an_ack() {
    let mut board = sent(10);
    board.on_ack(&ack(2001, 60));
    assert!(!board.clone().on_data(&data(10001, 11001, 150)).may_be_probe, "too soon");
    assert!(!board.clone().on_data(&data(10001, 11001, 450)).may_be_probe, "too late");
    let in_flight = |acked| {
        let mut board = sent(10);
        board.on_ack(&ack(acked, 60));
        board.on_data(&data(10001, 11001, 260)).may_be_probe
    };
    assert_eq!((in_flight(8001), in_flight(9001)), (true, false), "RFC 8985 section 7.2");
    assert!(board.on_data(&data(10001, 11001, 260)).may_be_probe);
    let lost = answer(&mut board.clone(), 2001, &[(10001, 11001)], 310);
    assert_eq!(lost, Some((true, at(80))));
    assert_eq!(answer(&mut board.clone(), 11001, &[], 310), Some((false, at(80))));
    board.on_data(&data(11001, 12001, 261));
    assert_eq!(answer(&mut board, 2001, &[(10001, 12001)], 310), None, "it went on by itself");
}

#[test]
fn the_timeout_after_a_probe_without_answer_shows_a_loss() {
    let mut board = probed_with_old_data();
    let out = board.on_data(&data(8001, 9001, 700));
    assert!(out.timeout);
    assert_eq!(out.tail_probe.map(|probe| (probe.lost, probe.silent_since)), Some((true, at(80))));
}

#[test]
fn a_lone_segment_after_the_timers_wait_is_a_probe_where_both_ends_know_sack() {
    let class = |sacks| {
        let mut board = sent(1);
        board.announce_sack(sacks);
        let out = board.on_data(&data(1, 1001, 1200));
        (out.class, out.timeout)
    };
    assert_eq!(class(true), (SegmentClass::TailProbe, false));
    assert_eq!(class(false), (SegmentClass::Retransmission, true));
}

#[test]
fn the_rtt_of_a_sack_is_that_of_the_segment_that_its_ack_answers() {
    let rtt = |board: &mut Scoreboard, number, sack: &[(i64, i64)]| {
        let out = board.on_ack(&AckInput { sack, ..ack(number, 100) });
        out.sack_rtt.map(|rtt| rtt.as_millis_f64())
    };
    // The first block contains the segment that the ACK answers (RFC 2018 section 4); the other
    // blocks repeat earlier reports.
    assert_eq!(rtt(&mut sent(10), 1, &[(3001, 5001), (8001, 10001)]), Some(96.0));
    assert_eq!(rtt(&mut sent(10), 2001, &[(3001, 5001)]), None, "an ACK that advances");
    assert_eq!(rtt(&mut sent(10), 1, &[(3001, 4001), (3001, 5001)]), None, "a D-SACK");
    let mut repeated = sent(10);
    repeated.on_data(&data(3001, 4001, 60));
    assert_eq!(rtt(&mut repeated, 1, &[(3001, 5001)]), None, "Karn");
}

#[test]
fn the_first_unacknowledged_byte_after_the_timer_is_a_timeout() {
    let mut board = sent(10);
    let outcome = board.on_data(&data(1, 1001, 1200));
    assert!(outcome.timeout);
    assert!(board.recovery().is_some_and(|r| r.timeout.is_some()));
}

#[test]
fn a_second_repeat_after_the_timer_is_a_timeout_whatever_was_sent_between() {
    let mut board = sent(10);
    assert!(!board.on_data(&data(1, 1001, 100)).timeout, "fast retransmission");
    let soon = board.clone().on_data(&data(1, 1001, 200));
    assert!(!soon.timeout, "the repeat was found lost without the timer");
    board.on_data(&data(10001, 11001, 600));
    assert!(board.on_data(&data(1, 1001, 700)).timeout);
}

#[test]
fn a_hole_filled_a_loop_after_it_was_reported_was_lost_upstream() {
    let mut board = sent(3);
    board.on_data(&data(4001, 5001, 3));
    board.on_ack(&ack(3001, 50));
    board.on_ack(&AckInput { sack: &[(4001, 5001)], ..ack(3001, 51) });
    let early = board.clone().on_data(&DataInput { tsval: None, ..data(3001, 4001, 60) });
    assert_eq!(early.class, SegmentClass::Reordered);
    let late = board.on_data(&data(3001, 4001, 80));
    assert_eq!((late.class, late.new_bytes), (SegmentClass::UpstreamLoss, 1000));
}

#[test]
fn an_older_timestamp_distinguishes_reordering_from_repair() {
    let mut board = sent(3);
    board.on_data(&data(4001, 5001, 10));
    let outcome = board.on_data(&DataInput { tsval: Some(9), ..data(3001, 4001, 900) });
    assert_eq!(outcome.class, SegmentClass::Reordered);
}

#[test]
fn the_same_packet_twice_at_once_is_the_taps_duplicate() {
    let mut board = sent(10);
    let twice = DataInput { time: at(10), ..data(9001, 10001, 9) };
    assert_eq!(board.on_data(&twice).class, SegmentClass::CaptureDuplicate);
}

#[test]
fn karn_an_ack_that_covers_a_repeat_gives_no_rtt() {
    let mut board = sent(10);
    board.on_data(&data(1, 1001, 100));
    assert!(board.on_ack(&ack(10001, 140)).rtt.is_none());
    assert!(
        sent(10).on_ack(&ack(10001, 140)).rtt.is_some_and(|s| s.rtt == Duration::from_millis(131))
    );
}

#[test]
fn a_changed_window_with_a_new_sack_block_is_still_a_duplicate() {
    let mut board = sent(10);
    board.on_ack(&ack(1001, 50));
    assert_eq!(board.on_ack(&ack(1001, 51)).duplicate, Some(DuplicateAck::Strict));
    let sack = AckInput { sack: &[(2001, 3001)], window_field: 900, ..ack(1001, 52) };
    let outcome = board.on_ack(&sack);
    assert_eq!((outcome.duplicate, outcome.sacked_bytes), (Some(DuplicateAck::Sack), 1000));
    assert_eq!(board.on_ack(&AckInput { window_field: 800, ..ack(1001, 53) }).duplicate, None);
}

#[test]
fn a_dsack_takes_a_retransmission_back() {
    let mut board = sent(10);
    board.on_data(&data(1, 1001, 100));
    board.on_ack(&ack(10001, 140));
    let outcome = board.on_ack(&AckInput { sack: &[(1, 1001)], ..ack(10001, 145) });
    assert!(outcome.unneeded_retransmission);
    assert_eq!(outcome.dsack, Some((1, 1001)));
}

#[test]
fn the_sender_knows_an_edge_one_loop_after_it_passed() {
    let mut board = sent(10);
    board.on_ack(&AckInput { window_bytes: Some(5000), ..ack(10001, 100) });
    assert_eq!(board.ack_known(at(119)), 1);
    assert_eq!(board.ack_known(at(120)), 10001);
}

#[test]
fn a_number_beyond_any_window_is_not_this_connections() {
    let mut board = sent(1);
    assert_eq!(board.offset(7u32.wrapping_add(1 << 31)), None);
    assert_eq!(board.offset(7u32.wrapping_add(2001)), Some(2001));
}

#[test]
fn what_was_acknowledged_before_it_was_seen_is_new_once() {
    let mut board = sent(2);
    board.on_ack(&ack(4001, 50));
    let late = board.on_data(&data(2001, 3001, 51));
    assert_eq!((late.class, late.new_bytes), (SegmentClass::Reordered, 1000));
    let again = board.on_data(&data(2001, 4001, 300));
    assert_eq!((again.class, again.new_bytes), (SegmentClass::Spurious, 1000));
    assert_eq!(board.on_data(&data(3001, 4001, 600)).new_bytes, 0);
}

#[test]
fn a_byte_of_before_the_capture_is_new_and_then_a_keep_alive() {
    let mut board = Scoreboard::default();
    assert_eq!(board.offset(5001), Some(1));
    board.on_data(&data(1, 101, 0));
    board.on_ack(&ack(101, 1));
    assert_eq!(board.on_data(&data(100, 101, 900)).class, SegmentClass::KeepAlive);
    let mut idle = Scoreboard::default();
    let start = idle.offset(5001).unwrap();
    idle.on_ack(&ack(start, 0));
    let first = idle.on_data(&data(start - 1, start, 900));
    assert_eq!((first.class, first.new_bytes), (SegmentClass::New, 1));
    assert!(!first.below_highest);
}

#[test]
fn a_number_that_a_fin_took_is_repeated_by_the_next_one() {
    let mut board = sent(2);
    assert!(!board.on_fin(3001, at(10)), "it leaves a hole, and is new");
    assert_eq!(board.next(), 3002);
    assert!(board.on_fin(3001, at(400)));
    board.on_ack(&ack(3002, 450));
    assert!(board.on_fin(3001, at(900)));
}

/// A scoreboard with two segments that were acknowledged with a window of 0, which the sender
/// knows.
fn closed() -> Scoreboard {
    let mut board = sent(2);
    board.on_ack(&AckInput { window_bytes: Some(0), closed: true, ..ack(2001, 100) });
    board
}

#[test]
fn a_byte_against_a_closed_window_counts_once_when_it_is_acknowledged() {
    let mut board = closed();
    for ms in [400, 1000, 2200] {
        let probe = board.on_data(&data(2001, 2002, ms));
        assert_eq!((probe.class, probe.new_bytes), (SegmentClass::WindowProbe, 0));
        assert!(!probe.timeout && board.recovery().is_none());
        board.on_ack(&AckInput { window_bytes: Some(0), closed: true, ..ack(2001, ms + 60) });
    }
    assert_eq!((board.unique_bytes(), board.payload_bytes()), (2000, 2003));
    let taken = board.on_ack(&ack(2002, 3000));
    assert_eq!((taken.probed_bytes, taken.acked_bytes, taken.rtt), (1, 1, None));
    assert_eq!((board.unique_bytes(), board.acked_unseen_bytes()), (2001, 0));
}

#[test]
fn a_byte_against_a_closed_window_counts_once_when_data_follows_it() {
    let mut board = closed();
    board.on_data(&data(2001, 2002, 400));
    let data = board.on_data(&data(2002, 3002, 700));
    assert_eq!((data.class, data.new_bytes), (SegmentClass::New, 1001));
    assert_eq!(board.unique_bytes(), 3001);
}

#[test]
fn what_a_sender_sends_that_cannot_know_of_the_closing_is_data() {
    let mut board = closed();
    assert_eq!(board.on_data(&data(2001, 2002, 110)).class, SegmentClass::New);
}

#[test]
fn an_empty_segment_below_the_first_unacknowledged_byte_asks_for_the_window() {
    let board = closed();
    assert!(board.is_empty_probe(2000, at(400)));
    assert!(!board.is_empty_probe(2001, at(400)), "an ACK");
    assert!(!sent(2).is_empty_probe(0, at(400)), "a keep-alive: the window is open");
}

#[test]
fn an_empty_segment_below_the_next_byte_keeps_an_idle_connection_alive() {
    let mut board = sent(2);
    assert!(!board.take_empty_keep_alive(2000), "data is in flight");
    board.on_ack(&ack(2001, 50));
    assert!(!board.take_empty_keep_alive(2001), "an ACK");
    assert!(!board.take_empty_keep_alive(1999), "an old ACK");
    assert!(board.take_empty_keep_alive(2000));
    board.on_fin(2001, at(60));
    board.on_ack(&ack(2002, 110));
    assert!(!board.take_empty_keep_alive(2001), "the number of the FIN");
}

#[test]
fn a_keep_alive_has_one_answer_which_is_no_duplicate_ack() {
    let mut board = sent(2);
    board.on_ack(&ack(2001, 50));
    board.take_empty_keep_alive(2000);
    board.on_data(&data(3001, 4001, 9000));
    let answer = board.on_ack(&ack(2001, 9020));
    assert!(answer.duplicate.is_none() && board.recovery().is_none());
    assert!(board.on_ack(&ack(2001, 9030)).duplicate.is_some(), "it has one answer");

    let mut board = sent(2);
    board.on_ack(&ack(2001, 50));
    board.take_empty_keep_alive(2000);
    board.on_data(&data(3001, 4001, 9000));
    assert!(board.on_ack(&ack(2001, 9080)).duplicate.is_some(), "the data may have caused it");
    assert!(board.on_ack(&AckInput { asks: true, ..ack(2001, 9090) }).duplicate.is_none());
}

#[test]
fn a_window_of_zero_closes_at_an_unknown_scale_and_not_after_a_fin() {
    let mut board = sent(2);
    board.on_ack(&AckInput { window_bytes: None, ..ack(1001, 90) });
    assert_eq!((board.right_edge(), board.window_is_closed()), (None, false));
    board.on_ack(&AckInput { window_bytes: Some(0), closed: true, ..ack(2001, 100) });
    assert_eq!((board.right_edge(), board.window_is_closed()), (Some(2001), true));
    board.on_fin(2001, at(200));
    board.on_ack(&AckInput { window_bytes: Some(0), closed: true, ..ack(2002, 300) });
    assert!(!board.window_is_closed());
    assert_eq!(board.right_edge(), Some(2001), "the edge stays");
}

#[test]
fn sequence_numbers_wrap() {
    let mut board = Scoreboard::default();
    board.synchronize(u32::MAX - 10);
    for i in 0..100i64 {
        let wire = (u32::MAX - 10).wrapping_add((1 + i * 100_000_000) as u32);
        let start = board.offset(wire).unwrap();
        assert_eq!(start, 1 + i * 100_000_000);
        board.on_data(&data(start, start + 100_000_000, i));
    }
}

/// A naive model that keeps every byte.
#[derive(Default)]
struct Naive {
    seen: BTreeSet<i64>,
    acked: i64,
    highest: i64,
    sacked: BTreeSet<i64>,
    transmissions: BTreeMap<i64, u32>,
}

#[derive(Clone, Debug)]
enum Step {
    Data { start: i64, length: i64 },
    Ack { number: i64, sack: Option<(i64, i64)> },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let data =
        (0i64..60, 1i64..12).prop_map(|(start, length)| Step::Data { start: 1 + start, length });
    let sack = proptest::option::of((1i64..60, 1i64..10));
    let ack = (1i64..70, sack)
        .prop_map(|(number, sack)| Step::Ack { number, sack: sack.map(|(l, n)| (l, l + n)) });
    prop::collection::vec(prop_oneof![3 => data, 2 => ack], 1..80)
}

/// Whether the class is one of packets with a byte that passed the capture point before, as counted
/// by tcptrace's `rexmt`.
fn is_repeat(class: SegmentClass) -> bool {
    use SegmentClass::{New, Reordered, UpstreamLoss};
    !matches!(class, New | Reordered | UpstreamLoss)
}

proptest! {
    #[test]
    fn the_scoreboard_counts_as_a_set_of_bytes_does(steps in steps()) {
        let mut board = Scoreboard::default();
        board.synchronize(0);
        board.on_ack(&ack(1, 0));
        let mut naive = Naive { acked: 1, highest: 1, ..Naive::default() };
        for (index, step) in steps.into_iter().enumerate() {
            // The packets are half a second apart, so that none is a capture duplicate.
            let ms = index as i64 * 500;
            match step {
                Step::Data { start, length } => {
                    let outcome = board.on_data(&data(start, start + length, ms));
                    let fresh = (start..start + length).filter(|b| !naive.seen.contains(b)).count();
                    prop_assert_eq!(outcome.new_bytes as usize, fresh);
                    let repeats = fresh < length as usize;
                    prop_assert_eq!(is_repeat(outcome.class), repeats, "{:?}", outcome.class);
                    let late = start < naive.highest && outcome.class != SegmentClass::New;
                    prop_assert_eq!(outcome.below_highest, late);
                    naive.seen.extend(start..start + length);
                    naive.highest = naive.highest.max(start + length);
                    for byte in start..start + length {
                        *naive.transmissions.entry(byte).or_default() += 1;
                    }
                }
                Step::Ack { number, sack } => {
                    let blocks: Vec<_> = sack.into_iter().collect();
                    let outcome = board.on_ack(&AckInput { sack: &blocks, ..ack(number, ms) });
                    let advanced = (number - naive.acked).max(0);
                    prop_assert_eq!(outcome.acked_bytes as i64, advanced);
                    naive.acked = naive.acked.max(number);
                    naive.highest = naive.highest.max(naive.acked);
                    let is_dsack = |right: i64| right <= number;
                    let fresh = sack.filter(|(_, right)| !is_dsack(*right)).map_or(0, |(left, right)| {
                        (left..right).filter(|b| *b >= naive.acked && naive.seen.contains(b) && naive.sacked.insert(*b)).count()
                    });
                    prop_assert_eq!(outcome.sacked_bytes as usize, fresh);
                    if let Some(sample) = outcome.rtt {
                        let sent = sample.sent;
                        prop_assert!(sent <= at(ms));
                        prop_assert_eq!(naive.transmissions.get(&(number - 1)), Some(&1), "Karn");
                    }
                }
            }
            prop_assert_eq!(board.next(), naive.highest);
            prop_assert_eq!(board.unacked(), naive.acked);
        }
    }
}
