//! From the offsets that satisfy the bounds to the answer, or to the reason why there is none.

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

/// The share of the bytes of log or capture that must lie in the common time. The beginning of one
/// and the end of the other fit at many offsets where a link is full. Our choice.
const COMMON: f64 = 0.8;
/// Within each part of the log the byte counts start anew, so that the drift within it is below a
/// subframe.
const PART: i64 = Duration::from_secs(10).as_nanos();
/// How long a block takes to the phone's stack: decoding (TS 36.213 section 7.3), and three HARQ
/// rounds of 8 ms after it.
const DECODING: i64 = pauses::DECODING.as_nanos();
const DELIVERY: i64 = Duration::from_millis(28).as_nanos();
/// In a range of offsets wider than this the byte rates select a part; our choice.
const TOO_WIDE: i64 = Duration::from_secs(1).as_nanos();

/// Finds offset and drift of the modem's clock from what the modem was served and what passed the
/// capture point.
///
/// # Errors
/// The reason why there is no answer.
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

/// The log without its gaps, in parts of some seconds.
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

/// The direction whose bytes show more about time: what was served of it, what passed of it, and
/// whether a byte is served before it passes.
fn sides(log: ServedLog<'_>, capture: &PhoneCapture) -> (Vec<Volume>, Vec<Volume>, bool) {
    let behind = capture.vantage == Vantage::Ue;
    let downlink = !log.downlink.is_empty() && !capture.passed.is_empty();
    let (blocks, packets) =
        if downlink { (log.downlink, &capture.passed) } else { (log.uplink, &capture.sent) };
    let bytes = |ms: &Ms| Some(ms.bytes?.saturating_sub(ms.padding_bytes.unwrap_or(0)));
    let served = blocks.iter().filter_map(|ms| Some((ms.time, bytes(ms)?)));
    // What was lost after the capture point was never served.
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
    // A slope that the bounds force is reported like one of the pairs, because without it the
    // offset is less exact.
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

/// The part of a wide range in which the byte rates are most alike.
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

/// The line that is nearest to the pairs. Without pairs it is the middle line, or that of equal
/// clocks. Blocks that come before their packets only show that the clocks may be equal.
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

/// Adds which share of the radio's bytes is in the log, and how alike log and capture are.
fn explained(fit: ClockFit, bounds: &Bounds) -> ClockFit {
    let (first, last) = bounds.log();
    let on_capture = |at: i64| fit.to_capture(Instant::from_nanos(at)).as_nanos();
    let (from, to) =
        (on_capture(first).max(bounds.captured.0), on_capture(last).min(bounds.captured.1));
    let overlap = (Instant::from_nanos(from), Instant::from_nanos(to.max(from)));
    // The direction with more bytes.
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
        // What is served and is not yet known to have crossed the radio adds no explanation.
        explained_ratio: (carried > 0.0).then(|| (served / carried).min(1.0)),
        overlap,
        likeness: if served.max(came) > 0.0 { served.min(came) / served.max(came) } else { 0.0 },
        ..fit
    }
}

/// The fit by the byte rates alone. Where records are missing, or another radio carries a part of
/// the bytes, no offset satisfies both bounds. The rates then give an offset, provided that nothing
/// is served before it arrived.
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
    let causal = bounds.comes_first(early, late) && bounds.logged(early, late) >= COMMON;
    let is_whole = fit.explained_ratio.is_some_and(|ratio| ratio >= WHOLE);
    (causal && !is_whole).then_some(fit)
}

/// A log with more than this share of the bytes lacks too few for the bounds to fail.
const WHOLE: f64 = 0.98;
