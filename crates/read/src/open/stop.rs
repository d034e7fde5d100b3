//! When to stop waiting for a silent input.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};

/// Decides before each read of a pipe or device, and while one is silent, whether to go on; where
/// it decides to stop, the input ends. The default never stops.
#[derive(Clone, Default)]
pub struct Stop(Option<Arc<Shared>>);

struct Shared {
    decide: Box<dyn Fn() -> ControlFlow<()> + Send + Sync>,
    /// Python receives signals on one thread alone, and no other thread may call it while it shuts
    /// down.
    owner: ThreadId,
    stopped: AtomicBool,
}

impl Stop {
    /// Stops when `decide` breaks. Only the thread that called `new` calls it.
    pub fn new(decide: impl Fn() -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        let (owner, stopped) = (thread::current().id(), AtomicBool::new(false));
        Self(Some(Arc::new(Shared { decide: Box::new(decide), owner, stopped })))
    }

    /// Decides whether to go on; after a first break the answer is always a break.
    pub fn go_on(&self) -> ControlFlow<()> {
        let Some(shared) = &self.0 else { return ControlFlow::Continue(()) };
        if thread::current().id() == shared.owner && (shared.decide)().is_break() {
            shared.stopped.store(true, Ordering::Relaxed);
        }
        if shared.stopped.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Stop(decides)" } else { "Stop(never)" })
    }
}
