//! Reads the options of a run from the words of the command line.

use std::net::IpAddr;
use std::sync::Arc;

use airmile_read::Stop;
use airmile_read::modem::rrc::RrcDecoder;
use airmile_track::TrackConfig;
use airmile_types::{Address, Duration, PARAMETERS, Parameters, Refused, Vantage};

use crate::check::Check;
use crate::error::Error;
use crate::modem::cell_prbs;
use crate::profile;
use crate::shards::memory;

/// The distance, in changed letters, up to which known names are suggested for an unknown one.
const NEAR: usize = 3;

/// The most bytes of a network or of a number of PRBs: spaces and zeros in front are allowed, and a
/// manifest holds the text.
const LONGEST: usize = 64;

/// The options of a run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The thresholds in force, and whether single samples are written.
    pub parameters: Parameters,
    /// The profile that the thresholds come from.
    pub profile: Option<String>,
    /// Whether an existing dataset is replaced.
    pub overwrite: bool,
    /// Whether the SHA-256 of every input is written into the manifest.
    pub hash: bool,
    /// The place where the captures were taken; `None` lets the flows show it.
    pub vantage: Option<Vantage>,
    /// The networks of the phones, as the user gave them.
    pub ue_nets: Vec<String>,
    /// The modem logs, as the user gave them.
    pub modem: Vec<String>,
    /// Whether the bursts of the published online program are also written (`--compat online`).
    pub compat_online: bool,
    /// The bandwidths of cells in PRBs, as the user gave them.
    pub cell_prbs: Vec<String>,
    /// The decoder for RRC messages that may order a phone to move. Without it, only the first bits
    /// of each message count.
    pub rrc: Option<Arc<dyn RrcDecoder>>,
    /// The memory that the process may use, in bytes, if the user has said so.
    pub memory_bytes: Option<u64>,
    /// The memory that the process may use otherwise, in bytes; `None` means 4 GiB.
    pub default_memory_bytes: Option<u64>,
    /// The number of threads, 0 for one per core. It changes nothing in the dataset.
    pub threads: usize,
    /// The check of the manifest before the dataset is put in its place.
    pub check: Check,
    /// The condition that ends the waiting for a pipe that sends nothing.
    pub stop: Stop,
}

impl Options {
    /// Uses the thresholds of a profile.
    ///
    /// # Errors
    /// Fails when there is no profile of this name.
    pub fn set_profile(&mut self, name: &str) -> Result<(), Error> {
        for (key, value) in profile::find(name)? {
            let at = format!("profile {name}: {key} = {value}");
            self.parameters.set(key, *value).map_err(|refused| wrong(refused, key, &at))?;
        }
        self.profile = Some(name.to_owned());
        Ok(())
    }

    /// Sets a threshold from the text `NAME=VALUE`.
    ///
    /// # Errors
    /// Fails when there is no threshold of this name, and when the value is not a number, or a list
    /// of numbers, within its range.
    pub fn set(&mut self, assignment: &str) -> Result<(), Error> {
        let Some((name, value)) = assignment.split_once('=') else {
            return Err(Error::usage(format!("{assignment}: not of the form NAME=VALUE"))
                .hint("for example --set sessions.tail_s=11.5"));
        };
        let (name, value) = (name.trim(), value.trim());
        let at = format!("{name} = {value}");
        self.parameters.set_text(name, value).map_err(|refused| match refused {
            Refused::NoNumber => Error::usage(format!("{name}: {value} is not a number")).hint(
                "give it in the unit of the parameter, as 30e6; see airmile schema parameters",
            ),
            Refused::NoList => Error::usage(format!("{name}: {value} is not a list of ports"))
                .hint("give them with commas between, as 80,8080; nothing after = for none"),
            refused => wrong(refused, name, &at),
        })
    }

    /// Sets cell bandwidths in PRBs from the texts `N` or `CELL:N`. They are checked even if no
    /// modem log needs them.
    ///
    /// # Errors
    /// Fails for a text of another form, and for a number that is not a bandwidth of a carrier.
    pub fn set_cell_prbs(&mut self, given: Vec<String>) -> Result<(), Error> {
        if let Some(long) = given.iter().find(|text| text.len() > LONGEST) {
            return Err(Error::usage(format!("{}: not a number of PRBs", cut(long))));
        }
        cell_prbs(&given)?;
        self.cell_prbs = given;
        Ok(())
    }

