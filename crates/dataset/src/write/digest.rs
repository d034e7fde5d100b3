//! Computes digests that show damage to a dataset: one of each part, and one of the manifest
//! itself.
//!
//! The digest is XXH3 with 128 bits: it finds the errors that disks and copies make, for a fraction
//! of an instruction per byte. It does not protect against a forger, who can write digests too.
//! SHA-256 would not either, at forty times the cost.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use serde::Serialize;
use twox_hash::XxHash3_128;

/// The number of bytes read at a time.
const STEP: usize = 1 << 20;

/// The number of steps between two calls of `go_on`: 16 MiB, which a slow disk reads within a
/// second.
const STEPS_UNASKED: usize = 16;

/// The last entry of a manifest: the digest of all text before it.
const SEAL: &str = ",\n  \"manifest_xxh3_128\": \"";

/// The text that follows the digest, at the end of the manifest.
const END: &str = "\"\n}\n";

/// The number of digits of a digest.
const DIGITS: usize = 32;

/// The size and the digest of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartDigest {
    /// The size of the file, in bytes.
    pub size_bytes: u64,
    /// The 128-bit XXH3 digest of the file, as `xxhsum -H2` prints it.
    pub xxh3_128: String,
}

/// The digest of some bytes.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    text(XxHash3_128::oneshot(bytes))
}

/// The size and the digest of a file. Calls `go_on` now and then, which may stop the work.
///
/// # Errors
/// Fails when the file cannot be read, and with the error that `go_on` returns.
pub fn digest_file<E: From<io::Error>>(
    path: &Path,
    mut go_on: impl FnMut() -> Result<(), E>,
) -> Result<PartDigest, E> {
    #[expect(clippy::disallowed_methods, reason = "the bytes are hashed, not understood")]
    let mut file = File::open(path)?;
    let mut digest = Digesting::new(io::sink());
    let mut buffer = vec![0; STEP];
    loop {
        for _ in 0..STEPS_UNASKED {
            match file.read(&mut buffer)? {
                0 => return Ok(digest.so_far()),
                bytes => digest.write_all(buffer.get(..bytes).unwrap_or_default())?,
            }
        }
        go_on()?;
    }
}

/// The text of a manifest, a JSON object, with its digest as the last entry. A digest that was
/// there is replaced.
#[must_use]
pub fn seal(manifest: &str) -> String {
    let body = without_seal(manifest).map_or(manifest, |(body, _)| body);
    let body = body.trim_end();
    let body = body.strip_suffix('}').unwrap_or(body).trim_end();
    format!("{body}{SEAL}{}{END}", digest(body.as_bytes()))
}

/// Whether a manifest is unchanged since it was sealed; `None` when it was never sealed.
#[must_use]
pub fn is_sealed(manifest: &str) -> Option<bool> {
    without_seal(manifest).map(|(body, seal)| digest(body.as_bytes()) == seal)
}

/// Splits a manifest into the sealed text and the digest. The text after the sealed text has
/// exactly one valid form.
fn without_seal(manifest: &str) -> Option<(&str, &str)> {
    let rest = manifest.strip_suffix(END)?;
    let (before, seal) = rest.split_at_checked(rest.len().checked_sub(DIGITS)?)?;
    Some((before.strip_suffix(SEAL)?, seal))
}

fn text(digest: u128) -> String {
    format!("{digest:032x}")
}

/// A writer that computes the digest of the bytes that pass through it.
pub(crate) struct Digesting<W> {
    to: W,
    size_bytes: u64,
    state: XxHash3_128,
}

impl<W> Digesting<W> {
    pub(crate) fn new(to: W) -> Self {
        Self { to, size_bytes: 0, state: XxHash3_128::new() }
    }

    /// The writer that the bytes are passed to.
    pub(crate) const fn to(&self) -> &W {
        &self.to
    }

    /// The size and the digest of everything written so far.
    pub(crate) fn so_far(&self) -> PartDigest {
        PartDigest { size_bytes: self.size_bytes, xxh3_128: text(self.state.finish_128()) }
    }
}

impl<W: Write> Write for Digesting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.state.write(bytes.get(..written).unwrap_or_default());
        self.size_bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_reference() {
        // The digest of no bytes, by the reference implementation: xxhsum -H2 /dev/null.
        assert_eq!(digest(b""), "99aa06d3014798d86001c324468d497f");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test writes its own input")]
    fn what_is_written_in_pieces_has_the_digest_of_the_whole() {
        let bytes: Vec<u8> = (0..100_000_u32).map(|number| (number * 7 % 251) as u8).collect();
        let mut pieces = Digesting::new(Vec::new());
        bytes.chunks(777).for_each(|piece| pieces.write_all(piece).unwrap());
        let expected = PartDigest { size_bytes: 100_000, xxh3_128: digest(&bytes) };
        assert_eq!(pieces.so_far(), expected);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part");
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(digest_file(&path, || io::Result::Ok(())).unwrap(), expected);
    }

    #[test]
    fn a_long_file_is_left_on_request() {
        let file = tempfile::NamedTempFile::new().unwrap();
        // A file that takes no blocks on the disk and would take hours to read.
        file.as_file().set_len(1 << 42).unwrap();
        let mut asked = 0;
        let found = digest_file(file.path(), || {
            asked += 1;
            if asked < 3 { Ok(()) } else { Err(io::Error::other("enough")) }
        });
        assert_eq!(found.unwrap_err().to_string(), "enough");
    }

    #[test]
    fn a_seal_holds_until_a_byte_changes() {
        let sealed = seal("{\n  \"schema\": 2\n}\n");
        assert_eq!(is_sealed(&sealed), Some(true));
        assert_eq!(seal(&sealed), sealed);
        assert!(serde_json::from_str::<serde_json::Value>(&sealed).is_ok());
        for place in 0..sealed.len() {
            let mut bytes = sealed.clone().into_bytes();
            bytes[place] ^= 1;
            let text = String::from_utf8(bytes).unwrap();
            assert_ne!(is_sealed(&text), Some(true), "{text}");
        }
    }

    #[test]
    fn without_a_seal_nothing_is_said() {
        assert_eq!(is_sealed("{}"), None);
        assert_eq!(is_sealed(""), None);
    }
}
