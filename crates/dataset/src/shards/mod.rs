//! Divides the work by subscriber: the same rows in the same order, whatever the number of threads.
//!
//! Packets go to a fixed number of shards, in epochs of a fixed number of packets or bytes. Each shard has
//! its own tracker with its own subscribers. While one epoch is being analysed, the next is read.
//! Within an epoch, nothing that reaches a shard depends on the progress of another shard, so the
//! threads that run the shards change no byte of the dataset.

pub(crate) mod feed;
pub(crate) mod memory;
pub(crate) mod pool;

use std::mem;
use std::ops::{Add, Range};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use airmile_analyze::{Engine, TableInfo};
use airmile_radio::PhoneRadios;
use airmile_read::{Packet, Transport};
use airmile_track::{Opened, Route, Router, TrackConfig, Tracker, VantageVotes};
use airmile_types::{Instant, Parameters, Side};

use crate::error::Error;
use crate::shards::memory::{Budget, Come, DEFAULT_BYTES};
use crate::shards::pool::Pool;
use crate::verdict::{Held, Sums};
use crate::write::batches::{Batches, Ready};
use crate::write::writer::DatasetWriter;

/// The number of trackers among which the subscribers are divided: enough to keep as many threads
/// busy, and few enough that their unfinished batches stay small.
const SHARDS: usize = 16;
/// The number of packets in the first epoch. Epochs double in size, so that all shards soon know
/// what a few handshakes show about the capture point.
const FIRST_EPOCH: usize = 256;
/// The number of packets in later epochs. A packet takes about 200 bytes, so that one epoch and the
/// next are 3 MB. All shards read the same list, because lists of their own would each grow to the
/// largest share that they ever had.
const EPOCH: usize = 8192;
/// The number of bytes of payload that ends an epoch, however few packets it has: more than 8192
/// whole packets of Ethernet. Records joined by offload have up to 64 KB each.
const EPOCH_BYTES: usize = 16 << 20;
/// The number of bytes that are kept of a payload that no analysis reads to its end: encrypted data
/// and datagrams, whose first bytes show what they are.
const PAYLOAD_KEPT: usize = 64;
const DNS_PORT: u16 = 53;
const HTTPS_PORT: u16 = 443;
/// The first bytes of the first record of a TLS handshake (RFC 8446 section 5.1), and of an
/// HTTP/1.x response.
const READ_WHOLE: [&[u8]; 2] = [&[22, 3], b"HTTP/1."];

/// Distributes packets to shards and runs the shards.
pub(crate) struct Shards {
    router: Router,
    /// The epoch that is being read.
    reading: Epoch,
    epoch: usize,
    /// The number of packets in all earlier epochs.
    packets: u64,
    start: Option<Instant>,
    first: Instant,
    budget: Budget,
    work: Arc<Work>,
    pool: Pool,
}

/// The results after every row has been made.
pub(crate) struct Finished {
    /// The writer, which has received all rows.
    pub(crate) writer: DatasetWriter,
    /// The numbers of flows that show each capture point.
    pub(crate) votes: VantageVotes,
    /// The number of connection attempts that were ended early because of a flood.
    pub(crate) ended_early: u64,
    /// The number of flows that were ended early because all together used too much memory.
    pub(crate) ended_for_memory: u64,
    /// The number of packets left out because a phone recorded them in two forms.
    pub(crate) copies: u64,
    /// The number of flows, and of those whose phone was guessed.
    pub(crate) flows: u64,
    pub(crate) guessed: u64,
    /// The sums of the verdict over all rows.
    pub(crate) sums: Sums,
}

/// The data that the threads share.
struct Work {
    shards: Vec<Mutex<Shard>>,
    /// The epoch, which is changed only between two rounds.
    epoch: RwLock<Epoch>,
    output: Mutex<Writing>,
}

struct Shard {
    tracker: Tracker<Engine<Batches>>,
    /// What the whole capture had shown before this epoch.
    around: Option<Around>,
}

#[derive(Clone, Copy)]
struct Around {
    start: Instant,
    now: Instant,
    others: VantageVotes,
}

/// The packets of one epoch.
#[derive(Default)]
struct Epoch {
    /// The position of its first packet in the capture.
    base: u64,
    packets: Vec<Kept>,
    payload: Vec<u8>,
    /// For each shard, the positions of its packets in the list.
    shares: [Vec<u32>; SHARDS],
}

struct Kept {
    packet: Packet<'static>,
    route: Route,
    payload: Range<usize>,
}

/// The rows of the previous epoch, which are being written.
struct Writing {
    writer: DatasetWriter,
    ready: Vec<Ready>,
    failure: Option<Error>,
}

