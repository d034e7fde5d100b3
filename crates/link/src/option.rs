//! Finds and changes the timestamp option of a TCP segment.

/// An address (IPv4 in the low bits) and a port.
pub(crate) type Endpoint = (u128, u16);

/// The timestamp option of one segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamps {
    pub(crate) sender: Endpoint,
    pub(crate) receiver: Endpoint,
    pub(crate) acknowledges: bool,
    /// TSval and TSecr (RFC 7323 section 3.2).
    pub(crate) value: u32,
    pub(crate) echo: u32,
    tcp_at: usize,
    value_at: usize,
}

/// One of the two fields of the option.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Field {
    Value,
    Echo,
}

const PROTOCOL_TCP: u8 = 6;
const ACK: u8 = 0x10;
/// TCP option kinds (RFC 9293 section 3.2; RFC 7323 section 3.2).
const END: u8 = 0;
const NO_OPERATION: u8 = 1;
const TIMESTAMPS: u8 = 8;
/// The length of kind, length and two fields.
const TIMESTAMPS_BYTES: u8 = 10;
const CHECKSUM_AT: usize = 16;

/// Finds the option, if the bytes contain all of it; the packet may be cut.
pub(crate) fn find(packet: &[u8]) -> Option<Stamps> {
    let (tcp_at, sender, receiver) = addresses(packet)?;
    let tcp = packet.get(tcp_at..)?;
    let header_bytes = usize::from(*tcp.get(12)? >> 4) * 4;
    let mut at = 20;
    while at < header_bytes {
        match *tcp.get(at)? {
            END => return None,
            NO_OPERATION => at += 1,
            TIMESTAMPS if *tcp.get(at + 1)? == TIMESTAMPS_BYTES && at + 10 <= header_bytes => {
                return Some(Stamps {
                    sender: (sender, two(tcp, 0)?),
                    receiver: (receiver, two(tcp, 2)?),
                    acknowledges: *tcp.get(13)? & ACK != 0,
                    value: four(tcp, at + 2)?,
                    echo: four(tcp, at + 6)?,
                    tcp_at,
                    value_at: tcp_at + at + 2,
                });
            }
            // A length below 2 would never advance.
            _ => at += usize::from(*tcp.get(at + 1)?).max(2),
        }
    }
    None
}

/// Changes a field, and adjusts the checksum (RFC 1624 equation 3).
pub(crate) fn set(packet: &mut [u8], stamps: &Stamps, field: Field, to: u32) {
    let at = match field {
        Field::Value => stamps.value_at,
        Field::Echo => stamps.value_at + 4,
    };
    // The words of the checksum begin with the header, so the field may begin in the middle of a
    // word. If the packet is cut just after the field, the last byte is the same before and after.
    let odd = (at - stamps.tcp_at) % 2;
    let words = at - odd..(at + 4 + odd).min(packet.len());
    let before = sum(&packet[words.clone()]);
    packet[at..at + 4].copy_from_slice(&to.to_be_bytes());
    let after = sum(&packet[words]);
    let checksum_at = stamps.tcp_at + CHECKSUM_AT;
    let old = two(packet, checksum_at).unwrap_or(0);
    let new = !fold(u32::from(!old) + u32::from(!fold(before)) + u32::from(fold(after)));
    packet[checksum_at..checksum_at + 2].copy_from_slice(&new.to_be_bytes());
}

/// The offset of the TCP header, with source and destination of the packet. Only the first of
/// several fragments has them.
fn addresses(packet: &[u8]) -> Option<(usize, u128, u128)> {
    match packet.first()? >> 4 {
        4 => {
            let later_fragment = two(packet, 6)? & 0x1FFF != 0;
            let tcp = *packet.get(9)? == PROTOCOL_TCP && !later_fragment;
            let header_bytes = usize::from(*packet.first()? & 15) * 4;
            let found = (header_bytes, four(packet, 12)?.into(), four(packet, 16)?.into());
            (tcp && header_bytes >= 20).then_some(found)
        }
        6 => {
            let address = |at: usize| {
                let bytes = packet.get(at..at + 16)?.try_into().ok()?;
                Some(u128::from_be_bytes(bytes))
            };
            let found = (40, address(8)?, address(24)?);
            (*packet.get(6)? == PROTOCOL_TCP).then_some(found)
        }
        _ => None,
    }
}

