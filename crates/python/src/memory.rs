//! Memory between the pass and the verdict.

// The allocator keeps what was freed for what comes next; but what comes next is DuckDB, which has
// an allocator of its own. Nothing in the crate `mimalloc` says so to it.
#[expect(unsafe_code, reason = "takes no pointer: any thread may call it at any time")]
unsafe extern "C" {
    /// Gives free pages back to the system.
    pub(crate) safe fn mi_collect(force: bool);
}
