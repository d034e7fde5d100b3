//! Computes how many bytes of the heap a state uses, from the capacity of its lists.
//!
//! The engine computes the number between two batches of packets, never for a single packet. It is
//! the same on every machine.

use std::collections::VecDeque;

use crate::flow::PerDirection;

/// A type that can say how many bytes it uses on the heap.
pub trait Held {
    /// The bytes on the heap; the size of `Self` is not included.
    fn held_bytes(&self) -> usize;

    /// Frees the capacity of lists that have shrunk since they grew.
    fn give_back(&mut self) {}
}

/// A list frees capacity when it uses less than one part in this number. Half of the capacity that
/// it keeps is then free, so that the next entry does not make it grow again.
const USED_OF_ROOM: usize = 4;

/// `held!(Type { field, .. })` implements [`Held`] for a struct as the sum over these fields;
/// `held!(Type {})` declares that the struct uses nothing on the heap.
#[macro_export]
macro_rules! held {
    ($($type:ty { $($field:tt),* $(,)? })*) => {
        $(impl $crate::Held for $type {
            fn held_bytes(&self) -> usize {
                0 $(+ $crate::Held::held_bytes(&self.$field))*
            }

            fn give_back(&mut self) {
                $($crate::Held::give_back(&mut self.$field);)*
            }
        })*
    };
}

/// Entries that are `Copy` use nothing on the heap themselves.
impl<T: Copy> Held for Vec<T> {
    fn held_bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }

    fn give_back(&mut self) {
        if self.len() < self.capacity() / USED_OF_ROOM {
            self.shrink_to(2 * self.len());
        }
    }
}

impl<T: Copy> Held for VecDeque<T> {
    fn held_bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }

    fn give_back(&mut self) {
        if self.len() < self.capacity() / USED_OF_ROOM {
            self.shrink_to(2 * self.len());
        }
    }
}

impl<T: Copy, const N: usize> Held for [T; N] {
    fn held_bytes(&self) -> usize {
        0
    }
}

impl Held for Box<str> {
    fn held_bytes(&self) -> usize {
        self.len()
    }
}

impl<T: Held> Held for Box<T> {
    fn held_bytes(&self) -> usize {
        size_of::<T>() + (**self).held_bytes()
    }

    fn give_back(&mut self) {
        (**self).give_back();
    }
}

impl<T: Held> Held for Option<T> {
    fn held_bytes(&self) -> usize {
        self.as_ref().map_or(0, Held::held_bytes)
    }

    fn give_back(&mut self) {
        if let Some(held) = self {
            held.give_back();
        }
    }
}

impl<T: Held> Held for PerDirection<T> {
    fn held_bytes(&self) -> usize {
        self.uplink.held_bytes() + self.downlink.held_bytes()
    }

    fn give_back(&mut self) {
        self.uplink.give_back();
        self.downlink.give_back();
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

    #[test]
    fn emptied_lists_give_back_their_room_and_nothing_else() {
        let mut list: Vec<u64> = (0..100).collect();
        let full = list.held_bytes();
        list.truncate(full / size_of::<u64>() / 4 + 1);
        list.give_back();
        assert_eq!(list.held_bytes(), full, "a quarter is in use");
        list.truncate(5);
        list.give_back();
        assert_eq!((list.as_slice(), list.capacity()), (&[0, 1, 2, 3, 4][..], 10));
        let mut queue = VecDeque::from([7_u16, 8, 9]);
        queue.reserve(100);
        queue.pop_front();
        let mut outer =
            Outer { queue, rare: None, both: PerDirection { uplink: inner(50), downlink: None } };
        outer.give_back();
        assert!(outer.queue == [8, 9] && outer.queue.capacity() < 10);
        assert_eq!(outer.both.uplink.held_bytes(), size_of::<Inner>());
    }
}
