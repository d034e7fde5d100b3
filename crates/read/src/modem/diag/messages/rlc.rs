//! Reads 0xB082 and 0xB092: PDUs of RLC acknowledged mode that were received and sent (TS 36.322
//! section 6.2.1).

use super::common::{frame, subpackets};
use crate::modem::bit_reader::BitReader;
use crate::modem::diag::bits::Bytes;
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;

/// The identities of the subpackets with received PDUs and with sent PDUs.
const RECEIVED: u8 = 65;
const SENT: u8 = 70;

/// The only version of the subpackets that is read; samples proved its layout.
const VERSION: u8 = 3;

/// The number of bytes of a PDU's fields before its logged header.
const FIELDS: usize = 7;

/// The PDUs of a bearer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bearer {
    /// Index of the bearer's configuration.
    pub index: u8,
    /// The mode of RLC: 1 is acknowledged mode.
    pub mode: u8,
    /// The number of bits of a sequence number.
    pub sequence_bits: u8,
    /// The state variables in the order of the log. For received PDUs these are VR(R), VR(X),
    /// VR(MS), VR(H); for sent PDUs VT(A), VT(S), the PDUs and bytes without a poll, and the
    /// sequence number of the poll.
    pub state: Vec<u32>,
    /// The PDUs of the bearer.
    pub pdus: Vec<Pdu>,
}

/// A PDU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pdu {
    /// System frame number.
    pub frame: u16,
    /// Subframe of the frame, 0 to 9.
    pub subframe: u8,
    /// The size of the PDU in bytes.
    pub bytes: u16,
    /// The number of bytes of the PDU that were logged.
    pub logged_bytes: u16,
    /// The first byte of the header.
    pub first: Option<u8>,
    /// The header; `None` if it was not logged completely.
    pub header: Option<Header>,
}

/// The header of a PDU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Header {
    /// A data PDU.
    Data {
        /// Whether the PDU is a segment of a PDU that is retransmitted in segments.
        segment: bool,
        /// Whether the PDU requests a status report.
        poll: bool,
        /// Whether SDUs begin and end with the PDU.
        framing: u8,
        /// Whether lengths follow the fixed part of the header.
        extension: bool,
        /// The sequence number.
        sequence: u16,
        /// Whether a segment is the last one, and the offset at which the segment begins.
        segment_at: Option<(bool, u16)>,
        /// The lengths of all SDUs except the last.
        lengths: Vec<u16>,
    },
    /// A status report.
    Status {
        /// The kind of control PDU; 0 is a status report.
        kind: u8,
        /// The first sequence number that is neither received nor reported as missing.
        ack: u16,
        /// The sequence numbers that are missing.
        missing: Vec<u16>,
    },
}

/// Reads a message of received PDUs.
///
/// # Errors
/// A subpacket has an unknown version, or is shorter than its size field says.
pub fn parse_received(payload: &[u8]) -> Result<Vec<Bearer>, Misfit> {
    parse(payload, RECEIVED, |data| {
        let state = [6, 8, 10, 12].map(|at| data.u16(at).map(u32::from));
        Ok((state.into_iter().collect::<Result<_, _>>()?, 14))
    })
}

/// Reads a message of sent PDUs.
///
/// # Errors
/// A subpacket has an unknown version, or is shorter than its size field says.
pub fn parse_sent(payload: &[u8]) -> Result<Vec<Bearer>, Misfit> {
    parse(payload, SENT, |data| {
        let half = |at| data.u16(at).map(u32::from);
        Ok((vec![half(6)?, half(8)?, half(10)?, data.u32(12)?, half(16)?], 18))
    })
}

/// Appends no record, because no table has rows for RLC.
pub(super) fn read(packet: &LogPacket<'_>, _sink: &mut Sink<'_>) -> Outcome {
    let version = Bytes(packet.payload).u8(5)?;
    let known = version == VERSION;
    known.then(|| Understood::verified(version)).ok_or(Misfit::UnknownVersion(version.into()))
}

/// The state variables of a bearer, and the offset of the number of its PDUs.
type State = (Vec<u32>, usize);

fn parse(
    payload: &[u8],
    id: u8,
    state: impl Fn(Bytes<'_>) -> Result<State, Misfit>,
) -> Result<Vec<Bearer>, Misfit> {
    let mut bearers = Vec::new();
    for subpacket in subpackets(Bytes(payload))? {
        let subpacket = subpacket?;
        match (subpacket.id == id, subpacket.version) {
            (true, VERSION) => bearers.push(bearer(subpacket.data, &state)?),
            (true, version) => return Err(Misfit::UnknownVersion(version.into())),
            (false, _) => {}
        }
    }
    Ok(bearers)
}

fn bearer(
    data: Bytes<'_>,
    state: impl Fn(Bytes<'_>) -> Result<State, Misfit>,
) -> Result<Bearer, Misfit> {
    let (state, count_at) = state(data)?;
    let (index, mode, sequence_bits) = (data.u8(0)?, data.u8(1)?, data.u8(2)?);
    let mut pdus = Vec::new();
    let mut at = count_at + 2;
    for _ in 0..data.u16(count_at)? {
        let fields = data.part(at, FIELDS)?;
        let logged = data.part(at + FIELDS, fields.u16(4)?.into())?;
        at += FIELDS + logged.len();
        pdus.push(pdu(fields, logged.0)?);
    }
    Ok(Bearer { index, mode, sequence_bits, state, pdus })
}

fn pdu(fields: Bytes<'_>, logged: &[u8]) -> Result<Pdu, Misfit> {
    let (frame, subframe) = frame(fields.u16(0)?);
    Ok(Pdu {
        frame,
        subframe,
        bytes: fields.u16(2)?,
        logged_bytes: fields.u16(4)?,
        first: logged.first().copied(),
        header: header(logged),
    })
}

fn header(logged: &[u8]) -> Option<Header> {
    let mut bits = BitReader::new(logged);
    if bits.flag()? { data(&mut bits) } else { status(&mut bits) }
}

fn data(bits: &mut BitReader<'_>) -> Option<Header> {
    let (segment, poll) = (bits.flag()?, bits.flag()?);
    let framing = bits.narrow(2)?;
    let extension = bits.flag()?;
    let sequence = bits.narrow(10)?;
    let segment_at = if segment { Some((bits.flag()?, bits.narrow(15)?)) } else { None };
    let mut lengths = Vec::new();
    let mut more = extension;
    while more {
        more = bits.flag()?;
        lengths.push(bits.narrow(11)?);
    }
    Some(Header::Data { segment, poll, framing, extension, sequence, segment_at, lengths })
}

fn status(bits: &mut BitReader<'_>) -> Option<Header> {
    let kind = bits.narrow(3)?;
    let ack = bits.narrow(10)?;
    let mut missing = Vec::new();
    let mut more = bits.flag()?;
    while more {
        missing.push(bits.narrow(10)?);
        more = bits.flag()?;
        // The start and the end of the missing part of a PDU, with 15 bits each.
        if bits.flag()? {
            bits.number(30)?;
        }
    }
    Some(Header::Status { kind, ack, missing })
}
