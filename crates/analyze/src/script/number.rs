//! Reads numbers in packet scripts.

/// Reads a number; the error quotes the word.
pub(super) fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("`{word}` is not a number that fits here"))
}

/// A number that may be relative to an earlier packet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Number {
    /// The same number as in the sender's previous packet.
    #[default]
    Same,
    /// The number itself.
    Is(i64),
    /// This much more than in the sender's previous packet.
    Plus(i64),
    /// The newest value: all that the peer has sent (`all`), or the last value that the peer has
    /// sent (`last`).
    Newest,
}

/// Reads `17`, `+10`, `all` or `last`.
pub(super) fn relative(word: &str) -> Result<Number, String> {
    Ok(match (word, word.strip_prefix('+')) {
        ("all" | "last", _) => Number::Newest,
        (_, Some(more)) => Number::Plus(number(more)?),
        (word, None) => Number::Is(number(word)?),
    })
}
