//! Describes the inputs without analysing them.

use airmile_read::{Capture, Stop};
use serde_json::{Value, json};

use crate::error::Error;
use crate::manifest::{Input, Listed, status};
use crate::shards::feed::Fate;
use crate::verbs::sources::sources;

/// The number of packets between two tests whether to stop.
const STRIDE: u64 = 1 << 16;

/// Reads every input once, until `stop` ends it, and reports format, link types, time span, counts
/// and problems.
///
/// # Errors
/// Fails when the inputs cannot be listed.
pub fn info(inputs: &[String], stop: &Stop) -> Result<Value, Error> {
    let mut list = Vec::new();
    for source in sources(inputs, stop)? {
        let fate = match Capture::open(&source) {
            _ if stop.go_on().is_break() => Fate::Unread,
            Ok(mut capture) => {
                let mut packets = 0_u64;
                while capture.next_packet().is_some() {
                    packets += 1;
                    if packets.is_multiple_of(STRIDE) && stop.go_on().is_break() {
                        break;
                    }
                }
                Fate::Read(Box::new(capture.report()))
            }
            Err(error) => Fate::Failed(error),
        };
        list.push(Input::new(source.to_string(), source.named, fate));
    }
    let status = status(&list);
    let Listed { inputs, unlisted } = Listed::new(list);
    Ok(json!({"status": status, "inputs": inputs, "unlisted_inputs": unlisted}))
}
