//! The fit of two clocks, or the reason why there is none.

use airmile_types::{Duration, Instant};

/// How a modem's clock reads against a capture's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockFit {
    /// What is added to the modem's time to get the capture's, at `at`.
    pub offset: Duration,
    /// A time of the modem's clock.
    pub at: Instant,
    /// How much faster the capture's clock goes, parts per million; `None` where the common time
    /// is too short to tell, and none is taken off.
    pub drift_ppm: Option<f64>,
    /// How far off a time may be, from the first to the last one of the log.
    pub uncertainty: Duration,
    /// After pauses the first packets and the first blocks meet at the offset: it is better known
    /// than the bounds alone say.
    pub is_met: bool,
    /// Share that the log has of the bytes that are known to be over the radio, in the common time;
    /// `None` where none is known to be.
    pub explained_ratio: Option<f64>,
    /// Common time, by the capture's clock.
    pub overlap: (Instant, Instant),
    /// The smaller of the bytes of log and capture over the larger: among several phones the
    /// right one's is the largest.
    pub likeness: f64,
}

/// A slice of the verdict.
const SLICE: Duration = Duration::from_millis(100);

impl ClockFit {
    /// Whether what waits in which slice can be said.
    pub fn is_sharp(&self) -> bool {
        self.is_met || self.uncertainty <= SLICE
    }

    /// A time of the modem's clock on the capture's.
    pub fn to_capture(&self, modem: Instant) -> Instant {
        let elapsed = modem - self.at;
        let drift = elapsed.as_nanos() as f64 * self.drift_ppm.unwrap_or(0.0) * 1e-6;
        modem + self.offset + Duration::from_nanos(drift as i64)
    }
}

/// Why no common clock was found.
#[derive(Clone, Debug, PartialEq)]
pub enum NotAligned {
    /// One side has no bytes, or less than two seconds of them.
    TooShort,
    /// Wherever the log is put, a bound is violated.
    Violated,
    /// The log satisfies the bounds at several offsets, in seconds.
    Ambiguous(Vec<f64>),
    /// The log is too long to be put everywhere.
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
                 were acknowledged: not the same phone or time, or a proxy between tap and phone \
                 answers for it",
            ),
            Self::Ambiguous(offsets) => {
                let told: Vec<String> = offsets.iter().map(|s| format!("{s:+.2} s")).collect();
                write!(
                    out,
                    "the log fits the capture at several offsets ({}): the traffic repeats itself",
                    told.join(", ")
                )
            }
            Self::TooLong => {
                out.write_str("the log is too long to be compared with the capture at every offset")
            }
        }
    }
}

impl std::error::Error for NotAligned {}