impl Shards {
    /// Creates shards that write into `writer` and are run by `threads` threads (0 for one per
    /// core).
    ///
    /// # Errors
    /// Fails for a table that cannot be written.
    pub(crate) fn new(
        config: &TrackConfig,
        parameters: &Parameters,
        tables: &[TableInfo],
        writer: DatasetWriter,
        threads: usize,
        radio: &Arc<PhoneRadios>,
    ) -> Result<Self, Error> {
        let shard = |_| {
            let engine = Engine::new(parameters.clone(), Batches::new(tables));
            let engine = engine.with_radio(Arc::clone(radio));
            let tracker = Tracker::new(config.clone(), engine);
            Ok(Mutex::new(Shard { tracker, around: None }))
        };
        let shards = (0..SHARDS).map(shard).collect::<Result<_, Error>>()?;
        let output = Mutex::new(Writing { writer, ready: Vec::new(), failure: None });
        let work = Arc::new(Work { shards, epoch: RwLock::default(), output });
        let pool = Pool::new(threads, SHARDS + 1, {
            let work = Arc::clone(&work);
            move |job| work.run(job)
        });
        let (router, reading) = (Router::new(config), Epoch::default());
        let first = Instant::MIN;
        let budget = Budget::new(DEFAULT_BYTES);
        Ok(Self {
            router,
            reading,
            epoch: FIRST_EPOCH,
            packets: 0,
            start: None,
            first,
            budget,
            work,
            pool,
        })
    }

    /// Returns the shards with another limit for the memory of live flows and phones.
    pub(crate) fn with_memory(self, bytes: u64) -> Self {
        Self { budget: Budget::new(bytes), ..self }
    }

    /// Takes one packet; packets come in the order of the capture.
    #[inline]
    pub(crate) fn packet(&mut self, packet: &Packet<'_>) {
        if self.reading.packets.is_empty() {
            self.first = packet.time;
            self.start.get_or_insert(packet.time);
        }
        let route = self.router.route(packet);
        if route.copy {
            return;
        }
        let shard = (route.spread() >> 32) as usize % SHARDS;
        self.reading.keep(packet, route, shard);
        if self.reading.is_over(self.epoch) {
            self.turn();
        }
    }

    /// Returns the first error of the epochs that are done.
    ///
    /// # Errors
    /// Fails with the first error of making or writing rows.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.work.output().failure.clone().map_or(Ok(()), Err)
    }

    /// Ends every flow and session, and returns the results.
    ///
    /// # Errors
    /// Fails with the first error of making or writing rows.
    pub(crate) fn finish(mut self, last: Option<Instant>) -> Result<Finished, Error> {
        self.turn();
        if let Some(last) = last {
            self.first = self.first.max(last);
        }
        self.turn();
        self.pool.finish();
        let Self { router, work, pool, .. } = self;
        let (copies, guessed) = (router.copies(), router.guessed());
        drop(pool);
        let flows = work.opened().flows;
        let votes = work.votes();
        let ended_early = work.shards.iter().map(|shard| lock(shard).tracker.ended_early()).sum();
        let for_memory = work.shards.iter().map(|shard| lock(shard).tracker.ended_for_memory());
        let ended_for_memory = for_memory.sum();
        let work =
            Arc::into_inner(work).ok_or_else(|| Error::output("a thread is still running"))?;
        let mut writing = work.output.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut sums = Sums::default();
        for shard in work.shards {
            let shard = shard.into_inner().unwrap_or_else(PoisonError::into_inner);
            let tracker = shard.tracker;
            let engine = tracker.finish_in_steps(|engine| {
                writing.take(engine.output());
                writing.write();
            });
            let mut batches = engine.finish();
            batches.close();
            writing.take(&mut batches);
            writing.write();
            sums.merge(batches.sums());
        }
        match writing.failure {
            Some(error) => Err(error),
            None => Ok(Finished {
                writer: writing.writer,
                votes,
                ended_early,
                ended_for_memory,
                copies,
                flows,
                guessed,
                sums,
            }),
        }
    }

    /// Passes the epoch that was read to the shards, as soon as the previous epoch is done.
    fn turn(&mut self) {
        self.pool.finish();
        self.work.collect();
        self.work.bound();
        let come = Come { packets: self.packets, opened: self.work.opened() };
        if self.budget.is_due(come) {
            self.work.make_room(&mut self.budget);
        }
        let votes = self.work.votes();
        if let Some(start) = self.start {
            let now = self.first;
            for shard in &self.work.shards {
                let mut shard = lock(shard);
                let others = votes - shard.tracker.votes();
                shard.around = Some(Around { start, now, others });
            }
        }
        let mut epoch = self.work.epoch.write().unwrap_or_else(PoisonError::into_inner);
        self.reading.base = self.packets;
        self.packets += self.reading.packets.len() as u64;
        mem::swap(&mut *epoch, &mut self.reading);
        drop(epoch);
        self.pool.start();
        self.reading.clear();
        self.epoch = (self.epoch * 2).min(EPOCH);
    }
}

impl Work {
    /// Runs a job: job 0 writes the rows of the previous epoch, every other job runs a shard.
    fn run(&self, job: usize) {
        let Some(number) = job.checked_sub(1) else {
            return self.output().write();
        };
        let epoch = self.epoch.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((shard, share)) = self.shards.get(number).zip(epoch.shares.get(number)) {
            lock(shard).run(&epoch, share);
        }
    }

    /// Takes the rows out of the shards, in the order of the shards.
    fn collect(&self) {
        let mut output = self.output();
        for shard in &self.shards {
            output.take(lock(shard).tracker.handler().output());
        }
    }

