//! Finds offset and drift from the offsets that satisfy the bounds, or the reason why there is no
//! result.

use airmile_types::{Duration, Instant, Vantage};

use super::answer::{ClockFit, NotAligned};
use super::bounds::{Bounds, Part};
use super::byte_curves::ByteCurves;
use super::candidates::{SHORTEST, TICK, answer, holds};
use super::line::Lines;
use super::pauses::{self, Fine};
use super::rates;
use super::search::Range;
use super::served::{ServedLog, Volume};
use crate::queue::PhoneCapture;
use crate::tti::Ms;

/// The share of the bytes of log or capture that must lie in the common time (our choice). If a
/// link is full, the beginning of one and the end of the other fit at many offsets.
const COMMON: f64 = 0.8;
/// The length of the parts of the log. The byte counts start at 0 in each part, and the drift
/// within a part is below a subframe.
const PART: i64 = Duration::from_secs(10).as_nanos();
/// How long a block takes to reach the phone's network stack: decoding (TS 36.213 section 7.3), and
/// three HARQ rounds of 8 ms after it.
const DECODING: i64 = pauses::DECODING.as_nanos();
const DELIVERY: i64 = Duration::from_millis(28).as_nanos();
/// If the range of offsets is wider than this, the byte rates select a part of it (our choice).
const TOO_WIDE: i64 = Duration::from_secs(1).as_nanos();

/// Finds offset and drift of the modem's clock from the blocks that the modem was served and the
/// packets that passed the capture point.
///
/// # Errors
/// The reason why no common clock was found.
pub fn align(log: ServedLog<'_>, capture: &PhoneCapture) -> Result<ClockFit, NotAligned> {
    let bounds = bounds(log, capture).ok_or(NotAligned::TooShort)?;
    match answer(&bounds) {
        Ok(lines) => Ok(fit(log, capture, &bounds, &lines)),
        Err(NotAligned::Violated) => {
            without_bounds(log, capture, &bounds).ok_or(NotAligned::Violated)
        }
        Err(why) => Err(why),
    }
}

fn bounds(log: ServedLog<'_>, capture: &PhoneCapture) -> Option<Bounds> {
    let downlink = ByteCurves::downlink(log.downlink, capture);
    let uplink = ByteCurves::uplink(log.uplink, capture);
    let directions: Vec<ByteCurves> = downlink.into_iter().chain(uplink).collect();
    let captured = span(capture.passed.iter().chain(&capture.sent).map(|packet| packet.time))?;
    let parts = parts(log);
    let (from, to) = (parts.first()?.from, parts.last()?.to);
    let long = !directions.is_empty()
        && to.saturating_sub(from) >= SHORTEST
        && captured.1.saturating_sub(captured.0) >= SHORTEST;
    let middle = from.midpoint(to);
    long.then_some(Bounds { directions, parts, captured, middle, common: COMMON })
}

fn span(times: impl Iterator<Item = Instant>) -> Option<(i64, i64)> {
    let times = times.map(Instant::as_nanos);
    times.fold(None, |span, at| {
        let (from, to) = span.unwrap_or((at, at));
        Some((from.min(at), to.max(at)))
    })
}

/// The log in parts of some seconds, without its gaps.
fn parts(log: ServedLog<'_>) -> Vec<Part> {
    let mut all: Vec<&Ms> = log.downlink.iter().chain(log.uplink).collect();
    all.sort_unstable_by_key(|ms| ms.time);
    let mut parts: Vec<Part> = Vec::new();
    for ms in all {
        let at = ms.time.as_nanos();
        match parts.last_mut() {
            Some(last) if !ms.after_gap && at.saturating_sub(last.from) < PART => last.to = at,
            Some(last) if !ms.after_gap => {
                last.to = at.saturating_sub(1);
                parts.push(Part { from: at, to: at });
            }
            _ => parts.push(Part { from: at, to: at }),
        }
    }
    parts
}

/// The direction whose bytes show more about time: its blocks, its packets, and whether a byte is
/// served before it passes the capture point.
fn sides(log: ServedLog<'_>, capture: &PhoneCapture) -> (Vec<Volume>, Vec<Volume>, bool) {
    let behind = capture.vantage == Vantage::Ue;
    let downlink = !log.downlink.is_empty() && !capture.passed.is_empty();
    let (blocks, packets) =
        if downlink { (log.downlink, &capture.passed) } else { (log.uplink, &capture.sent) };
    let bytes = |ms: &Ms| Some(ms.bytes?.saturating_sub(ms.padding_bytes.unwrap_or(0)));
    let served = blocks.iter().filter_map(|ms| Some((ms.time, bytes(ms)?)));
    // A packet that was lost after the capture point was never served.
    let passed = packets.iter().filter(|packet| !packet.lost);
    let passed = passed.map(|packet| (packet.time, u64::from(packet.ip_bytes)));
    (served.collect(), passed.collect(), behind == downlink)
}

fn fit(log: ServedLog<'_>, capture: &PhoneCapture, bounds: &Bounds, lines: &Lines) -> ClockFit {
    let (from, to) = lines.range();
    let (served, passed, modem_first) = sides(log, capture);
    let within = near_rates(&served, &passed, (from, to));
    let fine = pauses::refine(&served, &passed, modem_first, within);
    let (offset, slope) = point(bounds, lines, fine.as_ref(), modem_first);
    let uncertainty = lines.farthest(offset, slope).saturating_add(TICK);
    // A drift that the bounds require is reported like one from the pairs, because the offset is
    // less exact without it.
    let is_known = slope != 0.0 || fine.is_some_and(|fine| fine.drift_ppm.is_some());
    let fit = ClockFit {
        offset: Duration::from_nanos(offset),
        at: Instant::from_nanos(bounds.middle),
        drift_ppm: is_known.then_some(slope * 1e6),
        uncertainty: Duration::from_nanos(uncertainty),
        is_met: fine.is_some(),
        explained_ratio: None,
        overlap: (Instant::MIN, Instant::MAX),
        likeness: 0.0,
    };
    explained(fit, bounds)
}

