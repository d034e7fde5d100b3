//! Reads compressed captures: damaged streams, and valid streams that are cut, joined and damaged.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::input::read_all;

pub(crate) fn run(input: &[u8]) {
    let [how, at_high, at_low, file @ ..] = input else { return };
    let coded = match how & 3 {
        0 => [&[0x1f, 0x8b, 8], file].concat(),
        1 => [&[0x28, 0xb5, 0x2f, 0xfd], file].concat(),
        2 => gzip(file),
        _ => zstd::encode_all(file, 1).expect("memory takes it"),
    };
    let mut stored = if how & 4 != 0 { [&coded[..], &coded].concat() } else { coded };
    let at = usize::from(*at_high) << 8 | usize::from(*at_low);
    match how >> 3 & 3 {
        1 => stored.truncate(at),
        2 => stored.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= how.rotate_left(3) | 1),
        3 => stored = gzip(&stored),
        _ => {}
    }
    read_all(stored);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}
