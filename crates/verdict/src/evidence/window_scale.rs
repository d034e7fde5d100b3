//! Keeps when the receiver's window may have been full while its scale was unknown (methods C6).
//! What the flow shows later decides it.

use airmile_track::FlowFacts;
use airmile_types::{Direction, Held, Instant};

use super::bits::Mask;
use super::timeline::Timeline;

/// What is known of a window's scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Both SYNs showed the scale.
    Agreed(u8),
    /// Other handshakes of the host (`guessed`) or the packets show the scale, and later packets may
    /// refute it.
    Known { scale: u8, guessed: bool },
    /// The scale is this or a greater one; `None` if the packets contradict every scale.
    AtLeast(Option<u8>),
}

impl Scale {
    /// The scale of the windows that the sender of `direction` announces.
    #[inline]
    pub(crate) fn of(flow: &FlowFacts, direction: Direction) -> Self {
        match flow.window_shift(direction) {
            Some(shift) if flow.agreed_on_scales() => Self::Agreed(shift),
            Some(scale) => Self::Known { scale, guessed: flow.is_scale_guessed(direction) },
            None => Self::AtLeast(flow.least_window_shift(direction)),
        }
    }
}

/// The times at which the window would have been full at the scale that seemed known, or at the
/// least that was possible then, by that scale. A greater scale makes the window at least twice as
/// large, so that it was not full.
#[derive(Clone, Debug, Default)]
pub(super) struct Doubts(Vec<(Option<u8>, Timeline)>);

impl Doubts {
    /// Marks a span in which the window would be full at this scale.
    pub(super) fn mark(&mut self, least: Option<u8>, from: Instant, to: Instant) {
        let index = self.0.iter().position(|(scale, _)| *scale == least).unwrap_or_else(|| {
            self.0.push((least, Timeline::default()));
            self.0.len() - 1
        });
        if let Some((_, timeline)) = self.0.get_mut(index) {
            timeline.mark(from, to);
        }
    }

    /// The milliseconds of a bin in which the window was full, if that is its scale.
    pub(super) fn full_at(&self, bin: i64, scale: Scale) -> Mask {
        let (Scale::Agreed(known) | Scale::Known { scale: known, .. }) = scale else { return 0 };
        self.union(bin, |least| least == Some(known))
    }

    /// The milliseconds of a bin of which nothing shows whether the window was full.
    pub(super) fn open_at(&self, bin: i64, scale: Scale) -> Mask {
        match scale {
            Scale::Agreed(_) | Scale::Known { .. } => self.union(bin, |least| least.is_none()),
            Scale::AtLeast(now) => {
                self.union(bin, |least| now.is_none() || least.is_none_or(|l| now <= Some(l)))
            }
        }
    }

    fn union(&self, bin: i64, holds: impl Fn(Option<u8>) -> bool) -> Mask {
        let held = self.0.iter().filter(|(least, _)| holds(*least));
        held.fold(0, |mask, (_, timeline)| mask | timeline.at(bin))
    }
}

impl Held for Doubts {
    fn held_bytes(&self) -> usize {
        let timelines: usize = self.0.iter().map(|(_, timeline)| timeline.held_bytes()).sum();
        self.0.capacity() * size_of::<(Option<u8>, Timeline)>() + timelines
    }

    fn give_back(&mut self) {
        self.0.iter_mut().for_each(|(_, timeline)| timeline.give_back());
    }
}
