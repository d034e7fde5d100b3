//! Divides the work by subscriber: the same rows in the same order, whatever the number of threads.
//!
//! Packets go to a fixed number of shards, in epochs of a fixed number of packets or bytes. Each shard has
//! its own tracker with its own subscribers. While one epoch is being analysed, the next is read.
//! Within an epoch, nothing that reaches a shard depends on the progress of another shard, so the
//! threads that run the shards change no byte of the dataset.

pub(crate) mod captures;
mod epoch;
pub(crate) mod feed;
pub(crate) mod memory;
pub(crate) mod phones;
pub(crate) mod pool;
mod room;
mod series;
mod shard;
pub(crate) mod twins;

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use airmile_analyze::{Engine, TableInfo};
use airmile_radio::PhoneRadios;
use airmile_read::Packet;
use airmile_track::{Guesses, Router, TrackConfig, Tracker, Unnamed, VantageVotes};
use airmile_types::{Instant, Parameters};

use crate::error::Error;
use crate::shards::captures::Captures;
use crate::shards::epoch::{EPOCH, Epoch, FIRST_EPOCH, SHARDS};
use crate::shards::memory::{Budget, DEFAULT_BYTES};
use crate::shards::phones::Joined;
use crate::shards::pool::Pool;
use crate::shards::shard::{Around, Shard};
use crate::verdict::Sums;
use crate::write::batches::{Batches, Ready};
use crate::write::writer::DatasetWriter;

