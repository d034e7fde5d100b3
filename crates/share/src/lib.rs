//! How many cases a test runs: a fixed share in `make test`, all of them in `make check-all`, which
//! sets the environment variable [`WHOLE`] to 1. Only tests use this crate; `tests/support/share.py`
//! is its counterpart for Python.
//!
//! Each function prints a line that begins with `share:`; `tools/check` collects these lines, and
//! lists at its end what is left to `make check-all`.

#![expect(clippy::print_stdout, reason = "says which share of the cases a test runs")]

/// The environment variable that is 1 where tests run all of their cases.
pub const WHOLE: &str = "AIRMILE_WHOLE";

/// Gives the number of cases to run: `whole` in `make check-all`, otherwise `few`. Prints what the
/// cases are, in the plural, as `what` names them.
///
/// ```
/// let rounds = airmile_share::cases(50, 3_000, "rounds of damaged frames");
/// assert!(rounds == 50 || rounds == 3_000);
/// ```
pub fn cases(few: u32, whole: u32, what: &str) -> u32 {
    if is_whole() {
        return whole;
    }
    println!("share: {few} of {whole} {what}");
    few
}

/// Whether a test that runs in `make check-all` alone is to run. Where it is not, prints `what` the
/// test would do; the test then returns.
///
/// ```no_run
/// if !airmile_share::whole("every capture of the corpus, packet by packet") {
///     return;
/// }
/// ```
pub fn whole(what: &str) -> bool {
    if !is_whole() {
        println!("share: none of {what}");
    }
    is_whole()
}

fn is_whole() -> bool {
    std::env::var_os(WHOLE).is_some_and(|value| value == "1")
}
