//! From a thread that must never wait to one that may: what one gives, the other takes a little
//! later, in order.
//!
//! A channel wakes its receiver under a lock; a receiver that is of lower priority and loses its
//! core within that lock holds the sender up for as long as others are busy. Here the giver only
//! ever tries the lock, and keeps what it has when it is taken.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, TryLockError};
use std::time::Duration;

/// Room made in advance: a second of 100 Mbit/s.
const ROOM: usize = 1 << 15;
/// The taker looks this often.
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

    /// Lays what was given where the taker finds it, unless that is still full or being emptied.
    pub(super) fn pass_on(&mut self) {
        if Arc::strong_count(&self.between) == 1 {
            // The taker broke off, and nobody will ever ask.
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

    /// Waits until all is where the taker finds it, and says that it is the last.
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
    /// What has come; `None` when nothing will any more. What is left in it is lost.
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
