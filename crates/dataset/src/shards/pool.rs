//! Runs numbered jobs in rounds on a pool of threads.
//!
//! The thread that owns the pool runs jobs too while it waits, so that a pool of one needs no other
//! thread.

use std::any::Any;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, available_parallelism};

type Job = dyn Fn(usize) + Send + Sync;

/// Threads that wait for rounds of work.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    job: Box<Job>,
    jobs: usize,
    state: Mutex<State>,
    /// Signals that a round begins, or that the pool closes.
    begun: Condvar,
    /// Signals that the last job of a round is done.
    done: Condvar,
}

struct State {
    /// The number of the next job of this round that no thread has taken.
    next: usize,
    running: usize,
    closing: bool,
    panic: Option<Box<dyn Any + Send>>,
}

impl Pool {
    /// Creates a pool of `threads` threads (0 for one per core), including the calling one. Each
    /// round runs `job(0)` to `job(jobs - 1)`.
    pub(crate) fn new(
        threads: usize,
        jobs: usize,
        job: impl Fn(usize) + Send + Sync + 'static,
    ) -> Self {
        let cores = || available_parallelism().map_or(1, NonZero::get);
        let threads = if threads == 0 { cores() } else { threads }.min(jobs);
        let state = State { next: jobs, running: 0, closing: false, panic: None };
        let shared = Arc::new(Shared {
            job: Box::new(job),
            jobs,
            state: Mutex::new(state),
            begun: Condvar::new(),
            done: Condvar::new(),
        });
        let spawn = |number| {
            let shared = Arc::clone(&shared);
            let name = format!("airmile-{number}");
            std::thread::Builder::new().name(name).spawn(move || shared.serve())
        };
        // When the system gives no more threads, the work is done with those that it gave.
        let threads = (1..threads).map_while(|number| spawn(number).ok()).collect();
        Self { shared, threads }
    }

    /// Begins a round; the previous round must be finished.
    pub(crate) fn start(&self) {
        self.shared.lock().next = 0;
        self.shared.begun.notify_all();
    }

    /// Runs jobs too until the round is complete. Passes on a panic of a job.
    pub(crate) fn finish(&self) {
        while let Some(job) = self.shared.take() {
            self.shared.run(job);
        }
        let mut state = self.shared.lock();
        while state.running > 0 {
            state = self.shared.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(panic) = state.panic.take() {
            drop(state);
            resume_unwind(panic);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().closing = true;
        self.shared.begun.notify_all();
        for thread in self.threads.drain(..) {
            // Panics of jobs are kept for `finish`; the threads themselves do not panic.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn serve(&self) {
        loop {
            let mut state = self.lock();
            while state.next >= self.jobs && !state.closing {
                state = self.begun.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.closing {
                return;
            }
            drop(state);
            while let Some(job) = self.take() {
                self.run(job);
            }
        }
    }

    fn take(&self) -> Option<usize> {
        let mut state = self.lock();
        let job = state.next;
        if job >= self.jobs {
            return None;
        }
        state.next += 1;
        state.running += 1;
        Some(job)
    }

    fn run(&self, job: usize) {
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.job)(job)));
        let mut state = self.lock();
        state.running -= 1;
        if let Err(panic) = outcome {
            state.panic.get_or_insert(panic);
        }
        if state.running == 0 && state.next >= self.jobs {
            self.done.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_job_is_done_once_a_round_with_any_number_of_threads() {
        for threads in [1, 2, 7] {
            let counts: Arc<Vec<AtomicUsize>> = Arc::new((0..5).map(|_| 0.into()).collect());
            let counted = Arc::clone(&counts);
            let pool = Pool::new(threads, 5, move |job| {
                counted[job].fetch_add(1, Ordering::Relaxed);
            });
            for round in 1..200 {
                pool.start();
                pool.finish();
                assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == round));
            }
        }
    }

    #[test]
    fn a_panic_of_a_job_reaches_the_owner() {
        let pool = Pool::new(3, 4, |job| assert!(job != 2, "job two"));
        pool.start();
        let outcome = catch_unwind(AssertUnwindSafe(|| pool.finish()));
        assert!(outcome.is_err());
    }
}
