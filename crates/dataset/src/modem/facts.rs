//! Reads the captures a first time, to collect the downlink packets of each phone.

use std::ops::ControlFlow;

use airmile_radio::{CaptureCollector, PhoneCaptures};
use airmile_read::Source;
use airmile_track::Tracker;
use airmile_types::Vantage;

use crate::error::Error;
use crate::options::Options;
use crate::shards::feed::{Feed, is_pipe};
use crate::verbs::progress::Progress;

/// The number of packets between two calls of the progress function.
const STRIDE: u64 = 1 << 16;

/// Reads the captures once, before they are analysed together with the modem log.
///
/// # Errors
/// Fails for an option that is not understood, or a capture that cannot be read twice.
pub(crate) fn phones(
    sources: &[Source],
    options: &Options,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<PhoneCaptures, Error> {
    if let Some(pipe) = sources.iter().find(|source| is_pipe(source)) {
        return Err(Error::usage(format!("{pipe}: cannot be read twice, as a modem log needs"))
            .hint("write the capture to a file first, and give that"));
    }
    let config = options.track()?;
    let mut tracker = Tracker::new(config, CaptureCollector::default());
    let mut feed = Feed::open(sources.to_vec());
    let mut at = Progress { total_bytes: feed.total_bytes(), ..Progress::default() };
    let _ = feed.run(|packet, feed| {
        tracker.packet(packet);
        at.packets += 1;
        if !at.packets.is_multiple_of(STRIDE) {
            return ControlFlow::Continue(());
        }
        at.bytes = feed.bytes_read();
        progress(at)
    });
    let heard = options.vantage.or_else(|| tracker.votes().winner());
    Ok(tracker.finish().finish(heard.unwrap_or(Vantage::Monitor)))
}
