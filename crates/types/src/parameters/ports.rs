//! Defines a set of ports, as the value of a parameter.

use std::fmt::{Display, Formatter, Result};

/// A set of ports, in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ports(Vec<u16>);

impl Ports {
    /// Makes a set of these ports; a port that occurs twice is kept once.
    pub fn new(ports: &[u16]) -> Self {
        let mut sorted = ports.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        Self(sorted)
    }

    /// Whether the set contains the port.
    pub fn holds(&self, port: u16) -> bool {
        self.0.contains(&port)
    }

    /// The ports, in ascending order.
    pub fn as_slice(&self) -> &[u16] {
        &self.0
    }
}

impl Display for Ports {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let words: Vec<String> = self.0.iter().map(u16::to_string).collect();
        f.write_str(&words.join(","))
    }
}

/// The whole numbers in a comma-separated text; an empty list for a blank text, and `None` for a
/// text that is not such a list.
pub(super) fn numbers(text: &str) -> Option<Vec<u64>> {
    if text.trim().is_empty() {
        return Some(Vec::new());
    }
    text.split(',').map(|number| number.trim().parse().ok()).collect()
}
