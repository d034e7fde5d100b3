//! Finds trains of duplicate ACKs (methods C4).

use airmile_track::Segment;
use airmile_types::{Duration, Instant, Parameters};

/// Duplicate ACKs of one ACK number, each at most `loss_episodes.train_gap_s` after the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Train {
    /// Time of the first duplicate ACK.
    pub(crate) first: Instant,
    /// Time of the last duplicate ACK so far.
    pub(crate) last: Instant,
    /// The ACK number that the duplicate ACKs repeat.
    pub(crate) ack: i64,
    /// Number of duplicate ACKs.
    pub(crate) count: u32,
    /// Bytes that the duplicate ACKs reported by SACK for the first time.
    pub(crate) sacked_bytes: u64,
}

impl Train {
    /// Whether the train is long enough to measure R_ss: by its number of ACKs, or by the SACKed
    /// bytes in segments, because some receivers report many segments in one ACK (methods C3, C4).
    pub(crate) fn is_long(&self, mss_bytes: u32, parameters: &Parameters) -> bool {
        let equivalents = self.sacked_bytes as f64 / f64::from(mss_bytes.max(1));
        f64::from(self.count).max(equivalents) > parameters.train_min
    }
}

/// The train in progress of one direction of data.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Trains(Option<Train>);

impl Trains {
    /// The train in progress.
    pub(crate) const fn current(&self) -> Option<&Train> {
        self.0.as_ref()
    }

    /// Takes a packet of the receiver; returns the train that it ended.
    pub(crate) fn on_receiver(&mut self, segment: &Segment<'_>, gap: Duration) -> Option<Train> {
        let ended = self.expire(segment.time, gap);
        let Some(ack) = segment.ack else { return ended };
        if segment.duplicate_ack.is_some() {
            return self.extend(ack, segment, ended);
        }
        ended.or_else(|| self.0.take_if(|train| ack > train.ack))
    }

    /// Returns the train that a silence has ended.
    pub(crate) fn expire(&mut self, now: Instant, gap: Duration) -> Option<Train> {
        self.0.take_if(|train| now - train.last > gap)
    }

    fn extend(&mut self, ack: i64, segment: &Segment<'_>, ended: Option<Train>) -> Option<Train> {
        let ended = ended.or_else(|| self.0.take_if(|train| train.ack != ack));
        let time = segment.time;
        let train = self.0.get_or_insert(Train { first: time, last: time, ack, count: 0, sacked_bytes: 0 });
        train.last = time;
        train.count += 1;
        train.sacked_bytes += segment.sacked_bytes;
        ended
    }
}
