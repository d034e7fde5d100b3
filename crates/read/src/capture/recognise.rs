//! Recognises captures by their first bytes, and never by their names.

use super::classic;
use crate::open::OpenError;

/// The error for a file that is not a capture: what the file is, and what to do with it.
pub(super) fn unknown(name: String, first: &[u8]) -> OpenError {
    let (found, advice) = match first {
        [0x1f, 0x8b, 8, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            ("compressed more than three times", Some("decompress it first: zcat FILE | airmile -"))
        }
        [0xfd, b'7', b'z', b'X', b'Z', ..] => {
            ("xz-compressed", Some("decompress it first: xz -dc FILE | airmile -"))
        }
        [b'B', b'Z', b'h', ..] => {
            ("bzip2-compressed", Some("decompress it first: bzip2 -dc FILE | airmile -"))
        }
        [4, 0x22, 0x4d, 0x18, ..] => {
            ("lz4-compressed", Some("decompress it first: lz4 -dc FILE | airmile -"))
        }
        [b'P', b'K', 3, 4, ..] => ("a zip archive", Some("unpack it first")),
        [b's', b'n', b'o', b'o', b'p', 0, ..] => {
            ("a snoop file", Some("convert it: editcap -F pcapng FILE OUT"))
        }
        [b'b', b't', b's', b'n', b'o', b'o', b'p', ..] => ("a Bluetooth log", None),
        [b'P', b'A', b'R', b'1', ..] => {
            ("a Parquet file", Some("open the dataset with airmile query"))
        }
        [b't', b'_', b'u', b'n', b'i', b'x', ..] => ("a modem log", Some("give it with --modem")),
        _ if first.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()) => {
            ("text", None)
        }
        _ => {
            return OpenError::NotCapture {
                name,
                found: format!("it begins {}", hex(first)),
                advice: None,
            };
        }
    };
    OpenError::NotCapture { name, found: found.to_owned(), advice }
}

fn hex(first: &[u8]) -> String {
    first.iter().take(8).map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")
}

/// Whether these are the first bytes of a capture, even of one that ends within its file header.
pub(super) fn is_capture(first: &[u8]) -> bool {
    let pcapng = first.len() < 12 && first.starts_with(&[0x0a, 0x0d, 0x0d, 0x0a]);
    pcapng || first.first_chunk::<4>().is_some_and(|magic| classic::is_magic(*magic))
}
