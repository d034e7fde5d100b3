//! Decompresses on a separate thread, which sends blocks over a channel to the thread that decodes.

use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration as Wait;

use super::stop::Stop;
use super::waiting::PATIENCE_MS;

/// The size of a block, in bytes: so large that passing it on costs little per packet, and small
/// enough to stay in a cache.
const BLOCK: usize = 256 << 10;
/// Blocks that may wait: enough to even out the speed of the two threads.
const WAITING: usize = 4;
/// Free bytes before a block's data, where the reader puts the start of a record that the block
/// before it ended with.
pub(crate) const HEADROOM: usize = 64 << 10;

/// The receiving end of the channel.
pub(crate) struct Ahead {
    blocks: Receiver<io::Result<Vec<u8>>>,
    used: Sender<Vec<u8>>,
    stop: Stop,
}

impl Ahead {
    /// Starts a thread that reads `input`.
    pub(crate) fn new(input: Box<dyn Read + Send>, stop: Stop) -> io::Result<Self> {
        let (sender, blocks) = sync_channel(WAITING);
        let (used, returned) = channel();
        let run = move || fill(input, &sender, &returned);
        // The thread ends when the input ends, or when a block cannot be delivered.
        thread::Builder::new().name("decompress".to_owned()).spawn(run)?;
        Ok(Self { blocks, used, stop })
    }

    /// The next block; its data begins after [`HEADROOM`] bytes. A block without data is the last
    /// one.
    pub(crate) fn next(&self) -> io::Result<Vec<u8>> {
        loop {
            match self.blocks.recv_timeout(Wait::from_millis(PATIENCE_MS.into())) {
                Ok(block) => return block,
                // Only this thread may call the function of `stop`. The input of the other thread
                // ends after this thread has called it.
                Err(RecvTimeoutError::Timeout) => drop(self.stop.go_on()),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("the decompressor stopped"));
                }
            }
        }
    }

    /// The most memory of the blocks that wait, or are being filled, in bytes.
    pub(crate) const fn held_bytes() -> usize {
        (WAITING + 1) * (HEADROOM + BLOCK)
    }

    /// Returns a block to the thread, which uses its memory again.
    pub(crate) fn give_back(&self, block: Vec<u8>) {
        // The thread may have ended; then it needs no block.
        let _ = self.used.send(block);
    }
}

fn fill(
    mut input: Box<dyn Read + Send>,
    blocks: &SyncSender<io::Result<Vec<u8>>>,
    returned: &Receiver<Vec<u8>>,
) {
    loop {
        let mut block = returned.try_recv().unwrap_or_default();
        block.resize(HEADROOM + BLOCK, 0);
        let (bytes, end) = read_full(&mut input, block.get_mut(HEADROOM..).unwrap_or_default());
        block.truncate(HEADROOM + bytes);
        // The data before an error is kept; the error is sent after it.
        if (bytes > 0 || end.is_ok()) && blocks.send(Ok(block)).is_err() {
            return;
        }
        match end {
            Ok(()) if bytes > 0 => {}
            Ok(()) => return,
            Err(error) => {
                // If the receiver was dropped, nobody reads the error.
                let _ = blocks.send(Err(error));
                return;
            }
        }
    }
}

/// Reads until the buffer is full, or the input ends or fails. Returns the number of bytes read.
fn read_full(input: &mut dyn Read, buffer: &mut [u8]) -> (usize, io::Result<()>) {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match input.read(rest) {
            Ok(0) => break,
            Ok(bytes) => filled += bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (filled, Err(error)),
        }
    }
    (filled, Ok(()))
}
