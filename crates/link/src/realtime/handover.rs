//! Passes items from a thread that must never wait to a thread that may wait. The second thread
//! takes the items a little later, in order.
//!
//! A channel wakes its receiver under a lock. If the receiver has a lower priority and loses its
//! core while it has the lock, it delays the sender for as long as other threads are busy. Here the
//! sender only ever tries the lock, and keeps its items when the lock is taken.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, TryLockError};
use std::time::Duration;

/// The number of items to reserve memory for: a second at 100 Mbit/s.
const ROOM: usize = 1 << 15;
/// The time between two looks of the receiving thread.
const PERIOD: Duration = Duration::from_millis(20);

#[derive(Debug)]
struct Between<T> {
    slot: Mutex<Vec<T>>,
    closed: AtomicBool,
}

#[derive(Debug)]
pub(super) struct Giver<T> {
    own: Vec<T>,
    between: Arc<Between<T>>,
}

#[derive(Debug)]
pub(super) struct Taker<T> {
    own: Vec<T>,
    between: Arc<Between<T>>,
}

pub(super) fn handover<T>() -> (Giver<T>, Taker<T>) {
    let room = || Vec::with_capacity(ROOM);
    let between = Arc::new(Between { slot: Mutex::new(room()), closed: AtomicBool::new(false) });
    (Giver { own: room(), between: Arc::clone(&between) }, Taker { own: room(), between })
}

impl<T> Giver<T> {
    pub(super) fn give(&mut self, thing: T) {
        self.own.push(thing);
    }

    /// Passes the items on to the receiving thread, unless earlier items are still there or being
    /// taken.
    pub(super) fn pass_on(&mut self) {
        if Arc::strong_count(&self.between) == 1 {
            // The receiving thread has ended, and will never take the items.
            return self.own.clear();
        }
        let mut slot = match self.between.slot.try_lock() {
            Ok(slot) => slot,
            Err(TryLockError::Poisoned(broken)) => broken.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if slot.is_empty() {
            std::mem::swap(&mut *slot, &mut self.own);
        }
    }

    /// Waits until all items are passed on, and marks them as the last.
    pub(super) fn close(&mut self) {
        let mut slot = self.between.slot.lock().unwrap_or_else(|broken| broken.into_inner());
        slot.append(&mut self.own);
        drop(slot);
        self.between.closed.store(true, Ordering::Release);
    }
}

impl<T> Drop for Giver<T> {
    fn drop(&mut self) {
        self.close();
    }
}

impl<T> Taker<T> {
    /// Returns the items that have come; `None` when no more will come. Items that the caller
    /// leaves in the vector are lost.
    pub(super) fn take(&mut self) -> Option<&mut Vec<T>> {
        self.own.clear();
        loop {
            let closed = self.between.closed.load(Ordering::Acquire);
            let mut slot = self.between.slot.lock().unwrap_or_else(|broken| broken.into_inner());
            std::mem::swap(&mut *slot, &mut self.own);
            drop(slot);
            if !self.own.is_empty() {
                return Some(&mut self.own);
            }
            if closed {
                return None;
            }
            std::thread::sleep(PERIOD);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_in_order_and_then_the_end() {
        let (mut giver, mut taker) = handover();
        let taking = std::thread::spawn(move || {
            let mut all = Vec::new();
            while let Some(some) = taker.take() {
                all.append(some);
            }
            all
        });
        for number in 0..300_000 {
            giver.give(number);
            if number % 7 == 0 {
                giver.pass_on();
            }
        }
        giver.close();
        assert_eq!(taking.join().unwrap(), (0..300_000).collect::<Vec<_>>());
    }

    #[test]
    fn a_taker_that_holds_the_lock_stops_nobody() {
        let (mut giver, taker) = handover();
        giver.give(1);
        let between = Arc::clone(&taker.between);
        let held = between.slot.lock().unwrap();
        giver.pass_on();
        assert!(held.is_empty());
        drop(held);
        giver.pass_on();
        assert_eq!(*between.slot.lock().unwrap(), [1]);
    }

    #[test]
    fn nothing_is_kept_for_a_taker_that_is_gone() {
        let (mut giver, taker) = handover();
        drop(taker);
        giver.give(1);
        giver.pass_on();
        assert!(giver.own.is_empty());
    }

    #[test]
    fn a_giver_that_is_gone_is_the_end() {
        let (giver, mut taker) = handover::<u8>();
        drop(giver);
        assert!(taker.take().is_none());
    }
}
