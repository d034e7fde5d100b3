//! The fit of two clocks, or the reason why there is none.

use airmile_types::{Duration, Instant};

/// How the clock of a modem reads against the clock of a capture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockFit {
    /// What is added to a time of the modem's clock to get that of the capture's clock, at `at`.
    pub offset: Duration,
    /// The time of the modem's clock at which `offset` holds.
    pub at: Instant,
    /// How much faster the capture's clock runs, in parts per million; `None` where the common time
    /// is too short to show it, and no drift is corrected.
    pub drift_ppm: Option<f64>,
    /// How wrong a converted time may be, from the first to the last time of the log.
    pub uncertainty: Duration,
    /// Whether the first packets and the first blocks after pauses meet at the offset. The offset
    /// is then more exact than the bounds alone make it.
    pub is_met: bool,
    /// The share of the bytes that are known to have crossed the radio, in the common time, which
    /// the log contains; `None` where none are known to have crossed it.
    pub explained_ratio: Option<f64>,
    /// The common time, by the clock of the capture.
    pub overlap: (Instant, Instant),
    /// The smaller of the bytes of log and capture over the larger. Among several phones the right
    /// one has the largest likeness.
    pub likeness: f64,
}

/// The length of a slice of the verdict.
const SLICE: Duration = Duration::from_millis(100);

impl ClockFit {
    /// Whether the offset shows which slice a wait lies in.
    pub fn is_sharp(&self) -> bool {
        self.is_met || self.uncertainty <= SLICE
    }

    /// Converts a time of the modem's clock to the clock of the capture.
    pub fn to_capture(&self, modem: Instant) -> Instant {
        let elapsed = modem - self.at;
        let drift = elapsed.as_nanos() as f64 * self.drift_ppm.unwrap_or(0.0) * 1e-6;
        modem + self.offset + Duration::from_nanos(drift as i64)
    }
}

/// Why no common clock was found.
#[derive(Clone, Debug, PartialEq)]
pub enum NotAligned {
    /// The log or the capture has no bytes, or less than two seconds of them.
    TooShort,
    /// Every offset violates a bound.
    Violated,
    /// Several offsets satisfy the bounds; they are given in seconds.
    Ambiguous(Vec<f64>),
    /// The log is too long for every offset to be tried.
    TooLong,
}

impl std::fmt::Display for NotAligned {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooShort => {
                out.write_str("the modem log or the capture holds less than two seconds of traffic")
            }
            Self::Violated => out.write_str(
                "wherever the log is put in time, it serves bytes before they came or after they \
                 were acknowledged: not the same phone or time, or a proxy between capture point \
                 and phone answers for it",
            ),
            Self::Ambiguous(offsets) => {
                let listed: Vec<String> = offsets.iter().map(|s| format!("{s:+.2} s")).collect();
                write!(
                    out,
                    "the log fits the capture at several offsets ({}): the traffic repeats itself",
                    listed.join(", ")
                )
            }
            Self::TooLong => {
                out.write_str("the log is too long to be compared with the capture at every offset")
            }
        }
    }
}

impl std::error::Error for NotAligned {}
