//! Keeps when the receiver's window may have been full while its scale was unknown (methods C6).
//! What the flow shows later decides it.

use airmile_track::FlowFacts;
use airmile_types::{Direction, Held, Instant};

use super::bits::Mask;
use super::timeline::Timeline;
use super::window_seen::FullTime;

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
    /// The scale, if SYNs or packets show it.
    const fn known(self) -> Option<u8> {
        match self {
            Self::Agreed(scale) | Self::Known { scale, .. } => Some(scale),
            Self::AtLeast(_) => None,
        }
    }

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
pub(super) struct Doubts(Vec<AtScale>);

/// The times at which the window would have been full at one scale. `scale` is `None` if the packets
/// contradicted every scale.
#[derive(Clone, Debug, Default)]
struct AtScale {
    scale: Option<u8>,
    timeline: Timeline,
    time: FullTime,
}

impl Doubts {
    /// Marks `[from, to)` of a span, begun at `since`, in which the window would be full at this
    /// scale.
    pub(super) fn mark(
        &mut self,
        scale: Option<u8>,
        since: Instant,
        (from, to): (Instant, Instant),
    ) {
        let index = self.0.iter().position(|held| held.scale == scale).unwrap_or_else(|| {
            self.0.push(AtScale { scale, ..AtScale::default() });
            self.0.len() - 1
        });
        if let Some(held) = self.0.get_mut(index) {
            held.timeline.mark(from, to);
            held.time.add(since, (from, to));
        }
    }

    /// How long the window was full, if that is its scale; `None` if nothing shows whether it was.
    pub(super) fn full_time(&self, scale: Scale) -> Option<FullTime> {
        if self.0.iter().any(|held| held.is_open(scale)) {
            return None;
        }
        let known = scale.known();
        let full = self.0.iter().find(|held| known.is_some() && held.scale == known);
        Some(full.map(|held| held.time).unwrap_or_default())
    }

    /// The milliseconds of a bin in which the window was full, if that is its scale.
    pub(super) fn full_at(&self, bin: i64, scale: Scale) -> Mask {
        let Some(known) = scale.known() else { return 0 };
        self.union(bin, |held| held.scale == Some(known))
    }

    /// The milliseconds of a bin of which nothing shows whether the window was full.
    pub(super) fn open_at(&self, bin: i64, scale: Scale) -> Mask {
        self.union(bin, |held| held.is_open(scale))
    }

    fn union(&self, bin: i64, holds: impl Fn(&AtScale) -> bool) -> Mask {
        let held = self.0.iter().filter(|held| holds(held));
        held.fold(0, |mask, held| mask | held.timeline.at(bin))
    }
}

impl AtScale {
    /// Whether nothing shows that the window was full at these times, or that it was not, if that is
    /// what is known of its scale.
    fn is_open(&self, scale: Scale) -> bool {
        match scale {
            Scale::Agreed(_) | Scale::Known { .. } => self.scale.is_none(),
            Scale::AtLeast(now) => {
                now.is_none() || self.scale.is_none_or(|least| now <= Some(least))
            }
        }
    }
}

impl Held for Doubts {
    fn held_bytes(&self) -> usize {
        let timelines: usize = self.0.iter().map(|held| held.timeline.held_bytes()).sum();
        self.0.capacity() * size_of::<AtScale>() + timelines
    }

    fn give_back(&mut self) {
        self.0.iter_mut().for_each(|held| held.timeline.give_back());
    }
}
