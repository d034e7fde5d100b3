//! Decides when to stop waiting for an input that gives no data.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};

/// Decides whether to continue reading a pipe or device; asked before each read, and repeatedly
/// while no data comes. When it decides to stop, the input ends. The default never stops.
#[derive(Clone, Default)]
pub struct Stop(Option<Arc<Shared>>);

struct Shared {
    decide: Box<dyn Fn() -> ControlFlow<()> + Send + Sync>,
    /// The thread that may call `decide`. Python delivers signals to one thread only, and no other
    /// thread may call Python while it shuts down.
    owner: ThreadId,
    stopped: AtomicBool,
}

impl Stop {
    /// Stops when `decide` returns a break. Only the thread that called `new` calls `decide`.
    pub fn new(decide: impl Fn() -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        let (owner, stopped) = (thread::current().id(), AtomicBool::new(false));
        Self(Some(Arc::new(Shared { decide: Box::new(decide), owner, stopped })))
    }

    /// Whether to continue. After the first break, every answer is a break.
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
