//! Tests that both lanes, the fast path and the general path, give the same result. Random packets
//! go to a scoreboard with both lanes and to one that uses only the definitions, and the two are
//! compared after each packet.

use super::*;

/// One packet of a flow that has few losses.
#[derive(Clone, Debug)]
struct Beat {
    /// Whether the packet is new data of `size` bytes; otherwise it is an ACK of a share, in
    /// quarters, of what is in flight.
    sends: bool,
    size: i64,
    quarters: i64,
    after_us: i64,
    oddity: Oddity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Oddity {
    None,
    /// Data that leaves a hole, data below the highest byte, or the first segment in flight once
    /// more.
    Hole,
    Below,
    First,
    /// A first IP fragment, whose later fragments have no sequence numbers.
    Fragment,
    /// An ACK with a SACK block, an ACK of bytes never seen, or an ACK from before.
    Sack,
    Unseen,
    Old,
    /// An ACK with a closed window, or an ACK that comes with data.
    Closed,
    Carried,
}

/// How a flow begins.
#[derive(Clone, Copy, Debug)]
enum Begins {
    AfterHandshake,
    WithData,
    MidStream,
}

fn beats() -> impl Strategy<Value = Vec<Beat>> {
    use Oddity::*;
    // A window probe has one byte.
    let size = prop_oneof![3 => 2i64..1449, 1 => Just(1)];
    // Tail loss probes need a silence, and the clock of a capture may step back.
    let after_us = prop_oneof![12 => 0i64..60_000, 2 => 60_000i64..900_000, 1 => -90_000i64..0];
    let odd = prop::sample::select(
        &[Hole, Below, First, Fragment, Sack, Unseen, Old, Closed, Closed, Carried][..],
    );
    let oddity = prop_oneof![3 => Just(None), 1 => odd];
    let beat = (any::<bool>(), size, 0i64..5, after_us, oddity).prop_map(
        |(sends, size, quarters, after_us, oddity)| Beat {
            sends,
            size,
            quarters,
            after_us,
            oddity,
        },
    );
    prop::collection::vec(beat, 1..120)
}

fn begin(begins: Begins) -> Scoreboard {
    let mut board = match begins {
        Begins::AfterHandshake => return sent(3),
        Begins::WithData | Begins::MidStream => Scoreboard::default(),
    };
    if matches!(begins, Begins::WithData) {
        board.synchronize(7);
    } else {
        board.offset(7);
    }
    board.loop_sample(Duration::from_millis(20), at(0));
    board
}

/// Two scoreboards of one flow: one with both lanes, and one that uses only the definitions.
struct Pair {
    mixed: Scoreboard,
    slow: Scoreboard,
    now: Instant,
    /// The receiver's window minus the bytes in flight.
    room: i64,
}

impl Pair {
    fn ms(&self) -> u32 {
        (self.now.as_nanos() / MS) as u32
    }

    /// The outcomes of the packet on both scoreboards.
    fn take(&mut self, beat: &Beat) -> (String, String) {
        self.now = self.now + Duration::from_micros(beat.after_us);
        if beat.sends { self.send(beat) } else { self.acknowledge(beat) }
    }

    fn send(&mut self, beat: &Beat) -> (String, String) {
        let (next, ms) = (self.mixed.next(), self.ms());
        let start = match beat.oddity {
            Oddity::Hole => next + 1448,
            Oddity::Below => next - beat.size,
            Oddity::First => self.mixed.unacked(),
            _ => next,
        };
        let start = start.max(1);
        let input = DataInput {
            time: self.now,
            tsval: Some(ms),
            tsecr: Some(ms.saturating_sub(20)),
            ip_id: ms as u16,
            ..data(start, start + beat.size, 0)
        };
        let outcomes = (self.mixed.on_data(&input), self.slow.on_any(&input));
        for board in [&mut self.mixed, &mut self.slow] {
            if beat.oddity == Oddity::Fragment {
                board.note_fragment(start, start + beat.size, self.now);
            }
            board.note_known(self.now, input.tsecr);
        }
        (format!("{:?}", outcomes.0), format!("{:?}", outcomes.1))
    }

    fn acknowledge(&mut self, beat: &Beat) -> (String, String) {
        let (next, unacked) = (self.mixed.next(), self.mixed.unacked());
        let number = match beat.oddity {
            Oddity::Unseen => next + beat.size,
            Oddity::Old => unacked - 1,
            _ => unacked + (next - unacked) * beat.quarters / 4,
        };
        let block = (number + 1448, (number + 2896).min(next));
        let blocks = if block.0 < block.1 { vec![block] } else { Vec::new() };
        let closed = beat.oddity == Oddity::Closed;
        let window = if closed { 0 } else { (next - number).max(0) + self.room };
        let input = AckInput {
            sack: if beat.oddity == Oddity::Sack { &blocks } else { &[] },
            time: self.now,
            tsval: Some(self.ms()),
            ip_id: self.ms() as u16,
            window_bytes: Some(window as u32),
            closed,
            pure: beat.oddity != Oddity::Carried,
            asks: false,
            ..ack(number, 0)
        };
        (format!("{:?}", self.mixed.on_ack(&input)), format!("{:?}", self.slow.on_any_ack(&input)))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(airmile_share::cases(
        128, 1024, "connections over both lanes",
    )))]

    #[test]
    fn both_lanes_do_the_same(
        beats in beats(),
        begins in prop::sample::select(
            &[Begins::AfterHandshake, Begins::WithData, Begins::MidStream][..],
        ),
        room in prop_oneof![Just(1 << 16), 0i64..3000],
    ) {
        let board = begin(begins);
        let mut pair = Pair { mixed: board.clone(), slow: board, now: at(10), room };
        for beat in beats {
            let (left, right) = pair.take(&beat);
            prop_assert_eq!(left, right);
            prop_assert_eq!(format!("{:?}", pair.mixed), format!("{:?}", pair.slow));
        }
    }
}