    /// Sets the capture point from `auto`, `ue`, `monitor` or `server`.
    ///
    /// # Errors
    /// Fails for any other word.
    pub fn set_vantage(&mut self, word: &str) -> Result<(), Error> {
        self.vantage = match word {
            "auto" => None,
            "ue" => Some(Vantage::Ue),
            "monitor" => Some(Vantage::Monitor),
            "server" => Some(Vantage::Server),
            _ => {
                return Err(Error::usage(format!("no vantage {word}"))
                    .hint("give auto, ue, monitor or server"));
            }
        };
        Ok(())
    }

    /// Sets the memory that the process may use, from a text such as `512M` or `4G`.
    ///
    /// # Errors
    /// Fails when the text is not a size, is less than the program itself needs, or is 2^63 bytes
    /// and more.
    pub fn set_memory(&mut self, text: &str) -> Result<(), Error> {
        self.memory_bytes = Some(memory::size(text)?);
        Ok(())
    }

    /// The memory that the process may use, in bytes.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let least = |bytes: u64| bytes.max(memory::LEAST_BYTES);
        let default = || self.default_memory_bytes.map_or(memory::DEFAULT_BYTES, least);
        self.memory_bytes.unwrap_or_else(default)
    }

    /// The limit of memory in words; the option in it gives the same dataset again.
    pub(crate) fn memory_limit(&self) -> String {
        let bytes = self.memory_bytes();
        let whole = bytes.is_multiple_of(1 << 20);
        let option =
            if whole { format!("--memory {}M", bytes >> 20) } else { format!("--memory {bytes}") };
        match self.memory_bytes {
            Some(_) => option,
            None => format!("a share of the memory that was free ({option})"),
        }
    }

    /// The settings of the tracker.
    ///
    /// # Errors
    /// Fails when a network of the phones is not in CIDR form.
    pub fn track(&self) -> Result<TrackConfig, Error> {
        Ok(TrackConfig {
            ue_nets: self.ue_nets.iter().map(|net| network(net)).collect::<Result<_, _>>()?,
            vantage: self.vantage,
            session_gap: Duration::from_secs_f64(self.parameters.session_gap_s),
            flow_gap: Duration::from_secs_f64(self.parameters.flow_gap_s),
        })
    }
}

/// Reads a network in CIDR form; an address alone is a network of one.
fn network(text: &str) -> Result<(Address, u8), Error> {
    let wrong = || {
        Error::usage(format!("{}: not a network", cut(text)))
            .hint("give it as 10.0.0.0/8 or 2001:db8::/32")
    };
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address, Some(length)),
        None => (text, None),
    };
    let address: IpAddr = address.trim().parse().map_err(|_| wrong())?;
    let longest = if address.is_ipv4() { 32 } else { 128 };
    let length = length.map_or(Ok(longest), |length| length.trim().parse().map_err(|_| wrong()))?;
    if length > longest || text.len() > LONGEST {
        Err(wrong())
    } else {
        Ok((Address::from(address), length))
    }
}

/// The beginning of a text that may be long.
fn cut(text: &str) -> String {
    let short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() { format!("{short}...") } else { short }
}

/// Makes the error for a parameter; `at` is how the user set the parameter.
fn wrong(refused: Refused, name: &str, at: &str) -> Error {
    match refused {
        Refused::Unknown => unknown(name),
        Refused::NoNumber => Error::usage(format!("{at}: a number is needed")),
        Refused::NoList => Error::usage(format!("{at}: a list is needed")),
        Refused::OutOfRange(known) => {
            let (range, unit) = (known.range, known.unit);
            Error::usage(format!("{at}: out of range, {range} ({unit})"))
                .hint("airmile schema parameters lists the range of each")
        }
    }
}

fn unknown(name: &str) -> Error {
    let near = near(name);
    let hint = if near.is_empty() {
        "airmile schema parameters lists them".to_owned()
    } else {
        format!("did you mean {}? airmile schema parameters lists them all", near.join(" or "))
    };
    Error::usage(format!("no parameter {name}")).hint(hint)
}

/// The parameters whose name is close to `name` or contains its last part, the closest first.
fn near(name: &str) -> Vec<&'static str> {
    let word = name.rsplit('.').next().unwrap_or(name);
    let mut near: Vec<(usize, &str)> = PARAMETERS
        .iter()
        .map(|parameter| (distance(name, parameter.name), parameter.name))
        .filter(|(far, known)| *far <= NEAR || (word.len() >= NEAR && known.contains(word)))
        .collect();
    near.sort_unstable();
    near.into_iter().take(NEAR).map(|(_, known)| known).collect()
}

