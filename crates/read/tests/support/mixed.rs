//! Changes a share of the records of a log at random, from a fixed seed.

use crate::diag::frame;

/// The offset of the payload in a log packet, and the layout of 0xB139 version 124.
const PAYLOAD: usize = 16;
const RECORDS: usize = PAYLOAD + 8;
const RECORD: usize = 84;
/// The length of the wrapper that names a subscription.
const WRAPPER: usize = 8;

/// Chooses records.
pub(crate) struct Mixed {
    state: u64,
    share: f64,
    /// The number of records that were changed.
    pub(crate) changed: usize,
}

impl Mixed {
    pub(crate) const fn new(seed: u64, share: f64) -> Self {
        Self { state: seed, share, changed: 0 }
    }

    /// A random number (SplitMix64).
    pub(crate) fn random(&mut self) -> u16 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 48) as u16
    }

    /// Whether to change the next record.
    pub(crate) fn chooses(&mut self) -> bool {
        f64::from(self.random()) < self.share * 65_536.0
    }

    /// A log of frames in which the chosen blocks of 0xB139 version 124 have random bytes.
    pub(crate) fn blocks_of_0xb139(&mut self, log: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for escaped in log.split_inclusive(|byte| *byte == 0x7e) {
            let mut packet = unescaped(escaped);
            let wrapper = if packet.starts_with(&[0x98]) { WRAPPER } else { 0 };
            let log = packet.get_mut(wrapper..).unwrap_or_default();
            let is_sent = log.get(6..8) == Some(&[0x39, 0xb1]) && log.get(PAYLOAD) == Some(&124);
            if is_sent && self.change(log) {
                packet.truncate(packet.len() - 2);
                out.extend(frame(&packet));
            } else {
                out.extend(escaped);
            }
        }
        out
    }

    fn change(&mut self, packet: &mut [u8]) -> bool {
        let before = self.changed;
        let records = packet.get_mut(RECORDS..).unwrap_or_default();
        for record in records.chunks_exact_mut(RECORD) {
            if self.chooses() {
                self.changed += 1;
                record.iter_mut().for_each(|byte| *byte = self.random() as u8);
            }
        }
        self.changed > before
    }
}

fn unescaped(frame: &[u8]) -> Vec<u8> {
    let mut bytes = frame.iter().copied().filter(|byte| *byte != 0x7e);
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        out.push(if byte == 0x7d { bytes.next().unwrap_or(0) ^ 0x20 } else { byte });
    }
    out
}
