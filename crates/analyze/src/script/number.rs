//! Reads numbers in packet scripts.

/// Reads a number; the error quotes the word.
pub(super) fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("`{word}` is not a number that fits here"))
}
