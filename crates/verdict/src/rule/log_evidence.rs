//! Defines the evidence of a modem log without a capture.

use airmile_radio::{QueueTimes, Trust};

/// The largest share of the received bytes that may be acknowledgements of the sent bytes. One ACK
/// of 66 bytes for each segment of 1448 (IPv4 and TCP with timestamps in Ethernet) is 5 %; the
/// limit is twice that.
const MOST_ACKNOWLEDGED: f64 = 0.1;
/// The largest number of bytes in a millisecond with acknowledgements only, which come one or a few
/// at a time. The blocks of a transfer contain full packets.
const MOST_BYTES_A_MS: f64 = 200.0;

/// The bytes in each direction, without padding where the padding is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volumes {
    /// The bytes that the phone received.
    pub received_bytes: f64,
    /// The number of milliseconds with a block for the phone.
    pub received_ms: f64,
    /// The bytes that the phone sent.
    pub sent_bytes: f64,
}

impl Volumes {
    /// Whether the phone received only acknowledgements of what it sent.
    pub fn is_acknowledged_upload(&self) -> bool {
        let Self { received_bytes, received_ms, sent_bytes } = *self;
        received_bytes < MOST_ACKNOWLEDGED * sent_bytes
            && received_bytes < MOST_BYTES_A_MS * received_ms
    }
}

/// The method that estimated the link demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemandSource {
    /// The queue estimate, which uses allocations, gaps and padding together with the capture,
    /// where there is one.
    QueueEstimate,
    /// The burst rule, with the result of testing its assumption on the trace.
    BurstRule(Trust),
    /// The burst rule on a log that is still being written.
    Live,
}

/// The evidence of a modem log for one user.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogEvidence<'a> {
    /// The method that estimated the demand.
    pub source: DemandSource,
    /// The time for which the phone received, in seconds.
    pub receiving_s: f64,
    /// The least and the greatest share of `receiving_s` in which there was a queue; `None` when it
    /// is not known.
    pub demand: Option<(f64, f64)>,
    /// The share of the acknowledged bytes that the log explains; `None` without a capture.
    pub explained_ratio: Option<f64>,
    /// The bytes in each direction; `None` when the log does not contain both directions.
    pub volumes: Option<Volumes>,
    /// Why there is no estimate, or why it is doubtful.
    pub doubt: Option<&'a str>,
}

/// What the grants in a log show about the uplink of one user.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UplinkEvidence {
    /// The time for which the phone sent, in seconds.
    pub sending_s: f64,
    /// The part of `sending_s` in which data waited in the phone, in seconds.
    pub backlogged_s: f64,
    /// The part of `sending_s` for which it is known whether data waited, in seconds.
    pub known_s: f64,
}

impl UplinkEvidence {
    /// The least and the greatest share of the sending time in which data waited; `None` when
    /// nothing is known.
    pub fn backlog(&self) -> Option<(f64, f64)> {
        let Self { sending_s, backlogged_s, known_s } = *self;
        let known = known_s.min(sending_s);
        let times = QueueTimes { known, ..QueueTimes::certain(backlogged_s, sending_s) };
        // NaN is no evidence.
        let share = times.link_demand().filter(|_| known_s > 0.0 && backlogged_s >= 0.0)?;
        Some((share.low.min(share.high), share.high))
    }
}
