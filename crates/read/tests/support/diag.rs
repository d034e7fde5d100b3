//! Encodes DIAG logs from the layouts of their messages, as input for tests of the reader.

/// 2019-06-01 03:44:29.574046 UTC in units of 1/52,428,800 s since 1980-01-06.
pub(crate) const STAMP: u64 = 65_189_753_366_723_782;
/// The number of units of the clock in a millisecond, rounded down.
pub(crate) const MS: u64 = 52_428;

/// CRC-16/X.25, bit by bit.
pub(crate) fn crc(bytes: &[u8]) -> u16 {
    let shift = |sum: u16| if sum & 1 == 1 { (sum >> 1) ^ 0x8408 } else { sum >> 1 };
    !bytes.iter().fold(0xffff, |sum, byte| (0..8).fold(sum ^ u16::from(*byte), |sum, _| shift(sum)))
}

/// A packet wrapped in a frame.
pub(crate) fn frame(packet: &[u8]) -> Vec<u8> {
    let mut frame = Vec::new();
    for byte in packet.iter().copied().chain(crc(packet).to_le_bytes()) {
        match byte {
            0x7d | 0x7e => frame.extend([0x7d, byte ^ 0x20]),
            _ => frame.push(byte),
        }
    }
    frame.push(0x7e);
    frame
}

/// A log packet.
pub(crate) fn log(code: u16, stamp: u64, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u16 + 12).to_le_bytes();
    let mut packet = vec![0x10, 0];
    packet.extend([length, length, code.to_le_bytes()].concat());
    packet.extend(stamp.to_le_bytes());
    packet.extend(payload);
    packet
}

/// A packet in the wrapper of a subscription.
pub(crate) fn of_subscription(id: u32, packet: &[u8]) -> Vec<u8> {
    [&[0x98, 1, 0, 0], &id.to_le_bytes()[..], packet].concat()
}

/// A transport block with the fields of 0xB173.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) harq: u8,
    pub(crate) rv: u8,
    pub(crate) ndi: bool,
    pub(crate) crc_ok: bool,
    pub(crate) rnti: u8,
    pub(crate) index: u8,
    /// The size in bytes as logged; it includes the CRC in some versions.
    pub(crate) size: u16,
    pub(crate) mcs: u8,
    pub(crate) prbs: u8,
    pub(crate) order: u8,
}

/// A decoded block of one layer.
pub(crate) const BLOCK: Block = Block {
    harq: 3,
    rv: 0,
    ndi: true,
    crc_ok: true,
    rnti: 0,
    index: 0,
    size: 2127,
    mcs: 24,
    prbs: 32,
    order: 6,
};

/// A subframe with the fields of 0xB173.
#[derive(Clone, Debug)]
pub(crate) struct Subframe {
    pub(crate) count: u16,
    pub(crate) layers: u8,
    pub(crate) carrier: u8,
    pub(crate) blocks: Vec<Block>,
}

/// The payload of 0xB173 in one of its versions.
pub(crate) fn pdsch_stat(version: u8, subframes: &[Subframe]) -> Vec<u8> {
    let mut payload = vec![version, subframes.len() as u8, 0, 0];
    subframes.iter().for_each(|subframe| payload.extend(record(version, subframe)));
    payload
}

fn record(version: u8, subframe: &Subframe) -> Vec<u8> {
    let (head, slot, tail) = match version {
        5 | 16 => (6, 6, 2),
        24 | 32 | 34 => (6, 8, 2),
        _ => (12, 12, 4),
    };
    let (frame, sub) = (subframe.count / 10, subframe.count % 10);
    let mut record = (sub | (frame << 4)).to_le_bytes().to_vec();
    if version != 50 {
        record.push(subframe.blocks.first().map_or(0, |block| block.prbs));
    }
    record.extend([subframe.layers, subframe.blocks.len() as u8, subframe.carrier]);
    record.resize(head, 0);
    for at in 0..2 {
        let start = record.len();
        if let Some(block) = subframe.blocks.get(at) {
            record.extend(slot_of(version, block));
        }
        record.resize(start + slot, 0);
    }
    record.resize(record.len() + tail, 0);
    record
}

fn slot_of(version: u8, block: &Block) -> Vec<u8> {
    let flags = (u8::from(block.ndi) << 6) | (u8::from(block.crc_ok) << 7);
    let mut slot = vec![block.harq | (block.rv << 4) | flags, block.rnti | (block.index << 4)];
    if version >= 36 {
        slot.extend([0, 0]);
    }
    slot.extend(block.size.to_le_bytes());
    slot.extend([block.mcs, block.prbs]);
    if version > 16 {
        slot.push(block.order);
    }
    slot
}

/// The payload of 0xB126: `prbs` PRBs from 0 on, sizes in bits, 64QAM.
pub(crate) fn pdsch(version: u8, cell: u16, count: u16, prbs: u32, sizes: [u16; 2]) -> Vec<u8> {
    let newer = version >= 122;
    let mut payload = vec![version, cell as u8];
    payload.extend(((cell >> 8) | ((count % 10) << 1) | ((count / 10) << 5)).to_le_bytes());
    let layers = sizes.iter().filter(|size| **size > 0).count().max(1) as u16;
    let antennas =
        if newer { (1 << 6) | ((layers - 1) << 12) } else { (1 << 8) | ((layers - 1) << 14) };
    [0x1234_u16, antennas].iter().for_each(|word| payload.extend(word.to_le_bytes()));
    let bitmap = ((1_u128 << prbs) - 1).to_le_bytes();
    payload.extend([bitmap, bitmap].concat());
    payload.extend([0, 3, 0, 0]);
    for (size, carrier) in sizes.into_iter().zip([0_u16, 1]) {
        payload.extend(size.to_le_bytes());
        let word = if newer { (2 << 2) | (carrier << 6) } else { (2 << 1) | (carrier << 9) };
        payload.extend(word.to_le_bytes());
    }
    payload.resize(if newer { 64 } else { 56 }, 0);
    payload
}

/// The payload of 0xB130 version 101 with one hypothesis.
pub(crate) fn pdcch(count: u32, bandwidth: u32, carrier: u8, status: u32) -> Vec<u8> {
    let mut payload = vec![101];
    payload.extend(((count % 10) | ((count / 10) << 4) | (bandwidth << 14)).to_le_bytes());
    payload.extend([0, carrier << 4, 1]);
    payload.extend([0; 16]);
    payload.extend(status.to_le_bytes());
    payload.extend([0; 8]);
    payload
}
