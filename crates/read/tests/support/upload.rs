//! Encodes the messages about an upload from their layouts, as input for tests of the reader.

/// The payload of 0xB130 version 121 for a carrier of 50 PRBs: one grant of `prbs` from `start` on.
pub(crate) fn granted(count: u32, start: u64, prbs: u64) -> Vec<u8> {
    let mut payload = vec![121];
    payload.extend(((count % 10) | ((count / 10) << 4) | (3 << 14)).to_le_bytes());
    payload.extend([0, 0, 1]);
    // Eleven bits of the allocation after two flags.
    payload.extend(((50 * (prbs - 1) + start) << (64 - 13)).to_le_bytes());
    let words = [43_u32 << 14, 0, 1, 0, 0, 0];
    words.iter().for_each(|word| payload.extend(word.to_le_bytes()));
    payload
}

/// A block in 0xB139: subframe, first PRB, PRBs, bytes, modulation.
pub(crate) type Sent = (u16, u32, u32, u16, u32);

/// The payload of 0xB139 in one of its later versions.
pub(crate) fn pusch(version: u8, sent: &[Sent]) -> Vec<u8> {
    let mut payload = vec![version];
    payload.extend((30_u16 | ((sent.len() as u16) << 9)).to_le_bytes());
    payload.resize(8, 0);
    let size = if version == 162 { 100 } else { 84 };
    for &(count, start, prbs, bytes, modulation) in sent {
        let mut record = vec![0; size];
        let place = (start << 1) | (start << 8) | (prbs << 15);
        record[..2].copy_from_slice(&count.to_le_bytes());
        record[4..8].copy_from_slice(&place.to_le_bytes());
        record[8..10].copy_from_slice(&bytes.to_le_bytes());
        let at = if version == 162 { 36 } else { 20 };
        record[at] = if version == 162 { (modulation << 2) as u8 } else { modulation as u8 };
        payload.extend(record);
    }
    payload
}

/// A block in 0xB064: subframe, grant and padding.
pub(crate) type Filled = (u16, u16, u16);

/// The payload of 0xB064 in a version of its subpacket.
pub(crate) fn mac_up(version: u8, blocks: &[Filled]) -> Vec<u8> {
    let mut data = vec![blocks.len() as u8];
    for &(count, grant, padding) in blocks {
        data.extend(&[1, 0][..if version == 1 { 0 } else { 2 }][usize::from(version == 7)..]);
        // Data of channel 3, which have a length if padding follows.
        let length = grant.wrapping_sub(padding).wrapping_sub(4) | 0x8000;
        let header: &[u8] =
            if padding > 0 { &[0x23, (length >> 8) as u8, length as u8, 0x1F] } else { &[0x03] };
        data.extend([5, 0]);
        data.extend(((count % 10) | ((count / 10) << 4)).to_le_bytes());
        data.extend(grant.to_le_bytes());
        data.push(1);
        data.extend(padding.to_le_bytes());
        data.extend([0, 0, header.len() as u8]);
        data.extend(header);
    }
    subpacket(8, version, &data)
}

/// The payload of 0xB067, version 2: bytes granted and used in a window.
pub(crate) fn counters(granted: u32, used: u32) -> Vec<u8> {
    let head = [1, 100, 0, 0, 0, 0];
    let data = [&head[..], &granted.to_le_bytes(), &used.to_le_bytes(), &[0, 0]].concat();
    subpacket(11, 2, &data)
}

/// A message with one subpacket.
pub(crate) fn subpacket(id: u8, version: u8, data: &[u8]) -> Vec<u8> {
    let size = (data.len() as u16 + 4).to_le_bytes();
    [&[1, 1, 0, 0, id, version][..], &size, data].concat()
}

/// The payload of 0xB139 version 124 with one block, on a second cluster too.
pub(crate) fn second_cluster(mut payload: Vec<u8>, start: u32, prbs: u32) -> Vec<u8> {
    let word = |payload: &[u8], at| payload[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
    let place = word(&payload, 12) | 1;
    payload[12..16].copy_from_slice(&place.to_le_bytes());
    let coding = word(&payload, 28) | (start << 10) | (prbs << 18);
    payload[28..32].copy_from_slice(&coding.to_le_bytes());
    payload
}
