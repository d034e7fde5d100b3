//! Reads 0xB139: transport blocks that the phone sent on the PUSCH.

use airmile_types::Direction;

use crate::modem::clock::Aired;
use crate::modem::diag::bits::{Bytes, bits, bits8};
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::proof::{Bench, Check, Grant, Proof, Standing, first_byte};
use crate::modem::diag::sink::Sink;
use crate::modem::record::{Modulation, Record, Rnti, Tti};
use crate::modem::tbs::{self, Link};

/// The offset of the records in the message, in bytes.
const RECORDS: usize = 8;
/// The number of subframes in 1024 frames.
const SUBFRAMES: u16 = 10_240;

/// The fields of the message.
#[derive(Clone, Debug, PartialEq)]
pub struct UplinkShared {
    /// Version of the message.
    pub version: u8,
    /// Physical cell identity.
    pub pci: u16,
    /// The frame number times ten plus the subframe in which the message was logged.
    pub dispatched: u16,
    /// The blocks that were sent.
    pub sent: Vec<Sent>,
}

/// A transport block on the air.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// The frame number times ten plus the subframe.
    pub subframe: u16,
    /// The number of the carrier: 0 for the primary one; `None` if the version does not contain it.
    pub carrier: Option<u8>,
    /// The first PRB in each of both slots.
    pub first_prb: [u8; 2],
    /// The number of PRBs, of both clusters if there are two.
    pub prbs: u8,
    /// Whether the PRBs are two clusters (allocation type 1, TS 36.213 section 8.1.2).
    pub two_clusters: bool,
    /// Bytes of the block.
    pub bytes: u16,
    /// The number of earlier transmissions of the block.
    pub repetition: u8,
    /// The redundancy version; `None` if the message's version does not contain it.
    pub redundancy: Option<u8>,
    /// The code rate; `None` if the version does not contain it.
    pub code_rate: Option<f64>,
    /// Modulation: 1 QPSK, 2 16QAM, 3 64QAM, 4 256QAM.
    pub modulation: u8,
    /// The digital gain in dB.
    pub gain_db: u8,
    /// The transmit power in dBm; in version 162 the requested power, without the limit of the
    /// phone.
    pub power_dbm: i8,
    /// Whether the block carries acknowledgements, channel quality, and the rank; `None` if the
    /// version does not contain it.
    pub control: Option<[bool; 3]>,
    /// The frequency hopping of the block; `None` if the version does not contain it.
    pub hopping: Option<u8>,
    /// The number of bits of channel quality in the block.
    pub cqi_bits: Option<u8>,
}

/// Reads the message.
///
/// # Errors
/// The version is unknown, or the message is shorter than its number of records says.
pub fn parse(payload: &[u8]) -> Result<UplinkShared, Misfit> {
    let view = Bytes(payload);
    let version = view.u8(0)?;
    let (size, read): (_, Read) = match version {
        43 => (64, version_43),
        102 => (68, version_102),
        124 => (84, version_102),
        162 => (100, version_162),
        _ => return Err(Misfit::UnknownVersion(version.into())),
    };
    let word = view.u16(1)?;
    let records = view.records(RECORDS, (word >> 9 & 0x1F).into(), size)?;
    Ok(UplinkShared {
        version,
        pci: word & 0x1FF,
        dispatched: view.u16(4)?,
        sent: records.map(read).collect::<Result<_, _>>()?,
    })
}

pub(super) const PROOF: Proof = Proof { version: first_byte, standing, check };

fn standing(version: u32) -> Option<Standing> {
    Some(match version {
        43 | 102 => Standing::Proved,
        124 => Standing::Sampled,
        162 => Standing::Published,
        _ => return None,
    })
}

/// Compares sizes with modulation and PRBs, blocks with their grants, and the last subframe with
/// the time of logging.
fn check(packet: &LogPacket<'_>, bench: &mut Bench<'_>) -> Result<(), Misfit> {
    let message = parse(packet.payload)?;
    if let Some(last) = message.sent.last() {
        bench.clock((last.subframe / 10).into(), (last.subframe % 10).into());
    }
    for (at, sent) in message.sent.iter().enumerate() {
        check_block(at, sent, bench);
    }
    Ok(())
}

/// Checks one block. The size of a retransmission is that of the first transmission, whatever its
/// PRBs (TS 36.213 section 8.6.2), so it need only be a size of the table.
fn check_block(at: usize, sent: &Sent, bench: &mut Bench<'_>) {
    let (bytes, first) = (u32::from(sent.bytes), sent.repetition == 0);
    let shaped = sent.subframe < SUBFRAMES && (first || bytes == 0 || tbs::is_size(bytes));
    bench.check_record(at, Check::Shape, shaped);
    if shaped && first && bytes > 0 {
        let order = sent.modulation.saturating_mul(2);
        let fits = tbs::fits_modulation(Link::Up, order, sent.prbs.into(), bytes * 8);
        bench.check_record(at, Check::Size, fits);
        let grant = Grant { start: sent.first_prb[0], prbs: sent.prbs };
        // The grant of two clusters has another form (TS 36.212 section 5.3.3.1.1).
        let grant = (fits && !sent.two_clusters).then_some(grant);
        bench.sent(sent.subframe.into(), fits.then_some(bytes), grant);
    }
}

