//! Sharding by subscriber: the same rows in the same order, whatever the number of threads.
//!
//! Packets are dealt to a fixed number of shards, each a tracker of its own with the subscribers
//! that fall to it, in epochs of a fixed number of packets. While one epoch is being analysed the
//! next is read. Nothing that reaches a shard depends on another's progress within an epoch, so
//! the threads that happen to run them change no byte of the dataset.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use airmile_analyze::{Engine, Parameters, TableInfo};
use airmile_read::{Packet, Transport};
use airmile_track::{Route, Router, TrackConfig, Tracker, VantageVotes};
use airmile_types::Instant;

use crate::batches::{Batches, Ready};
use crate::error::Error;
use crate::pool::Pool;
use crate::writer::DatasetWriter;

/// Subscribers are dealt to so many trackers: enough to keep as many threads busy, few enough that
/// their unfinished batches stay small.
const SHARDS: usize = 16;
/// Packets of the first epoch. Epochs double, so that what a few handshakes tell of the tap's place
/// is soon known to all shards.
const FIRST_EPOCH: usize = 256;
/// Packets of later epochs: a packet is about 200 bytes, so one epoch and the next are 3 MB.
const EPOCH: usize = 8192;
/// The analyses look at the first bytes of a request (`transfers`); name service messages are read
/// whole (methods B3).
const PAYLOAD_KEPT: usize = 64;
const DNS_PORT: u16 = 53;

/// Deals packets to shards and runs these.
pub(crate) struct Shards {
    router: Router,
    /// The epoch that is being read.
    reading: Vec<Epoch>,
    read: usize,
    epoch: usize,
    start: Option<Instant>,
    first: Instant,
    work: Arc<Work>,
    pool: Pool,
}

/// What is left when every row has been made.
pub(crate) struct Finished {
    /// All rows are in it.
    pub(crate) writer: DatasetWriter,
    /// How the handshakes voted.
    pub(crate) votes: VantageVotes,
    /// Connection attempts that a flood ended before their time.
    pub(crate) ended_early: u64,
    /// Packets left out because a phone recorded them in two forms.
    pub(crate) copies: u64,
}

/// Everything that the threads share.
struct Work {
    shards: Vec<Mutex<Shard>>,
    output: Mutex<Writing>,
}

struct Shard {
    tracker: Tracker<Engine<Batches>>,
    epoch: Epoch,
    /// What the whole capture told before this epoch.
    around: Option<Around>,
}

#[derive(Clone, Copy)]
struct Around {
    start: Instant,
    now: Instant,
    others: VantageVotes,
}

/// Packets of one shard in one epoch.
#[derive(Default)]
struct Epoch {
    packets: Vec<Kept>,
    payload: Vec<u8>,
}

struct Kept {
    packet: Packet<'static>,
    route: Route,
    payload_end: usize,
}

/// The rows of the epoch before, on their way to the dataset.
struct Writing {
    writer: DatasetWriter,
    ready: Vec<Ready>,
    failure: Option<Error>,
}

impl Shards {
    /// Shards that write into `writer`, run by `threads` threads (0: one per core).
    ///
    /// # Errors
    /// For a table that cannot be written.
    pub(crate) fn new(
        config: &TrackConfig,
        parameters: &Parameters,
        tables: &[TableInfo],
        writer: DatasetWriter,
        threads: usize,
    ) -> Result<Self, Error> {
        let shard = |_| {
            let engine = Engine::new(parameters.clone(), Batches::new(tables)?);
            let tracker = Tracker::new(config.clone(), engine);
            Ok(Mutex::new(Shard { tracker, epoch: Epoch::default(), around: None }))
        };
        let shards = (0..SHARDS).map(shard).collect::<Result<_, Error>>()?;
        let output = Mutex::new(Writing { writer, ready: Vec::new(), failure: None });
        let work = Arc::new(Work { shards, output });
        let pool = Pool::new(threads, SHARDS + 1, {
            let work = Arc::clone(&work);
            move |job| work.run(job)
        });
        let reading = (0..SHARDS).map(|_| Epoch::default()).collect();
        let router = Router::new(config);
        let first = Instant::MIN;
        Ok(Self { router, reading, read: 0, epoch: FIRST_EPOCH, start: None, first, work, pool })
    }

    /// Takes one packet, in capture order.
    #[inline]
    pub(crate) fn packet(&mut self, packet: &Packet<'_>) {
        if self.read == 0 {
            self.first = packet.time;
            self.start.get_or_insert(packet.time);
        }
        let route = self.router.route(packet);
        if route.copy {
            return;
        }
        let shard = (route.spread() >> 32) as usize % SHARDS;
        if let Some(epoch) = self.reading.get_mut(shard) {
            epoch.keep(packet, route);
        }
        self.read += 1;
        if self.read == self.epoch {
            self.turn();
        }
    }

