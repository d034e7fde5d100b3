//! Profiles: the thresholds of a paper, by name.

use crate::error::Error;

/// Thresholds that a profile sets.
pub(crate) type Profile = &'static [(&'static str, f64)];

/// The names and thresholds of every profile.
pub(crate) const PROFILES: &[(&str, Profile)] = &[("lte13", LTE13)];

/// Huang et al., An In-depth Study of LTE, SIGCOMM 2013.
const LTE13: Profile = &[
    // Section 3.1: sessions and flows end after an hour of silence.
    ("a3.session_gap_s", 3600.0),
    ("a4.flow_gap_s", 3600.0),
    // Section 4.1: the tail of the two networks measured.
    ("a6.tail_s", 10.0),
    // Section 3.2: throughput in bins of half a second.
    ("d3.bin_s", 0.5),
    // Section 4.2: promotions after a silence that no tail outlasts.
    ("b2.silence_s", 13.0),
    // Section 5 and the authors' code: trains of more than 20 duplicate ACKs, R_ss over two spans
    // of 100 ms that begin where the last duplicate ACK passed the tap.
    ("c4.train_min", 20.0),
    ("c4.train_gap_s", 1.0),
    ("c4.span_ms", 100.0),
    ("c4.rss_min_ratio", 1.5),
    ("c4.shift", 0.0),
    ("c5.floor_ms", 200.0),
    // Section 6.1: the tick from packets 3 s apart, bandwidth where the sender exceeds 30 Mbps.
    ("e1.delta_g_s", 3.0),
    ("e2.use_c_rule", 1.0),
    ("e2.min_send_bps", 30e6),
    // Section 6.3: utilisation in windows of 250 ms.
    ("e4.window_ms", 250.0),
];

/// The profile of that name.
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
