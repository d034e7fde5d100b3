//! Reads words for carriers, RNTIs, modulations and bandwidths, as QCAT and MobileInsight write
//! them.

use crate::modem::record::{Modulation, Rnti};

/// The number of the carrier that a word names, such as `PCell`, `1_SCell`, `PCC`, `SCC2` or
/// `SCELL`. 0 is the primary carrier, and a secondary carrier without a number is the first one.
pub(crate) fn carrier(word: &str) -> Option<u8> {
    let word = word.trim().to_ascii_uppercase();
    let digits: String = word.chars().filter(char::is_ascii_digit).collect();
    let primary = ["PCELL", "PCC"].contains(&word.as_str());
    let secondary = ["SCELL", "SCC"].iter().any(|name| word.contains(name));
    match digits.parse() {
        _ if primary => Some(0),
        Ok(number @ 1..=31) if secondary => Some(number),
        Err(_) if secondary && digits.is_empty() => Some(1),
        _ => None,
    }
}

/// The kind of RNTI that a word names, such as `C`, `C-RNTI` or `SPS_RNTI`; any other word names
/// another kind of RNTI.
pub(crate) fn rnti(word: &str) -> Rnti {
    let word = word.trim().to_ascii_uppercase();
    match word.strip_suffix("RNTI").unwrap_or(&word).trim_end_matches(['-', '_', ' ']) {
        "C" => Rnti::C,
        "SPS" | "SPS-C" | "SPS_C" => Rnti::Sps,
        _ => Rnti::Other,
    }
}

/// The modulation that a word names, such as `QPSK` or `16QAM`.
pub(crate) fn modulation(word: &str) -> Option<Modulation> {
    let all = [Modulation::Qpsk, Modulation::Qam16, Modulation::Qam64, Modulation::Qam256];
    all.into_iter().find(|modulation| modulation.as_str() == word)
}

/// The number of PRBs of an LTE carrier with a bandwidth in megahertz, such as `20` or `20 MHz` (TS
/// 36.101 table 5.6-1).
///
/// MobileInsight divides the number of PRBs by five, and writes 1 MHz for the narrowest carrier.
pub(crate) fn lte_prbs(word: &str) -> Option<u16> {
    match word.trim().trim_end_matches("MHz").trim_end() {
        "1.4" | "1" => Some(6),
        "3" => Some(15),
        "5" => Some(25),
        "10" => Some(50),
        "15" => Some(75),
        "20" => Some(100),
        _ => None,
    }
}

/// From this version of 0xB173 on, sizes do not include the CRC of 24 bits (TS 36.212 section
/// 5.3.2.1), as logs of version 48 show. Sizes of versions 16 and 24 include the CRC: only without
/// it do they occur in TS 36.213 table 7.1.7.2.1-1.
const WITHOUT_CRC: u32 = 48;

/// The size of a block without its CRC, from the size in a message 0xB173 of this version; `None`
/// if the size is smaller than a CRC.
pub(crate) fn block_bytes(version: u32, size: u32) -> Option<u32> {
    size.checked_sub(if version < WITHOUT_CRC { 3 } else { 0 })
}

/// Whether a block was decoded, from the words `Pass` and `Fail`.
pub(crate) fn passed(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "pass" => Some(true),
        "fail" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carriers_by_any_of_their_names() {
        let cases = [
            ("PCell", Some(0)),
            ("PCC", Some(0)),
            (" PCELL", Some(0)),
            ("1_SCell", Some(1)),
            ("SCC", Some(1)),
            ("SCC2", Some(2)),
            ("2_SCell", Some(2)),
            ("SCC999", None),
            ("(MI)Unknown", None),
            ("", None),
        ];
        for (word, expected) in cases {
            assert_eq!(carrier(word), expected, "{word}");
        }
    }

    #[test]
    fn only_the_users_own_data_is_under_c_and_sps() {
        for word in ["C", "C-RNTI", "C_RNTI", "  C"] {
            assert_eq!(rnti(word), Rnti::C, "{word}");
        }
        assert_eq!(rnti("SPS-RNTI"), Rnti::Sps);
        for word in ["SI-RNTI", "P_RNTI", "TC_RNTI", "Temp-C", "RA", ""] {
            assert_eq!(rnti(word), Rnti::Other, "{word}");
        }
    }
}
