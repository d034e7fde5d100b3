//! Reads 0xB0C0: LTE RRC messages that were sent over the air. Only the step of a message is kept.

use super::common::frame;
use crate::modem::diag::bits::Bytes;
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;
use crate::modem::rrc::Channel;

/// The header before the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Version of the log packet.
    pub version: u8,
    /// The release of RRC, and its version.
    pub release: [u8; 2],
    /// The release and version of the 5G RRC; `None` if the packet's version does not contain them.
    pub nr_release: Option<[u8; 2]>,
    /// Radio bearer.
    pub bearer: u8,
    /// Physical cell identity.
    pub pci: u16,
    /// Downlink EARFCN.
    pub earfcn: u32,
    /// The system frame number; 0 for the uplink.
    pub frame: u16,
    /// The subframe; 0 for the uplink.
    pub subframe: u8,
    /// Two bits above the frame number, whose meaning is unknown.
    pub above_frame: u8,
    /// The kind of PDU; the numbers of kinds differ between versions.
    pub pdu: u8,
    /// The system information blocks in the message, one bit for each.
    pub blocks: Option<u32>,
    /// The length of the message in bytes.
    pub length: u16,
    /// The channel of the message; `None` for an unknown kind of PDU.
    pub channel: Option<Channel>,
}

/// The versions whose layout samples proved.
const VERIFIED: [u8; 7] = [7, 8, 9, 13, 15, 20, 26];

/// The versions whose header is known; from version 30 on messages are segmented.
const VERSIONS: std::ops::RangeInclusive<u8> = 2..=29;

/// Appends a record of the step that the message represents.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let (header, message) = split(packet.payload)?;
    sink.rrc(packet, false, (header.pci, header.earfcn), header.channel, message)?;
    Ok(Understood { version: header.version.into(), verified: VERIFIED.contains(&header.version) })
}

/// Reads the header.
///
/// # Errors
/// The version is unknown, or the packet is shorter than it says.
pub fn parse(payload: &[u8]) -> Result<Header, Misfit> {
    split(payload).map(|(header, _)| header)
}

/// Reads the header; also returns the message after it, which must not be kept.
fn split(payload: &[u8]) -> Result<(Header, &[u8]), Misfit> {
    let bytes = Bytes(payload);
    let version = bytes.u8(0)?;
    let channels = channels(version).filter(|_| VERSIONS.contains(&version));
    let channels = channels.ok_or(Misfit::UnknownVersion(version.into()))?;
    let nr_release = (version >= 25).then(|| Ok([bytes.u8(3)?, bytes.u8(4)?])).transpose()?;
    let from_bearer = bytes.from(if nr_release.is_some() { 5 } else { 3 })?;
    let wide = version >= 8;
    let earfcn = if wide { from_bearer.u32(3)? } else { from_bearer.u16(3)?.into() };
    let from_time = from_bearer.from(if wide { 7 } else { 5 })?;
    let time = from_time.u16(0)?;
    let (frame, subframe) = frame(time);
    let pdu = from_time.u8(2)?;
    let blocks = (version > 4).then(|| from_time.u32(3)).transpose()?;
    let from_length = from_time.from(if blocks.is_some() { 7 } else { 3 })?;
    let length = from_length.u16(0)?;
    let message = from_length.part(2, length.into())?;
    let header = Header {
        version,
        release: [bytes.u8(1)?, bytes.u8(2)?],
        nr_release,
        bearer: from_bearer.u8(0)?,
        pci: from_bearer.u16(1)?,
        earfcn,
        frame,
        subframe,
        above_frame: (time >> 14) as u8,
        pdu,
        blocks,
        length,
        channel: channels.of(pdu),
    };
    Ok((header, message.0))
}

/// The numbers of the kinds of PDU in one version.
#[derive(Clone, Copy)]
struct Channels {
    /// The number of `BCCH-BCH`.
    broadcast: u8,
    /// The number of `MCCH`; the numbers of the other kinds follow it.
    multicast: u8,
}

fn channels(version: u8) -> Option<Channels> {
    let (broadcast, multicast) = match version {
        2..=8 | 13 | 22 => (1, 3),
        9 | 12 => (8, 10),
        14 | 15 | 16 | 20 | 24 | 25 => (1, 4),
        19 | 26 | 27 | 29 => (1, 6),
        _ => return None,
    };
    Some(Channels { broadcast, multicast })
}

impl Channels {
    fn of(self, pdu: u8) -> Option<Channel> {
        const FROM_MULTICAST: [Channel; 6] = [
            Channel::Mcch,
            Channel::Pcch,
            Channel::DlCcch,
            Channel::DlDcch,
            Channel::UlCcch,
            Channel::UlDcch,
        ];
        if pdu == self.broadcast {
            return Some(Channel::BcchBch);
        }
        let Some(behind) = pdu.checked_sub(self.multicast) else {
            return self.is_system_information(pdu).then_some(Channel::BcchDlSch);
        };
        FROM_MULTICAST.get(usize::from(behind)).copied()
    }

    /// Whether the kind is `BCCH-DL-SCH`. It has the number after `BCCH-BCH`; in the newest
    /// versions it also has the number after that.
    fn is_system_information(self, pdu: u8) -> bool {
        pdu == self.broadcast + if self.multicast == 6 { 2 } else { 1 }
    }
}
