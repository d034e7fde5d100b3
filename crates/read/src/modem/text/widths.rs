//! Reduces the bandwidths of carriers, which logs repeat every millisecond, to one record a second.

use std::collections::BTreeMap;

use airmile_types::{Duration, Instant};

use crate::modem::record::User;

/// After this time a bandwidth is recorded again, because a new cell may have the same one.
const REPEAT_AFTER: Duration = Duration::from_secs(1);
/// The greatest number of carriers that are remembered. Phones have few, but a damaged log could
/// contain any number.
const MOST_CARRIERS: usize = 64;

/// The last bandwidth of each carrier, and the time at which it was recorded.
#[derive(Default)]
pub(crate) struct Widths(BTreeMap<(User, u8), (u16, Instant)>);

impl Widths {
    /// Whether the bandwidth of a carrier is new, or was not recorded for a while.
    pub(crate) fn is_news(&mut self, user: User, carrier: u8, prbs: u16, time: Instant) -> bool {
        if self.0.len() >= MOST_CARRIERS {
            self.0.clear();
        }
        let last = self.0.get(&(user, carrier));
        let news =
            last.is_none_or(|(width, at)| *width != prbs || (time - *at).abs() >= REPEAT_AFTER);
        if news {
            self.0.insert((user, carrier), (prbs, time));
        }
        news
    }
}
