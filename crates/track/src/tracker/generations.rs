//! Provides a table that forgets its oldest half when it is full.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use super::table::mix;

/// The number of entries in one generation. The generation before it is kept too.
const GENERATION: usize = 1 << 16;

/// A map that forgets entries that were not used for a whole generation.
#[derive(Debug)]
pub(super) struct Generations<K, V> {
    pub(super) young: HashMap<K, V, BuildHasherDefault<Mixer>>,
    pub(super) old: HashMap<K, V, BuildHasherDefault<Mixer>>,
}

impl<K, V> Default for Generations<K, V> {
    fn default() -> Self {
        Self { young: HashMap::default(), old: HashMap::default() }
    }
}

impl<K: Eq + Hash + Copy, V: Copy> Generations<K, V> {
    /// The bytes of both generations.
    pub(super) fn held_bytes(&self) -> usize {
        held_bytes(&self.young) + held_bytes(&self.old)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.young.is_empty() && self.old.is_empty()
    }

    pub(super) fn has(&self, key: &K) -> bool {
        self.peek(key).is_some()
    }

    /// Looks up an entry without marking it as used.
    pub(super) fn peek(&self, key: &K) -> Option<&V> {
        self.young.get(key).or_else(|| self.old.get(key))
    }

    pub(super) fn get(&mut self, key: &K) -> Option<&V> {
        if let Some(value) = self.old.remove(key) {
            self.insert(*key, value);
        }
        self.young.get(key)
    }

    pub(super) fn insert(&mut self, key: K, value: V) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }
}

/// The bytes of a map: its entries, and a byte of each place of the index (hashbrown keeps an
/// eighth of the places free).
pub(super) fn held_bytes<K, V, S>(map: &HashMap<K, V, S>) -> usize {
    map.capacity() / 7 * 8 * (size_of::<(K, V)>() + 1)
}

/// A hasher for keys that compute their own hash; it returns that hash unchanged.
#[derive(Debug, Default)]
pub(super) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            if let Some(part) = word.get_mut(..chunk.len()) {
                part.copy_from_slice(chunk);
            }
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = mix(self.0 ^ word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_that_is_used_lives_on() {
        let mut map = Generations::<u64, u64>::default();
        map.insert(7, 1);
        for filler in 0..3 * GENERATION as u64 {
            map.insert(1000 + filler, 0);
            if filler.is_multiple_of(1000) {
                assert_eq!(map.get(&7), Some(&1));
            }
        }
        assert!(!map.has(&1000));
        assert!(map.young.len() + map.old.len() <= 2 * GENERATION);
    }
}
