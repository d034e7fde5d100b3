//! Numbers the words of a table, such as causes. They are constants of the program, so that
//! pointers distinguish them.

/// Words by number, in the order in which they came.
pub(crate) struct Words {
    list: Vec<&'static str>,
    /// For each hash of a pointer, the number of the last word with that hash.
    recent: [u16; RECENT],
}

const RECENT: usize = 64;

/// The number of words that the first word reserves memory for.
const FIRST_WORDS: usize = 32;

impl Default for Words {
    fn default() -> Self {
        Self { list: Vec::new(), recent: [0; RECENT] }
    }
}

impl Words {
    /// The number of a word. A word may have several numbers if it is written in several places of
    /// the code.
    #[inline]
    pub(crate) fn number(&mut self, word: &'static str) -> usize {
        let hash = (word.as_ptr().addr() ^ word.len()) % RECENT;
        let recent = self.recent.get(hash).map_or(0, |number| usize::from(*number));
        if self.list.get(recent).is_some_and(|known| std::ptr::eq(*known, word)) {
            return recent;
        }
        let known = self.list.iter().position(|known| std::ptr::eq(*known, word));
        let number = known.unwrap_or_else(|| {
            if self.list.is_empty() {
                self.list.reserve(FIRST_WORDS);
            }
            self.list.push(word);
            self.list.len() - 1
        });
        if let Some(slot) = self.recent.get_mut(hash) {
            *slot = u16::try_from(number).unwrap_or_default();
        }
        number
    }

    /// All words, in the order of their numbers.
    pub(crate) fn list(&self) -> &[&'static str] {
        &self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_keeps_its_number() {
        const TEXT: &str = "queue loss window wait phone server tail gap idle rtt";
        let mut words = Words::default();
        let all: Vec<&'static str> = TEXT.split(' ').collect();
        let numbers: Vec<usize> = all.iter().map(|word| words.number(word)).collect();
        assert_eq!(numbers, (0..10).collect::<Vec<usize>>());
        assert_eq!(all.iter().rev().map(|word| words.number(word)).next(), Some(9));
        assert_eq!(words.list(), all);
    }
}
