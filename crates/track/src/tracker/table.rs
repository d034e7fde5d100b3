//! Provides a table with a hash index whose slots are reused, so that memory is bounded by the
//! number of live values.

use hashbrown::HashTable;

/// Values by key. The slot number of a value does not change while the value lives.
#[derive(Debug)]
pub(super) struct Table<K, V> {
    index: HashTable<u32>,
    slots: Vec<Option<(K, V)>>,
    free: Vec<u32>,
}

/// With more slots than this, the list grows in small steps.
const MANY: usize = 4096;

/// What [`Table::compact`] returns for a slot that was free.
pub(super) const NOWHERE: u32 = u32::MAX;

/// A key that computes its own hash.
pub(super) trait Key: Eq + Copy {
    fn hash(&self) -> u64;
}

impl<K: Key, V> Table<K, V> {
    pub(super) const fn new() -> Self {
        Self { index: HashTable::new(), slots: Vec::new(), free: Vec::new() }
    }

    pub(super) fn find(&self, key: &K) -> Option<u32> {
        let slots = &self.slots;
        self.index.find(key.hash(), |&slot| holds(slots, slot, key)).copied()
    }

    pub(super) fn get(&self, slot: u32) -> Option<&V> {
        self.slots.get(slot as usize)?.as_ref().map(|(_, value)| value)
    }

    pub(super) fn get_mut(&mut self, slot: u32) -> Option<&mut V> {
        self.slots.get_mut(slot as usize)?.as_mut().map(|(_, value)| value)
    }

    /// The key and a mutable reference to the value in `slot`.
    pub(super) fn entry_mut(&mut self, slot: u32) -> Option<(&K, &mut V)> {
        self.slots.get_mut(slot as usize)?.as_mut().map(|(key, value)| (&*key, value))
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "slots are numbered with 32 bits; a table of more would not fit the memory"
    )]
    #[expect(clippy::indexing_slicing, reason = "slots are never taken away")]
    pub(super) fn insert(&mut self, key: K, value: V) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.make_room();
            self.slots.push(None);
            (self.slots.len() - 1) as u32
        });
        self.slots[slot as usize] = Some((key, value));
        let slots = &self.slots;
        self.index.insert_unique(key.hash(), slot, |&other| hash(slots, other));
        slot
    }

    /// Reserves capacity in small steps. A list that doubles leaves up to half of its capacity
    /// unused, and also needs the old list while it copies.
    fn make_room(&mut self) {
        let (used, room) = (self.slots.len(), self.slots.capacity());
        if used == room && used >= MANY {
            self.slots.reserve_exact(used / 8);
        }
    }

    pub(super) fn remove(&mut self, slot: u32) -> Option<(K, V)> {
        let (key, value) = self.slots.get_mut(slot as usize)?.take()?;
        if let Ok(entry) = self.index.find_entry(key.hash(), |&s| s == slot) {
            entry.remove();
        }
        self.free.push(slot);
        Some((key, value))
    }

    /// The bytes of the table itself, free slots included.
    pub(super) fn held_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Option<(K, V)>>()
            + self.index.allocation_size()
            + self.free.capacity() * size_of::<u32>()
    }

    /// Moves the values together if fewer than half of the slots are in use, and frees the rest.
    /// Returns the new slot of each old one, [`NOWHERE`] for a free one; `None` if nothing moved.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "slots are numbered with 32 bits; a table of more would not fit the memory"
    )]
    pub(super) fn compact(&mut self) -> Option<Vec<u32>> {
        if self.slots.len() < MANY || 2 * self.len() >= self.slots.len() {
            return None;
        }
        let mut moved = vec![NOWHERE; self.slots.len()];
        let mut used = 0;
        for (old, new) in moved.iter_mut().enumerate() {
            if self.slots.get(old).is_some_and(Option::is_some) {
                self.slots.swap(used, old);
                *new = used as u32;
                used += 1;
            }
        }
        self.slots.truncate(used);
        self.slots.shrink_to_fit();
        self.free = Vec::new();
        self.index = HashTable::with_capacity(used);
        for (slot, (key, _)) in self.slots.iter().flatten().enumerate() {
            self.index.insert_unique(key.hash(), slot as u32, |&other| hash(&self.slots, other));
        }
        Some(moved)
    }

    /// The number of live values.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Mutable references to all live values.
    pub(super) fn live_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.slots.iter_mut().filter_map(|slot| slot.as_mut().map(|(_, value)| value))
    }

    /// All live slots and their values, in slot order.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "slots are numbered with 32 bits; a table of more would not fit the memory"
    )]
    pub(super) fn live(&self) -> impl Iterator<Item = (u32, &V)> {
        self.slots.iter().enumerate().filter_map(|(i, s)| s.as_ref().map(|(_, v)| (i as u32, v)))
    }
}

fn hash<K: Key, V>(slots: &[Option<(K, V)>], slot: u32) -> u64 {
    slots.get(slot as usize).and_then(Option::as_ref).map_or(0, |(key, _)| key.hash())
}

fn holds<K: Eq, V>(slots: &[Option<(K, V)>], slot: u32, key: &K) -> bool {
    slots.get(slot as usize).and_then(Option::as_ref).is_some_and(|(k, _)| k == key)
}

/// Mixes 64 bits (the finaliser of SplitMix64, Steele et al. 2014).
pub(super) const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// An identifier for what began with the packet at `place`; `look` is a hash of the packet's
/// fields. In a capture of less than 2^40 packets no two objects of a kind get the same identifier,
/// whatever the packets contain: `mix` is a bijection, and no packet is the first of two objects.
/// `look` makes identifiers of different captures differ.
pub(super) const fn unique(look: u64, place: u64) -> u64 {
    mix(mix(look) << PLACE_BITS ^ place)
}

/// The number of bits of an identifier that the place takes.
const PLACE_BITS: u32 = 40;

/// Mixes 128 bits into 64 bits.
#[expect(clippy::cast_possible_truncation, reason = "both halves are taken, one after the other")]
pub(super) const fn mix_wide(x: u128) -> u64 {
    mix((x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ mix((x >> 64) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Key for u64 {
        fn hash(&self) -> u64 {
            mix(*self)
        }
    }

    #[test]
    fn values_are_moved_together_when_most_slots_are_free() {
        let mut table = Table::new();
        let slots: Vec<u32> = (0..2 * MANY as u64).map(|key| table.insert(key, key)).collect();
        assert!(table.compact().is_none(), "all slots are in use");
        let full = table.held_bytes();
        for slot in slots.iter().filter(|slot| !slot.is_multiple_of(7)) {
            table.remove(*slot);
        }
        let moved = table.compact().unwrap();
        for slot in slots {
            let key = u64::from(slot);
            let found = table.find(&key);
            let new = moved[slot as usize];
            assert_eq!(found, slot.is_multiple_of(7).then_some(new));
            assert_eq!(table.get(new).copied(), found.map(|_| key));
        }
        assert!(table.held_bytes() < full / 4);
        let added = table.insert(1, 1);
        assert_eq!((table.find(&1), table.len()), (Some(added), moved.len().div_ceil(7) + 1));
    }
}