/// The part of a wide range in which the byte rates of log and capture are most alike.
fn near_rates(served: &[Volume], passed: &[Volume], (from, to): Range) -> Range {
    if to.saturating_sub(from) < TOO_WIDE {
        return (from, to);
    }
    match rates::coarse(served, passed) {
        Some(coarse) if holds((from, to), coarse.offset.as_nanos()) => {
            let (at, bin) = (coarse.offset.as_nanos(), coarse.bin.as_nanos());
            (at.saturating_sub(2 * bin).max(from), at.saturating_add(2 * bin).min(to))
        }
        _ => (from, to),
    }
}

/// The line nearest to the pairs. Without pairs it is the line in the middle, or the line of equal
/// clocks. If blocks come before their packets, the pairs only show that the clocks may be equal.
fn point(bounds: &Bounds, lines: &Lines, fine: Option<&Fine>, modem_first: bool) -> (i64, f64) {
    let (from, to) = lines.range();
    let equal = holds((from, to), 0);
    let Some(fine) = fine else {
        return lines.nearest(if equal { 0 } else { from.midpoint(to) }, 0.0);
    };
    if equal
        && modem_first
        && (0..=DELIVERY).contains(&fine.offset.as_nanos().saturating_add(DECODING))
    {
        return lines.nearest(0, 0.0);
    }
    let slope = fine.drift_ppm.unwrap_or(0.0) * 1e-6;
    let away = bounds.middle.saturating_sub(fine.at.as_nanos());
    let offset = fine.offset.as_nanos().saturating_add((away as f64 * slope) as i64);
    lines.nearest(offset, slope)
}

/// Adds the share of the radio's bytes that is in the log, and the likeness of log and capture.
fn explained(fit: ClockFit, bounds: &Bounds) -> ClockFit {
    let (first, last) = bounds.log();
    let on_capture = |at: i64| fit.to_capture(Instant::from_nanos(at)).as_nanos();
    let (from, to) =
        (on_capture(first).max(bounds.captured.0), on_capture(last).min(bounds.captured.1));
    let overlap = (Instant::from_nanos(from), Instant::from_nanos(to.max(from)));
    // The direction with more bytes is taken.
    let Some(curves) = bounds.directions.iter().max_by_key(|curves| curves.came.total()) else {
        return fit;
    };
    let (mut served, mut carried, mut came) = (0.0, 0.0, 0.0);
    for part in bounds.whole_parts() {
        let (begin, end) = (on_capture(part.from).max(from), on_capture(part.to).min(to));
        let back = |at: i64, edge: i64| edge.saturating_sub(on_capture(edge).saturating_sub(at));
        if begin < end {
            served += curves.most.within(back(begin, part.from), back(end, part.to)) as f64;
            carried += curves.carried(begin, end) as f64;
            came += curves.came.within(begin, end) as f64;
        }
    }
    ClockFit {
        // Bytes that are served but not yet known to have crossed the radio explain nothing.
        explained_ratio: (carried > 0.0).then(|| (served / carried).min(1.0)),
        overlap,
        likeness: if served.max(came) > 0.0 { served.min(came) / served.max(came) } else { 0.0 },
        ..fit
    }
}

/// The result of the byte rates alone. If records are missing, or another radio carries a part of
/// the bytes, no offset satisfies both bounds. The rates then give an offset, provided that no byte
/// is served before it arrived at that offset.
fn without_bounds(log: ServedLog<'_>, capture: &PhoneCapture, bounds: &Bounds) -> Option<ClockFit> {
    let (served, passed, modem_first) = sides(log, capture);
    let coarse = rates::coarse(&served, &passed)?;
    let (at, bin) = (coarse.offset.as_nanos(), coarse.bin.as_nanos());
    let fine = pauses::refine(
        &served,
        &passed,
        modem_first,
        (at.saturating_sub(bin), at.saturating_add(bin)),
    );
    let fit = ClockFit {
        offset: fine.map_or(coarse.offset, |fine| fine.offset),
        at: fine.map_or(Instant::from_nanos(bounds.middle), |fine| fine.at),
        drift_ppm: fine.and_then(|fine| fine.drift_ppm),
        uncertainty: fine.map_or(coarse.bin.times(2), |fine| fine.uncertainty),
        is_met: fine.is_some(),
        explained_ratio: None,
        overlap: (Instant::MIN, Instant::MAX),
        likeness: 0.0,
    };
    let fit = explained(fit, bounds);
    let reach = fine.map_or(bin.saturating_mul(2), |fine| fine.uncertainty.as_nanos());
    let on_capture = fit.to_capture(Instant::from_nanos(bounds.middle)).as_nanos();
    let middle = on_capture.saturating_sub(bounds.middle);
    let (early, late) = (middle.saturating_sub(reach), middle.saturating_add(reach));
    let is_possible = bounds.domain().is_ok_and(|domain| holds(domain, middle));
    let causal =
        is_possible && bounds.comes_first(early, late) && bounds.logged(early, late) >= COMMON;
    let is_whole = fit.explained_ratio.is_some_and(|ratio| ratio >= WHOLE);
    (causal && !is_whole).then_some(fit)
}

/// If the log has more than this share of the bytes, too few are missing for the bounds to fail
/// because of them.
const WHOLE: f64 = 0.98;