/// The sum of 16-bit words; for an odd number of bytes, the last byte is the high half of a word.
fn sum(bytes: &[u8]) -> u32 {
    let word = |pair: &[u8]| u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]);
    bytes.chunks(2).map(|pair| u32::from(word(pair))).sum()
}

/// Folds a sum in one's complement: carries are added again.
const fn fold(mut sum: u32) -> u16 {
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    sum as u16
}

fn two(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn four(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A segment with 4 bytes of IPv4 options, the options `before` before its timestamps, and
    /// payload.
    pub(crate) fn segment(leaves: bool, value: u32, echo: u32, before: &[u8]) -> Vec<u8> {
        let mut tcp = vec![0u8; 20];
        let (source, target) = if leaves { (40_000u16, 80u16) } else { (80, 40_000) };
        tcp[..2].copy_from_slice(&source.to_be_bytes());
        tcp[2..4].copy_from_slice(&target.to_be_bytes());
        tcp.extend_from_slice(before);
        tcp.extend_from_slice(&[TIMESTAMPS, TIMESTAMPS_BYTES]);
        tcp.extend_from_slice(&value.to_be_bytes());
        tcp.extend_from_slice(&echo.to_be_bytes());
        tcp.resize(tcp.len().next_multiple_of(4), 0);
        tcp[12] = (tcp.len() as u8 / 4) << 4;
        tcp[13] = ACK;
        tcp.extend_from_slice(b"payload");
        let mut packet = vec![0u8; 24];
        (packet[0], packet[9]) = (0x46, PROTOCOL_TCP);
        let (phone, server) = ([10, 73, 9, 2], [10, 73, 0, 2]);
        let (from, to) = if leaves { (phone, server) } else { (server, phone) };
        packet[12..16].copy_from_slice(&from);
        packet[16..20].copy_from_slice(&to);
        packet.extend_from_slice(&tcp);
        let checksum = !whole(&packet);
        packet[24 + CHECKSUM_AT..24 + CHECKSUM_AT + 2].copy_from_slice(&checksum.to_be_bytes());
        packet
    }

    pub(crate) fn checksum_holds(packet: &[u8]) -> bool {
        whole(packet) == 0xFFFF
    }

    /// The checksum over pseudo-header, header and payload (RFC 9293 section 3.1).
    fn whole(packet: &[u8]) -> u16 {
        let tcp = &packet[24..];
        fold(sum(&packet[12..20]) + u32::from(PROTOCOL_TCP) + tcp.len() as u32 + sum(tcp))
    }

    #[test]
    fn it_is_found_among_other_options() {
        let syn = [2, 4, 5, 180, 4, 2];
        for before in [&[][..], &[1, 1], &syn, &[3, 3, 7], &[1, 3, 3, 7, 2, 4, 5, 180]] {
            let stamps = find(&segment(true, 7, 9, before)).unwrap();
            assert_eq!((stamps.value, stamps.echo), (7, 9), "{before:?}");
            assert_eq!((stamps.sender.1, stamps.receiver.1), (40_000, 80));
        }
    }

    #[test]
    fn what_is_cut_or_ended_before_it_is_not_read() {
        let packet = segment(true, 7, 9, &[1, 1]);
        assert!(find(&packet[..24 + 20 + 12]).is_some());
        assert!(find(&packet[..24 + 20 + 11]).is_none());
        assert!(find(&segment(true, 7, 9, &[0, 1])).is_none());
        assert!(find(&segment(true, 7, 9, &[5, 0])).is_some(), "a length of 0 is passed over");
        let mut fragment = packet;
        fragment[7] = 3;
        assert!(find(&fragment).is_none());
    }
}
