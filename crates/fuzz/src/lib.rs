//! Defines the fuzz targets: what each does with an input. `make fuzz` calls the targets from
//! libFuzzer (`fuzz/`); `tests/replay.rs` calls them with the stored inputs.

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

/// Takes an input, and panics when a promise of the tested code does not hold.
pub type Target = fn(&[u8]);

/// The fuzz targets with their names.
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

/// The target of this name.
///
/// # Panics
/// Panics when there is no such target.
pub fn target(name: &str) -> Target {
    let (_, run) = TARGETS.iter().find(|(known, _)| *known == name).expect("a target's name");
    *run
}

/// Reads a classic pcap file, header included.
fn pcap(input: &[u8]) {
    read_all(input.to_vec());
}

/// Reads the blocks of a pcapng file. The section header is given, so that the fuzzer works only on
/// the blocks.
fn pcapng(input: &[u8]) {
    read_all([&SECTION, input].concat());
}

/// A little-endian section header block of unknown length.
const SECTION: [u8; 28] = [
    0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 28, 0, 0, 0,
];

/// Sends arbitrary packets through the tracker, and checks what it promises after each of them.
fn track(input: &[u8]) {
    let Some(script) = made::<script::Script>(input) else { return };
    check::Check::run(|take| script.play(take));
}

/// Sends arbitrary packets through the whole engine: no analysis may panic, and every row must
/// follow the contract of rows.
fn engine(input: &[u8]) {
    let Some(script) = made::<script::Script>(input) else { return };
    null::Null::run(|take| script.play(take));
}
