//! Combines a modem log with a capture: aligns their clocks, and finds when the queue of a phone
//! was not empty.

mod phone;

use std::borrow::Cow;
use std::collections::BTreeMap;

use airmile_types::{Address, Instant, PerDirection};

use crate::clock::{ClockFit, NotAligned, ServedLog, align};
use crate::handovers::handovers;
use crate::log::{BurstRow, RadioLog, UserLog};
use crate::queue::{
    PhoneCapture, QueueLog, QueueRun, QueueState, QueueTimeline, estimate, uplink_queue,
};
use crate::spans::{CumulativeBytes, TimeSpans};

pub use phone::{PhoneDemand, PhoneRadio, PhoneRadios};

/// What a capture shows about each phone, by the phone's address.
pub type PhoneCaptures = BTreeMap<Address, PhoneCapture>;

/// The results for one user of the modem log.
pub struct Joined {
    /// The user's phone in the capture, and how the modem's clock relates to the capture's.
    pub phone: Option<(Address, ClockFit)>,
    /// Why no phone was found, if a capture was given.
    pub not_aligned: Option<String>,
    /// The states of the queue over time, on the clock that the output tables use.
    pub timeline: Option<QueueTimeline>,
    /// The time spans in which the queue was not empty, as rows of the table `bursts`.
    pub bursts: Vec<BurstRow>,
    /// Why the states of the queue are not known.
    pub undetermined: Option<String>,
}

/// Finds, for each user, the phone of the capture that received and sent the user's bytes.
pub fn join(users: &[UserLog], phones: Option<&PhoneCaptures>) -> Vec<Joined> {
    users.iter().map(|user| joined(user, phones)).collect()
}

fn joined(user: &UserLog, phones: Option<&PhoneCaptures>) -> Joined {
    let (phone, not_aligned) = match phones.map(|phones| best(user, phones)) {
        None => (None, None),
        Some(Ok(found)) => (Some(found), None),
        Some(Err(reason)) => (None, Some(reason)),
    };
    let to_capture = |time: Instant| match &phone {
        Some((_, _, fit)) => fit.to_capture(time),
        None => time,
    };
    let mut downlink = Cow::Borrowed(user.milliseconds.as_slice());
    if phone.is_some() {
        downlink.to_mut().iter_mut().for_each(|ms| ms.time = to_capture(ms.time));
    }
    let uplink: Vec<Instant> = user.uplink.iter().map(|ms| to_capture(ms.time)).collect();
    let queue_log = QueueLog { downlink: &downlink, uplink: &uplink };
    let sharp = phone.as_ref().filter(|found| found.2.is_sharp());
    let (timeline, undetermined) = match estimate(&queue_log, sharp.map(|found| found.1)) {
        Ok(timeline) => (Some(timeline), phone.as_ref().and_then(|found| blurred(&found.2))),
        Err(reason) => (None, Some(reason.to_string())),
    };
    let bursts = timeline.as_ref().map(|timeline| timeline.bursts(&queue_log, user.user));
    let phone = phone.map(|(address, _, fit)| (address, fit));
    Joined { phone, not_aligned, bursts: bursts.unwrap_or_default(), timeline, undetermined }
}

/// Why the capture is not used although an offset is known.
fn blurred(fit: &ClockFit) -> Option<String> {
    (!fit.is_sharp()).then(|| {
        let seconds = fit.uncertainty.as_secs_f64();
        format!("the modem's clock is known to {seconds:.1} s only: it is unknown what waits when")
    })
}

type Found<'a> = (Address, &'a PhoneCapture, ClockFit);

/// The phone that fits best, or the reason why none fits.
fn best<'a>(user: &UserLog, phones: &'a PhoneCaptures) -> Result<Found<'a>, String> {
    let log = ServedLog { downlink: &user.milliseconds, uplink: &user.uplink };
    let mut reason = NotAligned::TooShort;
    let mut found: Option<Found<'_>> = None;
    for (address, capture) in phones {
        match align(log, capture) {
            Ok(fit) if found.as_ref().is_none_or(|best| best.2.likeness < fit.likeness) => {
                found = Some((*address, capture, fit));
            }
            Ok(_) => {}
            // That a phone sent hardly anything is a less useful reason than that another phone
            // does not fit.
            Err(NotAligned::TooShort) => {}
            Err(why) => reason = why,
        }
    }
    found.ok_or_else(|| reason.to_string())
}

impl Joined {
    /// Converts a time of the modem's clock to the clock that the output tables use.
    pub fn time(&self, time: Instant) -> Instant {
        self.phone.as_ref().map_or(time, |(_, fit)| fit.to_capture(time))
    }
}

/// The data that the verdict uses about each phone whose clock was aligned.
pub fn phone_radios(
    users: &[UserLog],
    all: &[Joined],
    log: &RadioLog,
    phones: &PhoneCaptures,
) -> PhoneRadios {
    let mut radios = PhoneRadios::default();
    for (user, joined) in users.iter().zip(all) {
        if let Some((address, fit)) = &joined.phone
            && fit.is_sharp()
            && fits_best(all, address, fit)
            && let Some(capture) = phones.get(address)
        {
            radios.insert(*address, phone(user, joined, log, capture));
        }
    }
    radios
}

/// Whether this user resembles the phone most. Several users in a sniffer's log may resemble one
/// phone, and only the best one counts.
fn fits_best(all: &[Joined], phone: &Address, fit: &ClockFit) -> bool {
    let mut rivals = all.iter().filter_map(|joined| joined.phone.as_ref());
    rivals.all(|(address, rival)| address != phone || rival.likeness <= fit.likeness)
}

/// The spans from each handover command to its completion, in which no data passes (TS 36.331
/// section 5.3.5.4).
fn handover_spans(user: &UserLog, joined: &Joined, log: &RadioLog) -> TimeSpans {
    let rows = handovers(&log.rrc, &log.cells).into_iter();
    let executed = rows.filter(|row| {
        row.user == i64::from(user.user.0) && row.kind == "handover" && row.source == "rrc"
    });
    let spans = executed
        .filter_map(|row| Some((joined.time(row.start_ns), joined.time(row.end_ns?))))
        .collect();
    TimeSpans::union(spans)
}

fn phone(user: &UserLog, joined: &Joined, log: &RadioLog, capture: &PhoneCapture) -> PhoneRadio {
    let spans = |of: fn(&QueueRun) -> bool| {
        let spans = joined.timeline.as_ref().map(|timeline| timeline.spans(of));
        TimeSpans::union(spans.unwrap_or_default())
    };
    let uplink = uplink_queue(user.user, &log.ttis);
    let shifted = |spans: &TimeSpans| spans.mapped(|time| joined.time(time));
    let backlogged = spans(|run| run.state == QueueState::Backlogged);
    let bursts = user.bursts.iter().map(|burst| (joined.time(burst.start), joined.time(burst.end)));
    let volume = capture.passed.iter().map(|packet| (packet.time, u64::from(packet.new_bytes)));
    PhoneRadio {
        backlogged: PerDirection { downlink: backlogged, uplink: shifted(&uplink.backlogged) },
        known: PerDirection {
            downlink: spans(|run| run.state != QueueState::Unknown),
            uplink: shifted(&uplink.known),
        },
        surely: spans(|run| run.surely),
        perhaps: spans(|run| run.perhaps),
        bursts: TimeSpans::union(bursts.collect()),
        handovers: handover_spans(user, joined, log),
        volume: CumulativeBytes::of(volume.collect()),
    }
}
