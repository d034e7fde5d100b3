//! Sets the allocator of the engine: it ends the process with a message when memory runs out, and
//! returns memory to the system after a run.

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::c_int;
use std::io::Write;

use mimalloc::MiMalloc;

/// Each flow has some small queues of its own that come and go with it, and a shard may free on one
/// thread what was allocated on another; mimalloc is used because it handles both well.
#[global_allocator]
static ALLOCATOR: Sure = Sure;

/// The exit code when the machine refuses memory (`airmile._errors`).
const ENVIRONMENT: c_int = 5;

/// mimalloc, which ends the process when there is no memory. It does not unwind or clean up, so
/// files stay as a kill would leave them. The standard library would abort, with a core dump.
struct Sure;

#[expect(unsafe_code, reason = "the one way to learn of it; each call is passed on unchanged")]
// SAFETY: every method passes its arguments on to mimalloc, whose contract is the same, and returns
// the result; when the result is null, the method does not return.
unsafe impl GlobalAlloc for Sure {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        sure(unsafe { MiMalloc.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        sure(unsafe { MiMalloc.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { MiMalloc.dealloc(memory, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        sure(unsafe { MiMalloc.realloc(memory, layout, size) }, size)
    }
}

#[inline]
fn sure(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        end(bytes);
    }
    memory
}

#[cold]
#[inline(never)]
fn end(bytes: usize) -> ! {
    // Nothing here allocates, and nothing is written to a closed standard error.
    let _ = writeln!(
        std::io::stderr(),
        "error: no memory: the system gives no {bytes} bytes more\n\n\
         hint: end other programs, raise the limit (ulimit -v), or cut the capture with editcap -c"
    );
    _exit(ENVIRONMENT)
}

#[expect(unsafe_code, reason = "neither takes a pointer: any thread may call them at any time")]
unsafe extern "C" {
    /// Ends the process at once (_exit(2)).
    safe fn _exit(code: c_int) -> !;

    /// Returns free pages to the system. The allocator keeps freed memory for later allocations;
    /// but DuckDB, which runs next, has an allocator of its own, and no function of the crate
    /// `mimalloc` releases that memory.
    pub(crate) safe fn mi_collect(force: bool);
}