    /// What went wrong in the epochs that are done.
    ///
    /// # Errors
    /// The first error of making or writing rows.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.work.output().failure.clone().map_or(Ok(()), Err)
    }

    /// Ends every flow and session.
    ///
    /// # Errors
    /// The first error of making or writing rows.
    pub(crate) fn finish(mut self, last: Option<Instant>) -> Result<Finished, Error> {
        self.turn();
        if let Some(last) = last {
            self.first = self.first.max(last);
        }
        self.turn();
        self.pool.finish();
        let Self { router, work, pool, .. } = self;
        let copies = router.copies();
        drop(pool);
        let votes = work.votes();
        let ended_early = work.shards.iter().map(|shard| lock(shard).tracker.ended_early()).sum();
        let work =
            Arc::into_inner(work).ok_or_else(|| Error::output("a thread is still running"))?;
        let mut writing = work.output.into_inner().unwrap_or_else(PoisonError::into_inner);
        for shard in work.shards {
            let shard = shard.into_inner().unwrap_or_else(PoisonError::into_inner);
            let mut batches = shard.tracker.finish().finish();
            batches.close();
            writing.take(&mut batches);
            writing.write();
        }
        match writing.failure {
            Some(error) => Err(error),
            None => Ok(Finished { writer: writing.writer, votes, ended_early, copies }),
        }
    }

    /// The epoch that was read goes to the shards, as soon as the one before is done.
    fn turn(&mut self) {
        self.pool.finish();
        self.work.collect();
        let votes = self.work.votes();
        if let Some(start) = self.start {
            let now = self.first;
            for (shard, epoch) in self.work.shards.iter().zip(&mut self.reading) {
                let mut shard = lock(shard);
                let others = votes - shard.tracker.votes();
                shard.around = Some(Around { start, now, others });
                mem::swap(&mut shard.epoch, epoch);
            }
        }
        self.pool.start();
        self.read = 0;
        self.epoch = (self.epoch * 2).min(EPOCH);
    }
}

impl Work {
    /// Job 0 writes the rows of the epoch before, the others are the shards.
    fn run(&self, job: usize) {
        match job.checked_sub(1).and_then(|shard| self.shards.get(shard)) {
            Some(shard) => lock(shard).run(),
            None => self.output().write(),
        }
    }

    /// Takes the rows out of the shards, in the order of the shards.
    fn collect(&self) {
        let mut output = self.output();
        for shard in &self.shards {
            output.take(lock(shard).tracker.handler().output());
        }
    }

    fn votes(&self) -> VantageVotes {
        let votes = self.shards.iter().map(|shard| lock(shard).tracker.votes());
        votes.fold(VantageVotes::default(), |sum, more| sum + more)
    }

    fn output(&self) -> MutexGuard<'_, Writing> {
        lock(&self.output)
    }
}

impl Shard {
    fn run(&mut self) {
        if let Some(Around { start, now, others }) = self.around.take() {
            self.tracker.advance(start, now, others);
        }
        let mut from = 0;
        for kept in &self.epoch.packets {
            let payload = self.epoch.payload.get(from..kept.payload_end).unwrap_or_default();
            self.tracker.routed(&Packet { payload, ..kept.packet.clone() }, kept.route);
            from = kept.payload_end;
        }
        self.epoch.packets.clear();
        self.epoch.payload.clear();
    }
}

impl Epoch {
    #[inline]
    fn keep(&mut self, packet: &Packet<'_>, route: Route) {
        let whole = matches!(
            packet.transport,
            Transport::Udp { source_port: DNS_PORT, .. }
                | Transport::Udp { destination_port: DNS_PORT, .. }
        );
        let kept = if whole { usize::MAX } else { PAYLOAD_KEPT }.min(packet.payload.len());
        self.payload.extend_from_slice(packet.payload.get(..kept).unwrap_or_default());
        let payload_end = self.payload.len();
        let packet = Packet { payload: &[], ..packet.clone() };
        self.packets.push(Kept { packet, route, payload_end });
    }
}

impl Writing {
    fn take(&mut self, batches: &mut Batches) {
        match batches.take_ready() {
            Ok(ready) => self.ready.extend(ready),
            Err(error) => self.fail(error),
        }
    }

    fn write(&mut self) {
        for ready in self.ready.drain(..) {
            if self.failure.is_none() {
                self.failure = self.writer.write(&ready).err();
            }
        }
    }

    fn fail(&mut self, error: Error) {
        self.failure.get_or_insert(error);
    }
}

/// A panic of a job is passed on by the pool, so a poisoned lock needs no second one.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
