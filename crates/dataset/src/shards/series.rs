//! Recognises the files of a rotating series by their names (methods A1).

use std::collections::HashMap;

use airmile_types::Duration;

/// The input that a file continues if it begins soon enough after that file's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Follows {
    pub(super) input: usize,
    /// The longest silence between the two files.
    pub(super) most: Duration,
}

/// For each name, the input that the file continues, if names show it:
///
/// - `NAME_00002_20261128120000.pcapng` continues number 1 (dumpcap);
/// - `NAME.pcap2` continues `NAME.pcap1`, which continues `NAME.pcap` (tcpdump -C);
/// - of three files or more whose names differ only in a date and a time, at equal distances, each
///   continues the one before (tcpdump -G), unless it was silent for half of that distance: another
///   program may have recorded a part of each period.
pub(super) fn follows(names: &[String]) -> Vec<Option<Follows>> {
    let mut found = vec![None; names.len()];
    numbered(names, dumpcap, &mut found);
    numbered(names, tcpdump_size, &mut found);
    timed(names, &mut found);
    found
}

/// The name with each run of digits in the name of its file replaced by one sign: equal for files
/// of a folder whose names differ only in numbers.
pub(super) fn shape(name: &str) -> String {
    let file = name.rfind(['/', '\\']).map_or(0, |at| at + 1);
    let (folder, file) = name.split_at(file);
    let mut shape = folder.to_owned();
    for character in file.chars() {
        match character {
            '0'..='9' if shape.ends_with('\0') => {}
            '0'..='9' => shape.push('\0'),
            other => shape.push(other),
        }
    }
    shape
}

/// The place of a file in its series.
struct Place {
    series: String,
    /// The order of files with equal numbers, as of several runs of the same program.
    time: u64,
    number: u64,
}

/// Joins each file to the one with the number before it.
fn numbered(
    names: &[String],
    place: impl Fn(&str) -> Option<Place>,
    found: &mut [Option<Follows>],
) {
    let mut places: Vec<(usize, Place)> =
        names.iter().enumerate().filter_map(|(input, name)| Some((input, place(name)?))).collect();
    places.sort_by_key(|(_, place)| (place.time, place.number));
    let mut newest: HashMap<String, (u64, usize)> = HashMap::new();
    for (input, Place { series, number, .. }) in places {
        let before = newest.insert(series, (number, input));
        let before = before.filter(|(earlier, _)| earlier.checked_add(1) == Some(number));
        if let (Some((_, before)), Some(slot)) = (before, found.get_mut(input)) {
            *slot = Some(Follows { input: before, most: Duration::MAX });
        }
    }
}

/// The place of `NAME_00001_20261128120000.pcapng`.
fn dumpcap(name: &str) -> Option<Place> {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let (stem, time) = stem.rsplit_once('_')?;
    let (series, number) = stem.rsplit_once('_')?;
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = time.len() == 14 && number.len() >= 5 && are_digits(time) && are_digits(number);
    let place = || {
        let series = format!("{series}_{extension}");
        Some(Place { series, time: time.parse().ok()?, number: number.parse().ok()? })
    };
    fits.then(place).flatten()
}

/// The extensions after which tcpdump writes a number.
const EXTENSIONS: [&str; 4] = [".pcap", ".cap", ".dmp", ".pcapng"];

