//! When to stop waiting for an input that says nothing.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};

/// Asked before each read of a pipe or device and while one is silent; where it says to stop, the
/// input ends there. The default never does.
#[derive(Clone, Default)]
pub struct Stop(Option<Arc<Asked>>);

struct Asked {
    ask: Box<dyn Fn() -> ControlFlow<()> + Send + Sync>,
    /// Python hears signals on one thread alone, and lets no other in while it shuts down.
    owner: ThreadId,
    heard: AtomicBool,
}

impl Stop {
    /// Stops when `ask` breaks, which only the thread that made this calls.
    pub fn new(ask: impl Fn() -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        let (owner, heard) = (thread::current().id(), AtomicBool::new(false));
        Self(Some(Arc::new(Asked { ask: Box::new(ask), owner, heard })))
    }

    /// Asks whether to go on; once it said no it says no more.
    pub fn go_on(&self) -> ControlFlow<()> {
        let Some(asked) = &self.0 else { return ControlFlow::Continue(()) };
        if thread::current().id() == asked.owner && (asked.ask)().is_break() {
            asked.heard.store(true, Ordering::Relaxed);
        }
        if asked.heard.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Stop(asks)" } else { "Stop(never)" })
    }
}
