//! Defines profiles: sets of thresholds that a paper used, each with a name.

use crate::error::Error;

/// The thresholds that a profile sets, as name and value.
pub(crate) type Profile = &'static [(&'static str, f64)];

/// The names and thresholds of every profile.
pub(crate) const PROFILES: &[(&str, Profile)] = &[("lte13", LTE13)];

/// Huang et al., An In-depth Study of LTE, SIGCOMM 2013.
const LTE13: Profile = &[
    // Section 3.1: sessions and flows end after an hour of silence.
    ("sessions.gap_s", 3600.0),
    ("flows.gap_s", 3600.0),
    // Section 4.1: the tail of the two measured networks.
    ("sessions.tail_s", 10.0),
    // Section 3.2: throughput in bins of half a second.
    ("throughput.bin_s", 0.5),
    // Section 4.2: a promotion follows a silence that is longer than any tail.
    ("promotion.silence_s", 13.0),
    // Section 5 and the authors' code: trains of more than 20 duplicate ACKs, and R_ss over two
    // spans of 100 ms that begin where the last duplicate ACK passed the capture point.
    ("loss_episodes.train_min", 20.0),
    ("loss_episodes.train_gap_s", 1.0),
    ("loss_episodes.rss_span_ms", 100.0),
    ("loss_episodes.rss_min_ratio", 1.5),
    ("loss_episodes.rss_shift", 0.0),
    ("rto.floor_ms", 200.0),
    // Section 6.1: the tick from packets 3 s apart, and bandwidth where the sender exceeds 30 Mbps.
    ("tick.delta_g_s", 3.0),
    ("bandwidth.use_c_rule", 1.0),
    ("bandwidth.min_send_bps", 30e6),
    // Section 6.3: utilisation in windows of 250 ms.
    ("bandwidth.utilisation_window_ms", 250.0),
];

/// The profile of this name; an error when there is none.
pub(crate) fn find(name: &str) -> Result<Profile, Error> {
    let found = PROFILES.iter().find(|(known, _)| *known == name);
    found.map(|(_, profile)| *profile).ok_or_else(|| {
        let names: Vec<&str> = PROFILES.iter().map(|(known, _)| *known).collect();
        Error::usage(format!("no profile {name}")).hint(format!("profiles: {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use airmile_types::Parameters;

    use super::*;

    #[test]
    fn profiles_set_parameters_that_exist() {
        for (name, profile) in PROFILES {
            for (key, value) in *profile {
                assert_eq!(Parameters::default().set(key, *value), Ok(()), "{name}: {key}");
            }
        }
    }
}
