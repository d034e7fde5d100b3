//! Finds values in a dump by name.

/// The whole number after a name, with or without spaces around the equals sign. `None` if the name
/// is absent, or if Android wrote its value for "unavailable" (`Integer.MAX_VALUE`).
pub(super) fn value(text: &str, name: &str) -> Option<i64> {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (at, _) = text.match_indices(name).find(|(at, _)| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + name.len()..).and_then(|behind| behind.chars().next());
        !before.is_some_and(inside) && !behind.is_some_and(inside)
    })?;
    let rest = text.get(at + name.len()..)?.trim_start().strip_prefix('=')?.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(rest.len());
    rest.get(..end)?.parse().ok().filter(|value| *value != i64::from(i32::MAX))
}
