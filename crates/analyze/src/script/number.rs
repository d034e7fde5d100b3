//! Numbers in packet scripts.

/// Any number, with the word in the error.
pub(super) fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("`{word}` is not a number that fits here"))
}
