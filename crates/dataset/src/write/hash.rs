//! Computes the SHA-256 of the inputs as stored.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

use airmile_read::Place;
use sha2::{Digest, Sha256};

/// The number of bytes hashed between two tests whether to stop.
const STEP: usize = 2 << 20;

/// The hash of an input; `None` for a pipe, for a file that cannot be read again, and when `go_on`
/// stops the work.
pub(crate) fn sha256(
    place: &Place,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> ControlFlow<(), Option<String>> {
    let Place::File(path) = place else { return ControlFlow::Continue(None) };
    let Some(mut file) = open(path) else { return ControlFlow::Continue(None) };
    let mut hash = Sha256::new();
    let mut buffer = vec![0; STEP];
    loop {
        let Ok(bytes) = file.read(&mut buffer) else { return ControlFlow::Continue(None) };
        if bytes == 0 {
            let text = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
            return ControlFlow::Continue(Some(text));
        }
        hash.update(buffer.get(..bytes).unwrap_or_default());
        go_on()?;
    }
}

#[expect(clippy::disallowed_methods, reason = "the bytes are hashed, not understood")]
fn open(path: &Path) -> Option<std::fs::File> {
    let regular = |file: &std::fs::File| file.metadata().is_ok_and(|found| found.is_file());
    std::fs::File::open(path).ok().filter(regular)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test writes its own input")]
    fn the_hash_is_that_of_the_standard() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        let hash = sha256(&Place::File(path), &mut || ControlFlow::Continue(()));
        // The example of one block in FIPS 180-4.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash, ControlFlow::Continue(Some(expected.to_owned())));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test writes its own input")]
    fn it_stops_on_request() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        let hash = sha256(&Place::File(path), &mut || ControlFlow::Break(()));
        assert_eq!(hash, ControlFlow::Break(()));
        let pipe = sha256(&Place::Stdin, &mut || ControlFlow::Break(()));
        assert_eq!(pipe, ControlFlow::Continue(None));
    }
}
