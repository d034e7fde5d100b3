//! What each fuzz target does with an input. `make fuzz` calls it from libFuzzer (`fuzz/`);
//! `tests/replay.rs` calls it with the inputs that are kept.

mod check;
mod compressed;
mod decode;
mod diag;
mod dns;
mod fragments;
mod input;
mod modem;
mod null;
mod script;
mod tcp_options;
mod text;
mod tls;

pub use text::Text;

use input::{made, read_all};

/// Panics where what it promises does not hold.
pub type Target = fn(&[u8]);

/// The fuzz targets, each by its name.
pub const TARGETS: [(&str, Target); 13] = [
    ("pcap", pcap),
    ("pcapng", pcapng),
    ("compressed", compressed::run),
    ("decode", decode::run),
    ("fragments", fragments::run),
    ("tcp_options", tcp_options::run),
    ("dns", dns::run),
    ("tls", tls::run),
    ("track", track),
    ("engine", engine),
    ("modem_text", text::chosen),
    ("modem_diag", diag::read_any),
    ("modem_diag_messages", diag::read_messages),
];

/// The target of that name.
///
/// # Panics
/// Where there is none.
pub fn target(name: &str) -> Target {
    let (_, run) = TARGETS.iter().find(|(known, _)| *known == name).expect("a target's name");
    *run
}

/// A classic pcap from its first byte.
fn pcap(input: &[u8]) {
    read_all(input.to_vec());
}

/// The blocks of a pcapng file: the section header is given, so that all effort goes into them.
fn pcapng(input: &[u8]) {
    read_all([&SECTION, input].concat());
}

/// A little-endian section header block of unknown length.
const SECTION: [u8; 28] = [
    0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 28, 0, 0, 0,
];

/// Arbitrary packets through the tracker: what it promises holds after each of them.
fn track(input: &[u8]) {
    let Some(script) = made::<script::Script>(input) else { return };
    check::Check::run(|take| script.play(take));
}

/// Arbitrary packets through the whole engine: no analysis panics, and every row keeps the
/// contract of rows.
fn engine(input: &[u8]) {
    let Some(script) = made::<script::Script>(input) else { return };
    null::Null::run(|take| script.play(take));
}
