//! The fields of 0xB130.

use super::layout::{HEADER, HYPOTHESIS, RECORD_HEAD, SLOTS};
use crate::modem::diag::bits::{Bytes, bits, bits8, bits16};
use crate::modem::diag::outcome::Misfit;

/// Bytes behind the hypotheses in later versions: their meaning is unknown.
const TAIL: usize = 4;
/// Steps of the quotient of energies.
const ENERGY_STEPS: f64 = 65_535.0;
/// Steps of the share of wrong symbols.
const ERROR_STEPS: f64 = 2_147_483_648.0;

/// The search for control messages.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlChannel {
    /// Version of the message.
    pub version: u8,
    /// System frame number of the first subframe.
    pub frame: u16,
    /// The first subframe, 0 to 9.
    pub subframe: u8,
    /// The modem's code for the bandwidth: 0 to 5 for 1.4 to 20 MHz.
    pub bandwidth: u8,
    /// Duplex: 0 in frequency, 1 in time.
    pub frame_structure: u8,
    /// The modem's code for the antennas of the cell.
    pub antennas: u8,
    /// The fields that only version 101 has.
    pub more: Option<More>,
    /// The modem's mode of demapping soft bits.
    pub demapping: u8,
    /// Carrier: 0 for the primary one.
    pub carrier: u8,
    /// The subframes.
    pub searches: Vec<Search>,
}

/// The fields of the carrier that only version 101 has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct More {
    /// Cyclic prefix: 0 normal.
    pub cyclic_prefix: u8,
    /// Special subframe configuration.
    pub special_subframe: u8,
    /// Whether carriers of both duplexes are aggregated.
    pub mixed_duplex: u8,
}

/// The search of a subframe.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The number of subframes after the first one, where the version has several.
    pub offset: Option<u16>,
    /// Whether messages have a field for their carrier.
    pub names_carriers: bool,
    /// Whether the request for channel state has two bits.
    pub two_bit_csi: bool,
    /// Whether sounding may be requested.
    pub aperiodic_sounding: bool,
    /// The hypotheses that were tried.
    pub hypotheses: Vec<Hypothesis>,
}

/// A hypothesis: a message that may have been sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Hypothesis {
    /// The bits of the message, from the highest bit of the last byte on.
    pub payload: [u8; 8],
    /// The number of bits.
    pub payload_bits: u8,
    /// The number of control channel elements, as the logarithm to base 2.
    pub aggregation_log2: u8,
    /// Candidate of the search space.
    pub candidate: u8,
    /// Search space: 0 common, 1 that of the phone.
    pub search_space: u8,
    /// Format: the modem's code, 0 for format 0, 2 for 1A, 6 for 2.
    pub format: u8,
    /// The RNTI that it is addressed to: 0 C-RNTI, 2 P-RNTI, and the modem's codes for others.
    pub addressed: u8,
    /// Whether the convolutional code ends in the state in which it began.
    pub tail_matches: bool,
    /// The number of symbols that differ from those of the message when it is encoded again.
    pub wrong_symbols: u16,
    /// First control channel element.
    pub first_element: u8,
    /// The number of soft bits that are not 0.
    pub soft_bits: u16,
    /// The energy that the message would have when it is encoded again.
    pub full_energy: u16,
    /// Whether and why it was accepted: 1 to 7 for accepted messages.
    pub outcome: u16,
    /// The received energy that matches the message when it is encoded again.
    pub energy: u32,
    /// The received energy divided by the full energy.
    pub energy_share: f64,
    /// Share of wrong symbols.
    pub symbol_error_rate: f64,
}

/// Reads the message.
///
/// # Errors
/// The version is unknown, or the message is shorter than it says.
pub fn parse(payload: &[u8]) -> Result<ControlChannel, Misfit> {
    let bytes = Bytes(payload);
    match bytes.u8(0)? {
        101 => version_101(bytes, 0),
        121 | 123 => version_101(bytes, TAIL),
        43 => version_43(bytes),
        version => Err(Misfit::UnknownVersion(version.into())),
    }
}

