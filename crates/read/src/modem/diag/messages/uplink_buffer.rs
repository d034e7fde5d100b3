//! Reads 0xB066: the bytes that wait in the modem for the uplink, by logical channel (methods G8).

use super::common::{frame, subpackets};
use crate::modem::diag::bits::Bytes;
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;
use crate::modem::record::{BufferStatus, Record};

/// The identity of the subpacket with the samples.
const BUFFER_STATUS: u8 = 10;

/// The frame and the subframe of a sample that was not taken.
const UNUSED: (u16, u8) = (1023, 15);

/// A logical channel in a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Identity of the logical channel.
    pub id: u8,
    /// Priority of the logical channel.
    pub priority: u8,
    /// New bytes of packets whose headers are not compressed.
    pub new_bytes: u32,
    /// New bytes of packets whose headers are compressed; `None` if the version does not
    /// distinguish them.
    pub compressed_bytes: Option<u32>,
    /// Bytes that wait to be retransmitted.
    pub repeated_bytes: u32,
    /// Bytes of control data that wait in the channel.
    pub control_bytes: u16,
}

/// The bytes that waited in the modem during one subframe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The identity of the subscription's stack; `None` if the version does not contain it.
    pub stack: Option<u8>,
    /// System frame number.
    pub frame: u16,
    /// Subframe of the frame, 0 to 9.
    pub subframe: u8,
    /// The logical channels.
    pub channels: Vec<Channel>,
}

/// The fields of the message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UplinkBuffer {
    /// The version of the subpacket.
    pub version: u8,
    /// The samples of the message.
    pub samples: Vec<Sample>,
}

impl Sample {
    /// Whether the modem took the sample; unused samples fill the rest of a message.
    pub fn is_used(&self) -> bool {
        (self.frame, self.subframe) != UNUSED
    }

    /// The number of bytes that wait in all channels.
    pub fn bytes(&self) -> u64 {
        self.channels.iter().map(Channel::bytes).sum()
    }
}

impl Channel {
    /// The number of bytes that wait in the channel: new, retransmitted and control bytes. New
    /// bytes wait with compressed or with uncompressed headers, so both kinds count.
    pub fn bytes(&self) -> u64 {
        let new = u64::from(self.new_bytes) + u64::from(self.compressed_bytes.unwrap_or(0));
        new + u64::from(self.repeated_bytes) + u64::from(self.control_bytes)
    }
}

/// Reads the message.
///
/// # Errors
/// A subpacket has an unknown version, or is shorter than its size field says.
pub fn parse(payload: &[u8]) -> Result<UplinkBuffer, Misfit> {
    let mut message = UplinkBuffer::default();
    for subpacket in subpackets(Bytes(payload))? {
        let subpacket = subpacket?;
        if subpacket.id == BUFFER_STATUS {
            message.version = subpacket.version;
            let layout = Layout::of(subpacket.version)?;
            layout.samples(subpacket.data, &mut message.samples)?;
        }
    }
    Ok(message)
}

/// Appends a record of the waiting bytes for every sample that was taken.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let message = parse(packet.payload)?;
    for sample in message.samples.iter().filter(|sample| sample.is_used()) {
        let aired = sink.aired(packet, sample.frame.into(), sample.subframe.into())?;
        sink.put(Record::Buffer(BufferStatus {
            time: aired.time,
            tti: Some(aired.tti),
            user: packet.user,
            lcg: None,
            index: None,
            low_bytes: None,
            high_bytes: None,
            firmware_queue_bytes: Some(sample.bytes()),
            source: "0xB066",
        }));
    }
    let verified = message.version != 5;
    Ok(Understood { version: message.version.into(), verified })
}

/// The differences between the layouts of versions.
struct Layout {
    /// Whether samples begin with the identity of the subscription's stack.
    with_stack: bool,
    /// Whether there are two numbers of new bytes, for uncompressed and for compressed headers.
    with_compressed: bool,
}

impl Layout {
    fn of(version: u8) -> Result<Self, Misfit> {
        match version {
            3 => Ok(Self { with_stack: false, with_compressed: false }),
            5 => Ok(Self { with_stack: false, with_compressed: true }),
            24 => Ok(Self { with_stack: true, with_compressed: true }),
            version => Err(Misfit::UnknownVersion(version.into())),
        }
    }

    fn samples(&self, data: Bytes<'_>, out: &mut Vec<Sample>) -> Result<(), Misfit> {
        let mut at = 1;
        for _ in 0..data.u8(0)? {
            let stack = self.with_stack.then(|| data.u8(at)).transpose()?;
            at += usize::from(self.with_stack);
            let (frame, subframe) = frame(data.u16(at)?);
            let channels = self.channels(data, at + 3, data.u8(at + 2)?)?;
            at += 3 + channels.len() * self.row();
            out.push(Sample { stack, frame, subframe, channels });
        }
        Ok(())
    }

    fn channels(&self, data: Bytes<'_>, at: usize, count: u8) -> Result<Vec<Channel>, Misfit> {
        data.records(at, count.into(), self.row())?.map(|row| self.channel(row)).collect()
    }

    fn channel(&self, row: Bytes<'_>) -> Result<Channel, Misfit> {
        let rest = if self.with_compressed { 10 } else { 6 };
        Ok(Channel {
            id: row.u8(0)?,
            priority: row.u8(1)?,
            new_bytes: row.u32(2)?,
            compressed_bytes: self.with_compressed.then(|| row.u32(6)).transpose()?,
            repeated_bytes: row.u32(rest)?,
            control_bytes: row.u16(rest + 4)?,
        })
    }

    fn row(&self) -> usize {
        if self.with_compressed { 16 } else { 12 }
    }
}
