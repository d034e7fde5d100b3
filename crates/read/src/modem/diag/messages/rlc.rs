//! 0xB082 and 0xB092: PDUs of RLC acknowledged mode, received and sent (TS 36.322 section 6.2.1).

use super::common::{frame, subpackets};
use crate::modem::bit_reader::BitReader;
use crate::modem::diag::bits::Bytes;
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;

/// Identities of the subpackets of received and of sent PDUs.
const RECEIVED: u8 = 65;
const SENT: u8 = 70;

/// The only version of the subpackets, whose layout samples proved.
const VERSION: u8 = 3;

/// Bytes of a PDU's fields before its logged header.
const FIELDS: usize = 7;

/// PDUs of a bearer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bearer {
    /// Index of the bearer's configuration.
    pub index: u8,
    /// Mode: 1 acknowledged.
    pub mode: u8,
    /// Bits of a sequence number.
    pub sequence_bits: u8,
    /// State variables in the order of the log: received: VR(R), VR(X), VR(MS), VR(H); sent:
    /// VT(A), VT(S), PDUs and bytes without a poll, sequence number of the poll.
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
    /// Its size in bytes.
    pub bytes: u16,
    /// Bytes of it that were logged.
    pub logged_bytes: u16,
    /// First byte of its header.
    pub first: Option<u8>,
    /// Its header; `None` where not all of it was logged.
    pub header: Option<Header>,
}

/// The header of a PDU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Header {
    /// A data PDU.
    Data {
        /// Whether it is a segment of a PDU that is retransmitted in segments.
        segment: bool,
        /// Whether it requests a status report.
        poll: bool,
        /// Whether SDUs begin and end with it.
        framing: u8,
        /// Whether lengths follow.
        extension: bool,
        /// Sequence number.
        sequence: u16,
        /// Whether a segment is the last one, and the offset at which it begins.
        segment_at: Option<(bool, u16)>,
        /// Lengths of all SDUs but the last.
        lengths: Vec<u16>,
    },
    /// A status report.
    Status {
        /// Kind of control PDU: 0 is a status report.
        kind: u8,
        /// The first sequence number that is neither received nor reported as missing.
        ack: u16,
        /// Sequence numbers that are missing.
        missing: Vec<u16>,
    },
}

/// Reads a message of received PDUs.
///
/// # Errors
/// A subpacket is of an unknown version, or shorter than it says.
pub fn parse_received(payload: &[u8]) -> Result<Vec<Bearer>, Misfit> {
    parse(payload, RECEIVED, |data| {
        let state = [6, 8, 10, 12].map(|at| data.u16(at).map(u32::from));
        Ok((state.into_iter().collect::<Result<_, _>>()?, 14))
    })
}

/// Reads a message of sent PDUs.
///
/// # Errors
/// A subpacket is of an unknown version, or shorter than it says.
pub fn parse_sent(payload: &[u8]) -> Result<Vec<Bearer>, Misfit> {
    parse(payload, SENT, |data| {
        let half = |at| data.u16(at).map(u32::from);
        Ok((vec![half(6)?, half(8)?, half(10)?, data.u32(12)?, half(16)?], 18))
    })
}

/// Puts no record, because no table has such rows.
pub(super) fn read(packet: &LogPacket<'_>, _sink: &mut Sink<'_>) -> Outcome {
    let version = Bytes(packet.payload).u8(5)?;
    let known = version == VERSION;
    known.then(|| Understood::verified(version)).ok_or(Misfit::UnknownVersion(version.into()))
}

/// State variables of a bearer, and the offset of the number of its PDUs.
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
        // Start and end of the missing part of a PDU, of 15 bits each.
        if bits.flag()? {
            bits.number(30)?;
        }
    }
    Some(Header::Status { kind, ack, missing })
}
