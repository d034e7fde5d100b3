//! Reads the fields of 0xB130, which comparisons with other decoders need.

use super::layout::{HEADER, HYPOTHESIS, RECORD_HEAD, SLOTS};
use crate::modem::diag::bits::{Bytes, bits, bits8, bits16};
use crate::modem::diag::outcome::Misfit;

/// The number of bytes after the hypotheses in later versions; their meaning is unknown.
const TAIL: usize = 4;
/// The number of steps of the quotient of energies.
const ENERGY_STEPS: f64 = 65_535.0;
/// The number of steps of the share of wrong symbols.
const ERROR_STEPS: f64 = 2_147_483_648.0;

/// The phone's search for control messages.
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
    /// Duplex: 0 is FDD, 1 is TDD.
    pub frame_structure: u8,
    /// The modem's code for the number of antennas of the cell.
    pub antennas: u8,
    /// The fields that only version 101 has.
    pub more: Option<More>,
    /// The modem's mode of demapping soft bits.
    pub demapping: u8,
    /// The number of the carrier: 0 for the primary one.
    pub carrier: u8,
    /// The searches, one for each subframe.
    pub searches: Vec<Search>,
}

/// The fields of the carrier that only version 101 has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct More {
    /// Cyclic prefix; 0 is normal.
    pub cyclic_prefix: u8,
    /// Special subframe configuration.
    pub special_subframe: u8,
    /// Whether carriers with FDD and with TDD are aggregated.
    pub mixed_duplex: u8,
}

/// The search in one subframe.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The number of subframes after the first one; `None` if the version has one subframe per
    /// message.
    pub offset: Option<u16>,
    /// Whether messages contain a field for their carrier.
    pub names_carriers: bool,
    /// Whether the request for channel state has two bits.
    pub two_bit_csi: bool,
    /// Whether sounding may be requested.
    pub aperiodic_sounding: bool,
    /// The hypotheses that were tried.
    pub hypotheses: Vec<Hypothesis>,
}

/// A hypothesis about a message that may have been sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Hypothesis {
    /// The bits of the message; the first one is the highest bit of the last byte.
    pub payload: [u8; 8],
    /// The number of bits.
    pub payload_bits: u8,
    /// The number of control channel elements, as the logarithm to base 2.
    pub aggregation_log2: u8,
    /// The number of the candidate in the search space.
    pub candidate: u8,
    /// The search space: 0 common, 1 that of the phone.
    pub search_space: u8,
    /// The modem's code for the format: 0 for format 0, 2 for 1A, 6 for 2.
    pub format: u8,
    /// The modem's code for the RNTI to which the message is addressed: 0 C-RNTI, 2 P-RNTI, and
    /// others.
    pub addressed: u8,
    /// Whether the convolutional code ends in the state in which it began.
    pub tail_matches: bool,
    /// The number of received symbols that differ from those of the message when it is encoded
    /// again.
    pub wrong_symbols: u16,
    /// The first control channel element.
    pub first_element: u8,
    /// The number of soft bits that are not 0.
    pub soft_bits: u16,
    /// The energy of the message when it is encoded again.
    pub full_energy: u16,
    /// The modem's code for the result; 1 to 7 are accepted messages.
    pub outcome: u16,
    /// The received energy that matches the message when it is encoded again.
    pub energy: u32,
    /// The received energy divided by the full energy.
    pub energy_share: f64,
    /// The share of wrong symbols.
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
