//! What a state holds on the heap, counted by the room that its lists have taken.
//!
//! It is asked between two epochs, never with a packet, and is the same on every machine.

use std::collections::VecDeque;

use crate::PerDirection;

/// What can say how much it holds beside itself.
pub trait Held {
    /// Bytes of the heap, without those of `Self`.
    fn held_bytes(&self) -> usize;
}

/// `held!(Type { field, .. })`: a struct holds what these fields hold; `held!(Type {})`: nothing.
#[macro_export]
macro_rules! held {
    ($($type:ty { $($field:tt),* $(,)? })*) => {
        $(impl $crate::Held for $type {
            fn held_bytes(&self) -> usize {
                0 $(+ $crate::Held::held_bytes(&self.$field))*
            }
        })*
    };
}

/// Entries that are copied hold nothing themselves.
impl<T: Copy> Held for Vec<T> {
    fn held_bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
}

impl<T: Copy> Held for VecDeque<T> {
    fn held_bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
}

impl<T: Copy, const N: usize> Held for [T; N] {
    fn held_bytes(&self) -> usize {
        0
    }
}

impl<T: Held> Held for Box<T> {
    fn held_bytes(&self) -> usize {
        size_of::<T>() + (**self).held_bytes()
    }
}

impl<T: Held> Held for Option<T> {
    fn held_bytes(&self) -> usize {
        self.as_ref().map_or(0, Held::held_bytes)
    }
}

impl<T: Held> Held for PerDirection<T> {
    fn held_bytes(&self) -> usize {
        self.uplink.held_bytes() + self.downlink.held_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Inner {
        list: Vec<u64>,
    }

    struct Outer {
        queue: VecDeque<u16>,
        rare: Option<Box<Inner>>,
        both: PerDirection<Option<Box<Inner>>>,
    }

    held! { Inner { list } Outer { queue, rare, both } }

    fn inner(entries: usize) -> Option<Box<Inner>> {
        Some(Box::new(Inner { list: Vec::with_capacity(entries) }))
    }

    #[test]
    fn it_is_the_room_of_lists_and_boxes_all_the_way_down() {
        let nothing = PerDirection { uplink: None, downlink: None };
        let mut outer = Outer { queue: VecDeque::new(), rare: None, both: nothing };
        assert_eq!(outer.held_bytes(), 0);
        outer.queue = VecDeque::with_capacity(50);
        outer.rare = inner(10);
        outer.both.downlink = inner(0);
        let lists = outer.queue.capacity() * 2 + 80;
        assert_eq!(outer.held_bytes(), lists + 2 * size_of::<Inner>());
    }
}