    /// Limits the memory that all shards use for the sums of the verdict. This happens between two
    /// epochs, so that the number of threads changes nothing.
    fn bound(&self) {
        let held = self.shards.iter().map(|shard| lock(shard).tracker.handler().output().held());
        if let Some(reason) = held.fold(Held::default(), Held::add).too_much() {
            for shard in &self.shards {
                lock(shard).tracker.handler().output().give_up(reason);
            }
        }
    }

    /// The number of flows that were begun.
    fn opened(&self) -> Opened {
        let opened = self.shards.iter().map(|shard| lock(shard).tracker.opened());
        opened.fold(Opened::default(), |sum, more| Opened {
            flows: sum.flows + more.flows,
            whole: sum.whole + more.whole,
        })
    }

    /// Ends the flows whose last packets are the oldest, if all flows together use too much memory.
    fn make_room(&self, budget: &mut Budget) {
        let bytes = |shard: &Mutex<Shard>| -> u64 {
            let mut shard = lock(shard);
            shard.tracker.give_back();
            shard.tracker.held().map(|each| each.bytes).sum()
        };
        if !budget.is_exceeded(self.shards.iter().map(bytes).sum()) {
            return;
        }
        let all =
            self.shards.iter().flat_map(|shard| lock(shard).tracker.held().collect::<Vec<_>>());
        let Some(last) = budget.last_to_leave(all) else { return };
        let mut output = self.output();
        for shard in &self.shards {
            let tracker = &mut lock(shard).tracker;
            tracker.end_until(last, |engine| {
                output.take(engine.output());
                output.write();
            });
            output.take(tracker.handler().output());
            output.write();
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
    fn run(&mut self, epoch: &Epoch, share: &[u32]) {
        if let Some(Around { start, now, others }) = self.around.take() {
            self.tracker.advance(start, now, others);
        }
        for index in share {
            let Some(kept) = epoch.packets.get(*index as usize) else { continue };
            let place = epoch.base + u64::from(*index);
            match epoch.payload.get(kept.payload.clone()).unwrap_or_default() {
                [] => self.tracker.routed(&kept.packet, kept.route, place),
                payload => {
                    let packet = Packet { payload, ..kept.packet.clone() };
                    self.tracker.routed(&packet, kept.route, place);
                }
            }
        }
    }
}

impl Epoch {
    #[inline]
    fn keep(&mut self, packet: &Packet<'_>, route: Route, shard: usize) {
        let whole = packet.payload.len() > PAYLOAD_KEPT && is_read_whole(packet, route);
        let kept = if whole { usize::MAX } else { PAYLOAD_KEPT }.min(packet.payload.len());
        let from = self.payload.len();
        self.payload.extend_from_slice(packet.payload.get(..kept).unwrap_or_default());
        let payload = from..self.payload.len();
        if let Some(share) = self.shares.get_mut(shard) {
            share.push(self.packets.len() as u32);
        }
        let packet = Packet { payload: &[], ..packet.clone() };
        self.packets.push(Kept { packet, route, payload });
    }

    /// Whether the next packet belongs to another epoch.
    #[inline]
    const fn is_over(&self, packets: usize) -> bool {
        self.packets.len() >= packets || self.payload.len() >= EPOCH_BYTES
    }

    fn clear(&mut self) {
        self.packets.clear();
        self.payload.clear();
        self.shares.iter_mut().for_each(Vec::clear);
    }
}

/// Whether an analysis may read all of a payload: DNS (methods B3), what a phone sends (the
/// ClientHello may span segments), the hellos of servers, and messages in clear (methods F1).
fn is_read_whole(packet: &Packet<'_>, route: Route) -> bool {
    match &packet.transport {
        Transport::Udp { source_port, destination_port, .. } => {
            *source_port == DNS_PORT || *destination_port == DNS_PORT
        }
        Transport::Tcp(header) => {
            route.sender == Side::Ue
                || header.source_port != HTTPS_PORT
                || READ_WHOLE.iter().any(|begin| packet.payload.starts_with(begin))
        }
        _ => false,
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

/// Locks a mutex even if it is poisoned: the pool passes the panic of a job on, so no second one is
/// needed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use airmile_read::TcpHeader;
    use airmile_types::Address;

    use super::*;

    #[test]
    fn records_joined_by_offload_fill_an_epoch_before_its_packets_do() {
        const BYTES: usize = 65_000;
        let payload = vec![0; BYTES];
        let packet = Packet {
            source: Address::v4([203, 0, 113, 9]),
            destination: Address::v4([10, 0, 0, 1]),
            transport: Transport::Tcp(TcpHeader { source_port: 5201, ..TcpHeader::default() }),
            payload: &payload,
            ..Packet::default()
        };
        let route = Router::new(&TrackConfig::default()).route(&packet);
        let mut epoch = Epoch::default();
        while !epoch.is_over(EPOCH) {
            epoch.keep(&packet, route, 0);
        }
        assert!(epoch.payload.len() < EPOCH_BYTES + BYTES);
    }
}
