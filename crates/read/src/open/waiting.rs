//! Reads a pipe or a device, whose next byte may come much later or never.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::stop::Stop;

/// How long to wait for a silent input before asking again whether to continue, in milliseconds.
/// With this value Ctrl-C has an effect within a second.
pub(crate) const PATIENCE_MS: u16 = 100;

/// Reads the bytes that are available; ends when `stop` decides so.
pub(crate) struct Waiting {
    input: File,
    stop: Stop,
}

impl Waiting {
    /// Reads an open pipe or device, blocking or not.
    pub(crate) const fn new(input: File, stop: Stop) -> Self {
        Self { input, stop }
    }
}

impl Read for Waiting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.stop.go_on().is_continue() {
            if !has_news(&self.input)? {
                continue;
            }
            match self.input.read(buffer) {
                // Another reader of the same pipe has taken the bytes.
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                done => return done,
            }
        }
        Ok(0)
    }
}

/// Whether a read would return at once: with bytes, at the end, or with an error.
fn has_news(input: &File) -> io::Result<bool> {
    let mut watched = [PollFd::new(input.as_fd(), PollFlags::POLLIN)];
    match poll(&mut watched, PollTimeout::from(PATIENCE_MS)) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::EINTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::ops::ControlFlow;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn a_silent_pipe_ends_when_stopped_and_gives_what_was_there() {
        let (read, mut write) = io::pipe().unwrap();
        write.write_all(b"bytes").unwrap();
        let calls = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&calls);
        let stop = Stop::new(move || match counted.fetch_add(1, Ordering::Relaxed) {
            0..3 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        });
        let mut given = Vec::new();
        let mut waiting = Waiting::new(std::os::fd::OwnedFd::from(read).into(), stop);
        waiting.read_to_end(&mut given).unwrap();
        assert_eq!(given, b"bytes");
        assert_eq!(calls.load(Ordering::Relaxed), 4);
        drop(write);
    }
}
