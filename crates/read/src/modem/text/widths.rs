//! Widths of carriers that are told every millisecond, handed on now and then.

use std::collections::BTreeMap;

use airmile_types::{Duration, Instant};

use crate::modem::record::User;

/// How often a width is told anew: a cell of the same width is not told from the one before.
const TOLD_AGAIN: Duration = Duration::from_secs(1);
/// Subscriptions and carriers that are remembered: phones have few, a log that lies any number.
const MOST_CARRIERS: usize = 64;

/// What was told last.
#[derive(Default)]
pub(crate) struct Widths(BTreeMap<(User, u8), (u16, Instant)>);

impl Widths {
    /// Whether the width of a carrier was not told just now.
    pub(crate) fn is_news(&mut self, user: User, carrier: u8, prbs: u16, time: Instant) -> bool {
        if self.0.len() >= MOST_CARRIERS {
            self.0.clear();
        }
        let told = self.0.get(&(user, carrier));
        let news =
            told.is_none_or(|(width, at)| *width != prbs || (time - *at).abs() >= TOLD_AGAIN);
        if news {
            self.0.insert((user, carrier), (prbs, time));
        }
        news
    }
}