/// Levenshtein's distance: the number of letters to insert, delete or replace.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut above_left = i;
        let mut left = i + 1;
        for (y, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let best = (above_left + usize::from(x != *y)).min(left + 1).min(*cell + 1);
            above_left = std::mem::replace(cell, best);
            left = best;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use airmile_types::Ports;

    use super::*;

    #[test]
    fn distance_counts_changed_letters() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn an_unknown_parameter_is_answered_with_near_ones() {
        let error = Options::default().set("sessions.tial_s=11").unwrap_err();
        assert_eq!(error.message, "no parameter sessions.tial_s");
        assert!(error.hint.unwrap().contains("sessions.tail_s"));
        let error = Options::default().set("tail_s=11").unwrap_err();
        assert!(error.hint.unwrap().contains("sessions.tail_s"));
    }

    #[test]
    fn values_are_finite_numbers() {
        for value in ["", "ten", "nan", "inf"] {
            let error = Options::default().set(&format!("sessions.tail_s={value}")).unwrap_err();
            assert!(error.message.contains("is not a number"), "{value}");
        }
        let mut options = Options::default();
        options.set("sessions.tail_s=1.15e1").unwrap();
        assert_eq!(options.parameters.get("sessions.tail_s"), Some(11.5.into()));
    }

    #[test]
    fn a_value_out_of_range_is_reported_with_its_name_and_range() {
        for (assignment, message) in [
            ("energy.tail_mw=-1060", "energy.tail_mw = -1060: out of range, 0 to 1e6 (mW)"),
            ("bandwidth.use_c_rule=2", "bandwidth.use_c_rule = 2: out of range, 0 or 1 (flag)"),
            ("bandwidth.busy_ratio=0", "bandwidth.busy_ratio = 0: out of range, 0.01 to 1 (ratio)"),
            (
                "handshake.pep_ports=80,0",
                "handshake.pep_ports = 80,0: out of range, 1 to 65535 (ports)",
            ),
            ("sessions.tail_s=1e300", "sessions.tail_s = 1e300: out of range, 0 to 1e9 (s)"),
        ] {
            let mut options = Options::default();
            assert_eq!(options.set(assignment).unwrap_err().message, message);
            assert_eq!(options.parameters, Parameters::default());
        }
    }

    #[test]
    fn a_list_has_commas_between_or_is_empty() {
        let mut options = Options::default();
        let error = options.set("handshake.pep_ports=80 8080").unwrap_err();
        assert_eq!(error.message, "handshake.pep_ports: 80 8080 is not a list of ports");
        options.set("handshake.pep_ports=3128").unwrap();
        assert_eq!(options.parameters.pep_ports, Ports::new(&[3128]));
        options.set("handshake.pep_ports=").unwrap();
        assert_eq!(options.parameters.pep_ports, Ports::default());
    }

    #[test]
    fn prb_totals_are_those_of_carriers() {
        for wrong in ["0", "-5", "1e9", "7:x", "1008:50", "x:50", "65536"] {
            let refused = Options::default().set_cell_prbs(vec![wrong.to_owned()]);
            assert!(refused.unwrap_err().message.contains(wrong), "{wrong}");
        }
        assert!(
            Options::default().set_cell_prbs(vec![format!("{}50", "0".repeat(1 << 20))]).is_err()
        );
        for right in ["50", "279:100", "1007:1"] {
            Options::default().set_cell_prbs(vec![right.to_owned()]).unwrap();
        }
    }

    #[test]
    fn networks_are_cidr_or_one_address() {
        let nets = |texts: &[&str]| {
            let ue_nets = texts.iter().map(|&t| t.to_owned()).collect();
            Options { ue_nets, ..Options::default() }.track().map(|config| config.ue_nets)
        };
        let ten = Address::v4([10, 0, 0, 0]);
        assert_eq!(nets(&["10.0.0.0/8", "10.0.0.0"]).unwrap(), [(ten, 8), (ten, 32)]);
        assert_eq!(nets(&["2001:db8::/32"]).unwrap().first().unwrap().1, 32);
        let long = format!("10.0.0.0/{}8", "0".repeat(1 << 20));
        let error = nets(&[&long]).unwrap_err();
        assert!(error.message.len() < 200, "{}", error.message);
        for wrong in ["10.0.0.0/33", "10.0.0/8", "phones", "::/129", "10.0.0.0/"] {
            assert!(nets(&[wrong]).is_err(), "{wrong}");
        }
    }
}
