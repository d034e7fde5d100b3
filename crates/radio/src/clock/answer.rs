//! Defines the relation between two clocks, or the reason why none was found.

use airmile_types::{Duration, Instant};

use super::same_time::MOST;

/// How the clock of a modem relates to the clock of a capture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockFit {
    /// The time to add to the modem's clock to get the capture's clock, at the instant `at`.
    pub offset: Duration,
    /// The time of the modem's clock at which `offset` holds.
    pub at: Instant,
    /// How much faster the capture's clock runs, in parts per million. `None` if the common time is
    /// too short to show it; then no drift is corrected.
    pub drift_ppm: Option<f64>,
    /// The greatest error of a converted time, between the first and the last time of the log.
    pub uncertainty: Duration,
    /// Whether, at this offset, the first blocks after pauses directly follow the first packets. If
    /// so, the offset is more exact than the bounds alone make it.
    pub is_met: bool,
    /// The share of the bytes known to have crossed the radio during the common time that the log
    /// contains; `None` if no bytes are known to have crossed the radio.
    pub explained_ratio: Option<f64>,
    /// The common time of log and capture, by the clock of the capture.
    pub overlap: (Instant, Instant),
    /// The bytes of log and capture, the smaller number divided by the larger. Of several phones in
    /// a capture, the right one has the largest likeness.
    pub likeness: f64,
}

/// The length of a slice of the verdict: one interval for which a cause is given.
const SLICE: Duration = Duration::from_millis(100);

impl ClockFit {
    /// Whether the offset is exact enough to show in which slice a wait lies.
    pub fn is_sharp(&self) -> bool {
        self.is_met || self.uncertainty <= SLICE
    }

    /// Converts a time of the modem's clock to a time of the capture's clock.
    pub fn to_capture(&self, modem: Instant) -> Instant {
        let elapsed = modem - self.at;
        let drift = elapsed.as_nanos() as f64 * self.drift_ppm.unwrap_or(0.0) * 1e-6;
        modem + self.offset + Duration::from_nanos(drift as i64)
    }
}

/// Why no common clock was found.
#[derive(Clone, Debug, PartialEq)]
pub enum NotAligned {
    /// The log or the capture has no bytes, or covers less than two seconds.
    TooShort,
    /// The clocks differ by more than two clocks do that were set: the log begins this much after
    /// the capture.
    OtherTime(Duration),
    /// Every offset violates one of the bounds.
    Violated,
    /// Several offsets satisfy the bounds; the offsets are in seconds.
    Ambiguous(Vec<f64>),
    /// The log is so long that not every offset can be tried.
    TooLong,
}

impl std::fmt::Display for NotAligned {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooShort => {
                out.write_str("the modem log or the capture holds less than two seconds of traffic")
            }
            Self::OtherTime(later) => {
                let days = later.abs().as_secs_f64() / 86_400.0;
                let order = if *later < Duration::ZERO { "before" } else { "after" };
                write!(
                    out,
                    "log and capture are not of the same time: the log begins {days:.1} days {order} \
                     the capture, and no two clocks that were set differ by more than {} hours; give \
                     recordings of the same time",
                    MOST.as_nanos() / 3_600_000_000_000
                )
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