/// The place of `NAME.pcap`, `NAME.pcap1` or `NAME.pcap1.gz`.
fn tcpdump_size(name: &str) -> Option<Place> {
    let packed = [".gz", ".zst"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let series = packed.trim_end_matches(|character: char| character.is_ascii_digit());
    let number = packed.get(series.len()..)?;
    let number = if number.is_empty() { 0 } else { number.parse().ok()? };
    let fits = EXTENSIONS.iter().any(|extension| series.ends_with(extension));
    fits.then(|| Place { series: series.to_owned(), time: 0, number })
}

/// The fewest files that show a period.
const LEAST_FILES: usize = 3;

/// Joins files whose names differ only in a time, at equal distances.
fn timed(names: &[String], found: &mut [Option<Follows>]) {
    let mut series: HashMap<String, Vec<(i64, usize)>> = HashMap::new();
    for (input, name) in names.iter().enumerate() {
        if let Some(time_s) = time_s(name) {
            series.entry(shape(name)).or_default().push((time_s, input));
        }
    }
    for mut files in series.into_values().filter(|files| files.len() >= LEAST_FILES) {
        files.sort_unstable();
        let steps = || files.iter().zip(files.iter().skip(1)).map(|(a, b)| (b.0 - a.0, a.1, b.1));
        let Some(period_s) = steps().map(|(step_s, ..)| step_s).min().filter(|s| *s > 0) else {
            continue;
        };
        // A second more or less is due to the moment at which the packet came that began the file.
        let joined = steps().filter(|(step_s, ..)| step_s - period_s <= 1);
        for (_, before, input) in joined {
            if let Some(slot) = found.get_mut(input) {
                let most = Duration::from_millis(period_s * 500);
                *slot = slot.or(Some(Follows { input: before, most }));
            }
        }
    }
}

/// The time in seconds that the digits of a name are: a date and a time of 14 or 12 digits, or
/// seconds since 1970 (10 digits). Only differences of such times have a meaning.
fn time_s(name: &str) -> Option<i64> {
    let file = name.rsplit(['/', '\\']).next()?;
    let digits: String = file.chars().filter(char::is_ascii_digit).collect();
    let part = |from: usize, to: usize| digits.get(from..to)?.parse::<i64>().ok();
    let second = match digits.len() {
        10 => return part(0, 10),
        12 => 0,
        14 => part(12, 14)?,
        _ => return None,
    };
    let (year, month, day) = (part(0, 4)?, part(4, 6)?, part(6, 8)?);
    let (hour, minute) = (part(8, 10)?, part(10, 12)?);
    let is_time = (1970..2200).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 61;
    is_time.then(|| ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second)
}

/// The number of a day of the Gregorian calendar, counted from a fixed day.
const fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March here, so that the leap day is the last one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The index of the file that each file continues.
    fn joined(names: &[&str]) -> Vec<Option<usize>> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        follows(&names).into_iter().map(|found| found.map(|found| found.input)).collect()
    }

    #[test]
    fn files_of_dumpcap_follow_their_numbers_within_a_run() {
        let names = [
            "t_00002_20261128120100.pcapng",
            "t_00001_20261128120000.pcapng",
            "t_00004_20261128120300.pcapng",
            "t_00001_20261129080000.pcapng",
            "u_00003_20261128120200.pcapng",
        ];
        assert_eq!(joined(&names), [Some(1), None, None, None, None]);
    }

    #[test]
    fn files_of_tcpdump_follow_the_number_after_their_extension() {
        let names = ["a/x.pcap", "a/x.pcap2", "a/x.pcap1", "b/x.pcap1", "x10.pcap", "x11.pcap"];
        assert_eq!(joined(&names), [None, Some(2), Some(0), None, None, None]);
        assert_eq!(joined(&["x.pcap.gz", "x.pcap1.gz"]), [None, Some(0)]);
    }

    #[test]
    fn three_files_at_equal_times_are_a_series_and_two_are_none() {
        let names = ["m-2026-02-28_2300.pcap", "m-2026-03-01_0000.pcap", "m-2026-03-01_0100.pcap"];
        assert_eq!(joined(&names), [None, Some(0), Some(1)]);
        assert_eq!(joined(&names[..2]), [None, None]);
        let most = follows(&names.map(str::to_owned))[1].map(|found| found.most);
        assert_eq!(most, Some(Duration::from_secs(1800)));
        let uneven = ["c-1700000000.pcap", "c-1700000060.pcap", "c-1700000300.pcap"];
        assert_eq!(joined(&uneven), [None, Some(0), None]);
    }

    #[test]
    fn numbers_that_a_person_gave_are_no_series() {
        assert_eq!(joined(&["cubic1.pcap", "cubic2.pcap", "cubic3.pcap"]), [None, None, None]);
    }

    #[test]
    fn names_that_differ_only_in_numbers_have_one_shape() {
        assert_eq!(shape("cubic1.pcap"), shape("cubic12.pcap"));
        assert_ne!(shape("cubic1.pcap"), shape("bbr1.pcap"));
        assert_ne!(shape("phone1/1.pcap"), shape("phone2/1.pcap"));
    }
}