fn version_101(bytes: Bytes<'_>, tail: usize) -> Result<ControlChannel, Misfit> {
    let count = usize::from(bytes.u8(7)?);
    if bytes.len() != HEADER + count * HYPOTHESIS + tail {
        return Err(Misfit::Lies("0xB130 of another length"));
    }
    let word = bytes.u32(1)?;
    let field = |low, width| bits8(word, low, width);
    let search = Search {
        offset: None,
        names_carriers: field(17, 1) == 1,
        two_bit_csi: field(18, 1) == 1,
        aperiodic_sounding: field(19, 1) == 1,
        hypotheses: hypotheses(bytes, HEADER, count)?,
    };
    Ok(ControlChannel {
        version: bytes.u8(0)?,
        frame: bits16(word, 4, 10),
        subframe: field(0, 4),
        bandwidth: field(14, 3),
        frame_structure: field(20, 2),
        antennas: field(22, 2),
        more: Some(More {
            cyclic_prefix: field(24, 2),
            special_subframe: field(26, 2),
            mixed_duplex: field(28, 2),
        }),
        demapping: bytes.u8(6)? & 0xF,
        carrier: bytes.u8(6)? >> 4,
        searches: vec![search],
    })
}

fn version_43(bytes: Bytes<'_>) -> Result<ControlChannel, Misfit> {
    let word = bytes.u32(1)?;
    let field = |low, width| bits8(word, low, width);
    let size = RECORD_HEAD + SLOTS * HYPOTHESIS;
    let records = bytes.records(HEADER, field(0, 4).into(), size)?;
    Ok(ControlChannel {
        version: bytes.u8(0)?,
        frame: bits16(word, 8, 10),
        subframe: field(4, 4),
        bandwidth: field(18, 4),
        frame_structure: field(22, 2),
        antennas: field(24, 3),
        more: None,
        demapping: bytes.u8(7)? & 0xF,
        carrier: bytes.u8(7)? >> 4,
        searches: records.map(search).collect::<Result<_, _>>()?,
    })
}

fn search(record: Bytes<'_>) -> Result<Search, Misfit> {
    let word = record.u16(2)?;
    let count = usize::from(word >> 3 & 0xFF);
    Ok(Search {
        offset: Some(record.u16(0)?),
        names_carriers: word & 1 == 1,
        two_bit_csi: word >> 1 & 1 == 1,
        aperiodic_sounding: word >> 2 & 1 == 1,
        hypotheses: hypotheses(record, RECORD_HEAD, count.min(SLOTS))?,
    })
}

fn hypotheses(bytes: Bytes<'_>, at: usize, count: usize) -> Result<Vec<Hypothesis>, Misfit> {
    bytes.records(at, count, HYPOTHESIS)?.map(hypothesis).collect()
}

fn hypothesis(bytes: Bytes<'_>) -> Result<Hypothesis, Misfit> {
    let (form, place, outcome) = (bytes.u32(8)?, bytes.u32(12)?, bytes.u32(16)?);
    let field = |low, width| bits8(form, low, width);
    Ok(Hypothesis {
        payload: bytes.u64(0)?.to_le_bytes(),
        payload_bits: field(14, 8),
        aggregation_log2: field(0, 2),
        candidate: field(2, 3),
        search_space: field(5, 1),
        format: field(6, 4),
        addressed: field(10, 4),
        tail_matches: field(22, 1) == 1,
        wrong_symbols: bits16(form, 23, 9),
        first_element: bits8(place, 1, 7),
        soft_bits: bits16(place, 8, 9),
        full_energy: bits16(place, 17, 15),
        outcome: bits16(outcome, 0, 11),
        energy: bits(outcome, 11, 21),
        energy_share: f64::from(bytes.u32(20)?) / ENERGY_STEPS,
        symbol_error_rate: f64::from(bytes.u32(24)?) / ERROR_STEPS,
    })
}
