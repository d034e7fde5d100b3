//! Reads 0xB821: 5G RRC messages that were sent over the air. Only the step of a message is kept.

use crate::modem::diag::bits::Bytes;
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;
use crate::modem::rrc::Channel;

/// The only version that is read; its layout is published.
const VERSION: u8 = 8;

/// The header before the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Version of the log packet.
    pub version: u8,
    /// The release and the version of RRC.
    pub release: [u8; 2],
    /// Radio bearer.
    pub bearer: u8,
    /// Physical cell identity.
    pub pci: u16,
    /// NR-ARFCN.
    pub arfcn: u32,
    /// A time of unknown layout.
    pub time: u32,
    /// The kind of PDU.
    pub pdu: u8,
    /// The length of the message in bytes.
    pub length: u16,
    /// The channel of the message; `None` for an unknown kind of PDU.
    pub channel: Option<Channel>,
}

/// Appends a record of the step that the message represents.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let (header, message) = split(packet.payload)?;
    sink.rrc(packet, true, (header.pci, header.arfcn), header.channel, message)?;
    Ok(Understood { version: header.version.into(), verified: false })
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
    if version != VERSION {
        return Err(Misfit::UnknownVersion(version.into()));
    }
    let (pdu, length) = (bytes.u8(17)?, bytes.u16(22)?);
    let message = bytes.part(24, length.into())?;
    let header = Header {
        version,
        release: [bytes.u8(4)?, bytes.u8(5)?],
        bearer: bytes.u8(6)?,
        pci: bytes.u16(7)?,
        arfcn: bytes.u32(9)?,
        time: bytes.u32(13)?,
        pdu,
        length,
        channel: channel(pdu),
    };
    Ok((header, message.0))
}

/// The channel for a kind of PDU. Samples contain 1, 8, 9, 10 and 26; the others are as published.
fn channel(pdu: u8) -> Option<Channel> {
    match pdu {
        1 => Some(Channel::BcchBch),
        2 => Some(Channel::BcchDlSch),
        3 => Some(Channel::DlCcch),
        4 => Some(Channel::DlDcch),
        5 => Some(Channel::Pcch),
        6 => Some(Channel::UlCcch),
        8 => Some(Channel::UlDcch),
        9 => Some(Channel::Reconfiguration),
        10 => Some(Channel::ReconfigurationComplete),
        26 => Some(Channel::RadioBearers),
        _ => None,
    }
}
