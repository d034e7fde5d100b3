#![doc = include_str!("modem_clock.md")]

mod causality;
mod pauses;
mod rates;

use airmile_types::{Duration, Instant, Vantage};

/// Bytes at a time: of blocks by the modem's clock, or of packets by the capture's.
pub type Volume = (Instant, u64);

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
    /// How far off the offset may be.
    pub uncertainty: Duration,
    /// Bytes of the log over those of the capture, in the common time.
    pub explained_ratio: f64,
    /// Common time, by the capture's clock.
    pub overlap: (Instant, Instant),
    /// Correlation of the byte rates, or where these tell nothing the share of pauses that meet:
    /// among several phones the right one's is the largest.
    pub correlation: f64,
}

impl ClockFit {
    /// A time of the modem's clock on the capture's.
    pub fn to_capture(&self, modem: Instant) -> Instant {
        let elapsed = modem - self.at;
        let drift = elapsed.as_nanos() as f64 * self.drift_ppm.unwrap_or(0.0) * 1e-6;
        modem + self.offset + Duration::from_nanos(drift as i64)
    }
}

/// Why no common clock was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NotAligned {
    /// One side has no bytes, or less than two seconds of them.
    TooShort,
    /// Where the byte rates fit best they hardly do: this correlation.
    Unlike(f64),
    /// The byte rates fit about as well elsewhere: the best correlation, and the other one.
    Ambiguous(f64, f64),
}

impl std::fmt::Display for NotAligned {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooShort => {
                out.write_str("the modem log or the capture holds less than two seconds of traffic")
            }
            Self::Unlike(best) => write!(
                out,
                "the log's byte rate is nowhere like the capture's (correlation {best:.2}): not the same phone or time"
            ),
            Self::Ambiguous(best, other) => write!(
                out,
                "the log's byte rate fits the capture's at several offsets (correlation {best:.2} and {other:.2})"
            ),
        }
    }
}

impl std::error::Error for NotAligned {}

/// Finds offset and drift of the modem's clock from what it served and what passed the tap, each in
/// order of time.
///
/// # Errors
/// Says why no offset stands out.
pub fn align(
    served: &[Volume],
    passed: &[Volume],
    vantage: Vantage,
) -> Result<ClockFit, NotAligned> {
    let coarse = rates::coarse(served, passed)
        .or_else(|why| pauses::coarse(served, passed).ok_or(why))
        .or_else(|why| causality::coarse(served, passed, vantage).ok_or(why))?;
    let coarse = causality::settle(served, passed, vantage, &coarse);
    let fine = pauses::refine(served, passed, vantage, &coarse);
    let (Some(first), Some(last)) = (served.first(), served.last()) else {
        return Err(NotAligned::TooShort);
    };
    let mut fit = ClockFit {
        offset: fine.offset,
        at: fine.at,
        drift_ppm: fine.drift_ppm,
        uncertainty: fine.uncertainty,
        explained_ratio: 0.0,
        overlap: (Instant::MIN, Instant::MAX),
        correlation: coarse.correlation,
    };
    let ends = (passed.first().map_or(first.0, |p| p.0), passed.last().map_or(last.0, |p| p.0));
    let from = fit.to_capture(first.0).max(ends.0);
    let to = fit.to_capture(last.0).min(ends.1);
    fit.overlap = (from, to.max(from));
    fit.explained_ratio = explained(served, passed, &fit);
    Ok(fit)
}

fn explained(served: &[Volume], passed: &[Volume], fit: &ClockFit) -> f64 {
    let within = |time: Instant| (fit.overlap.0..=fit.overlap.1).contains(&time);
    let sum = |(_, bytes): &Volume| *bytes as f64;
    let radio: f64 = served.iter().filter(|(at, _)| within(fit.to_capture(*at))).map(sum).sum();
    let tap: f64 = passed.iter().filter(|(at, _)| within(*at)).map(sum).sum();
    if tap > 0.0 { radio / tap } else { 0.0 }
}

#[cfg(test)]
mod tests;