/// A function that reads a record in one version.
type Read = fn(Bytes<'_>) -> Result<Sent, Misfit>;

/// Appends a record of the allocation of each block.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let message = parse(packet.payload)?;
    let sent = message.sent.iter().enumerate();
    for (_, sent) in sent.filter(|(at, _)| !packet.deviating.contains(*at)) {
        let (frame, subframe) = (sent.subframe / 10, sent.subframe % 10);
        let aired = sink.aired(packet, frame.into(), subframe.into())?;
        sink.put(Record::Tti(tti(message.pci, sent, aired, packet)));
    }
    Ok(Understood::verified(message.version))
}

fn tti(pci: u16, sent: &Sent, aired: Aired, packet: &LogPacket<'_>) -> Tti {
    Tti {
        time: aired.time,
        tti: aired.tti,
        epoch: 0,
        user: packet.user,
        rnti: Rnti::C,
        direction: Direction::Uplink,
        cell: Some(pci),
        carrier: sent.carrier.unwrap_or(0),
        prbs: Some(sent.prbs.into()),
        prb_total: None,
        tbs_bytes: Some(sent.bytes.into()),
        block: 0,
        mcs: None,
        modulation: Modulation::of_order(sent.modulation.saturating_mul(2)),
        layers: None,
        harq: None,
        retransmission: Some(sent.repetition > 0),
        crc_ok: None,
        padding_bytes: None,
        source: "0xB139",
    }
}

fn version_43(record: Bytes<'_>) -> Result<Sent, Misfit> {
    let (place, coding) = (record.u32(8)?, record.u32(20)?);
    Ok(Sent {
        subframe: record.u16(0)?,
        carrier: None,
        first_prb: [bits8(place, 11, 7), bits8(place, 18, 7)],
        prbs: bits8(place, 25, 7),
        two_clusters: false,
        bytes: record.u16(12)?,
        repetition: bits8(coding, 26, 3),
        redundancy: None,
        code_rate: None,
        modulation: bits8(coding, 15, 2),
        gain_db: bits8(coding, 17, 8),
        power_dbm: signed_7(bits8(record.u32(24)?, 0, 7)),
        control: None,
        hopping: None,
        cqi_bits: None,
    })
}

fn version_102(record: Bytes<'_>) -> Result<Sent, Misfit> {
    let flags = u32::from(record.u16(2)?);
    let (place, coding, power) = (record.u32(4)?, record.u32(20)?, record.u32(24)?);
    let two_clusters = bits(place, 0, 1) == 1;
    let second = if two_clusters { bits8(coding, 18, 6) } else { 0 };
    Ok(Sent {
        subframe: record.u16(0)?,
        carrier: Some(bits8(flags, 0, 2)),
        first_prb: [bits8(place, 1, 7), bits8(place, 8, 7)],
        prbs: bits8(place, 15, 7).saturating_add(second),
        two_clusters,
        bytes: record.u16(8)?,
        repetition: bits8(flags, 7, 5),
        redundancy: Some(bits8(flags, 12, 2)),
        code_rate: Some(f64::from(record.u16(10)?) / 1024.0),
        modulation: bits8(coding, 0, 2),
        gain_db: bits8(coding, 2, 8),
        power_dbm: signed_7(bits8(power, 0, 7)),
        control: Some([2, 3, 4].map(|bit| bits(flags, bit, 1) == 1)),
        hopping: Some(bits8(flags, 5, 2)),
        cqi_bits: Some(bits8(power, 7, 8)),
    })
}

fn version_162(record: Bytes<'_>) -> Result<Sent, Misfit> {
    let (flags, place) = (u32::from(record.u16(2)?), record.u32(4)?);
    // The field counts quarters of a dB, and is 1.5 dB above the power that is sent.
    let power = f64::from(record.u8(46)?) / 4.0 - 1.5;
    Ok(Sent {
        subframe: record.u16(0)?,
        carrier: Some(bits8(flags, 0, 2)),
        first_prb: [bits8(place, 1, 7), bits8(place, 8, 7)],
        prbs: bits8(place, 15, 7),
        two_clusters: false,
        bytes: record.u16(8)?,
        repetition: bits8(flags, 7, 5),
        redundancy: Some(bits8(flags, 12, 2)),
        code_rate: Some(f64::from(record.u16(10)?) / 1024.0),
        modulation: bits8(record.u8(36)?.into(), 2, 3),
        gain_db: 0,
        power_dbm: whole_dbm(power),
        control: Some([2, 3, 4].map(|bit| bits(flags, bit, 1) == 1)),
        hopping: Some(bits8(flags, 5, 2)),
        cqi_bits: None,
    })
}

#[expect(clippy::cast_possible_truncation, reason = "a byte in quarters, less 1.5")]
fn whole_dbm(power: f64) -> i8 {
    power.round() as i8
}

/// A number of seven bits with sign: near a cell, phones send with less than 1 mW.
const fn signed_7(bits: u8) -> i8 {
    (bits << 1).cast_signed() >> 1
}