/// Distributes packets to shards and runs the shards.
pub(crate) struct Shards {
    router: Router,
    /// The epoch that is being read.
    reading: Epoch,
    epoch: usize,
    /// The number of packets in all earlier epochs.
    packets: u64,
    first: Instant,
    /// When each capture began.
    starts: Arc<[Instant]>,
    /// How many captures are over, and those of them of which the shards do not know yet.
    over: usize,
    just_over: Vec<u32>,
    budget: Budget,
    /// The memory of the open inputs, in bytes.
    inputs_bytes: u64,
    /// How often the tunnels of phones were forgotten because of their memory.
    forgotten: u64,
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
    /// How often the tunnels of phones were forgotten, because they used too much memory.
    pub(crate) forgotten: u64,
    /// The number of packets left out because a phone recorded them in two forms.
    pub(crate) copies: u64,
    /// The number of flows, and of those whose phone was guessed.
    pub(crate) flows: u64,
    pub(crate) guesses: Guesses,
    /// The flows of which the networks of `--ue-net` do not tell the phone.
    pub(crate) unnamed: Unnamed,
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
            Ok(Mutex::new(Shard::new(tracker)))
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
        let budget = Budget::of_process(DEFAULT_BYTES);
        Ok(Self {
            router,
            reading,
            epoch: FIRST_EPOCH,
            packets: 0,
            first,
            starts: Arc::default(),
            over: 0,
            just_over: Vec::new(),
            budget,
            inputs_bytes: 0,
            forgotten: 0,
            work,
            pool,
        })
    }

    /// Returns the shards with another limit for the memory of the process.
    pub(crate) fn with_memory(self, bytes: u64) -> Self {
        Self { budget: Budget::of_process(bytes), ..self }
    }

    /// Notes the addresses that belong to one phone.
    pub(crate) fn join(&mut self, joined: &[Joined]) {
        joined.iter().for_each(|pair| self.router.join(pair.known, pair.other));
    }

    /// Notes how much memory the open inputs use, in bytes.
    #[inline]
    pub(crate) const fn note_inputs(&mut self, bytes: u64) {
        self.inputs_bytes = bytes;
    }

    /// Notes the captures that have begun, and those that are over, before the next packet.
    #[inline]
    pub(crate) fn note_captures(&mut self, captures: &Captures) {
        if captures.starts().len() > self.starts.len() || captures.over().len() > self.over {
            self.turn_to(captures);
        }
    }

    /// Takes one packet; packets come in the order of the capture.
    #[inline]
    pub(crate) fn packet(&mut self, packet: &Packet<'_>) {
        if self.reading.packets.is_empty() {
            self.first = packet.time;
        }
        let route = self.router.route(packet);
        if route.copy {
            return;
        }
        let shard = (route.spread() >> 32) as usize % SHARDS;
        self.reading.keep(packet, route, shard);
        if self.reading.is_over(self.epoch, self.budget.epoch_bytes()) {
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
        let Self { router, work, pool, forgotten, .. } = self;
        let (copies, guesses) = (router.copies(), router.guesses());
        drop(pool);
        let flows = work.come().opened.flows;
        let (votes, unnamed) = (work.votes(), work.unnamed());
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
                forgotten,
                copies,
                flows,
                guesses,
                unnamed,
                sums,
            }),
        }
    }

    /// Ends the epoch, so that the shards know of the captures before the next one.
    #[cold]
    fn turn_to(&mut self, captures: &Captures) {
        if !self.reading.packets.is_empty() {
            self.turn();
        }
        self.starts = captures.starts().into();
        self.just_over.extend(captures.over().iter().skip(self.over));
        self.over = captures.over().len();
    }

    /// Passes the epoch that was read to the shards, as soon as the previous epoch is done.
    fn turn(&mut self) {
        self.finish_epoch();
        let (votes, now) = (self.work.votes(), self.first);
        let over: Arc<[u32]> = mem::take(&mut self.just_over).into();
        for shard in &self.work.shards {
            let mut shard = lock(shard);
            let others = votes - shard.tracker.votes();
            let (starts, over) = (Arc::clone(&self.starts), Arc::clone(&over));
            shard.begin(Around { starts, now, others, over });
        }
        let mut epoch = self.work.epoch.write().unwrap_or_else(PoisonError::into_inner);
        self.reading.base = self.packets;
        self.packets += self.reading.packets.len() as u64;
        mem::swap(&mut *epoch, &mut self.reading);
        drop(epoch);
        self.work.go_on(self.budget.packets());
        self.pool.start();
        self.reading.clear();
        self.epoch = (self.epoch * 2).min(EPOCH);
    }

    /// Waits until the shards have taken all packets of their epoch. Where memory is short, they
    /// take them in several rounds, all up to the same packet, and memory is counted in between.
    fn finish_epoch(&mut self) {
        loop {
            self.pool.finish();
            self.work.collect();
            self.work.bound(self.budget.side_bytes());
            if self.budget.is_due(self.work.come()) {
                self.make_room();
            }
            if !self.work.go_on(self.budget.packets()) {
                return;
            }
            self.pool.start();
        }
    }

    fn make_room(&mut self) {
        if self.router.tunnels_bytes() > self.budget.side_bytes() {
            self.router.forget_tunnels();
            self.forgotten += 1;
        }
        let others = self.router.held_bytes() + self.reading.held_bytes() + self.inputs_bytes;
        self.work.make_room(&mut self.budget, others);
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

    fn votes(&self) -> VantageVotes {
        let votes = self.shards.iter().map(|shard| lock(shard).tracker.votes());
        votes.fold(VantageVotes::default(), |sum, more| sum + more)
    }

    fn unnamed(&self) -> Unnamed {
        let each = self.shards.iter().map(|shard| lock(shard).tracker.unnamed());
        each.fold(Unnamed::default(), |sum, more| sum + more)
    }

    fn output(&self) -> MutexGuard<'_, Writing> {
        lock(&self.output)
    }
}

impl Writing {
    fn take(&mut self, batches: &mut Batches) {
        match batches.take_ready() {
            Ok(ready) => self.ready.extend(ready),
            Err(error) => self.fail(error),
        }
    }

    /// The memory of the rows that wait, and of what the writer keeps, in bytes.
    fn held_bytes(&self) -> u64 {
        let ready: usize = self.ready.iter().map(|ready| ready.rows.held_bytes()).sum();
        (ready + self.writer.held_bytes()) as u64
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
