//! Rewrites a capture that was taken inside of a phone, so that its timestamps are those of the
//! phone's [`TickClock`], as every other host saw them.

use std::io::{self, Read, Write};

use crate::ticks::TickClock;

/// The lengths of the headers of a classic capture: 24 bytes for the file, and 16 for each packet.
const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;
/// The magic numbers of captures with microseconds and nanoseconds, in the byte order of the
/// writer's machine.
const MAGICS: [u32; 2] = [0xA1B2_C3D4, 0xA1B2_3C4D];
/// The link type of packets that begin with their IP header.
const RAW: u32 = 101;
/// The most bytes that a capture may contain of a packet; this is tcpdump's limit.
const MOST_BYTES: u32 = 262_144;

/// Copies a capture and converts the timestamps of the phone with the address `phone` to ticks.
/// Returns the number of packets. A last packet that is cut off by the end of the file is left out.
///
/// # Errors
/// Fails when the input is not a classic capture of IP packets, or cannot be read or written.
pub fn rewrite_capture(
    input: &mut impl Read,
    output: &mut impl Write,
    clock: &mut TickClock,
    phone: [u8; 4],
) -> io::Result<u64> {
    let mut header = [0u8; FILE_HEADER];
    input.read_exact(&mut header)?;
    let word = order(&header)?;
    if word(&header[20..]) & 0xFFFF != RAW {
        return Err(wrong("its packets do not begin with their IP header"));
    }
    output.write_all(&header)?;
    let (mut packets, mut packet) = (0, Vec::new());
    let mut record = [0u8; RECORD_HEADER];
    while whole(input.read_exact(&mut record))? {
        let bytes = word(&record[8..]);
        if bytes > MOST_BYTES {
            return Err(wrong("a packet is longer than any that is recorded"));
        }
        packet.resize(bytes as usize, 0);
        if !whole(input.read_exact(&mut packet))? {
            break;
        }
        let leaves = packet.get(12..16) == Some(&phone[..]);
        clock.recorded(&mut packet, leaves);
        output.write_all(&record)?;
        output.write_all(&packet)?;
        packets += 1;
    }
    output.flush()?;
    Ok(packets)
}

/// Whether everything was read. The end of the file is not an error, but a disk that fails is.
fn whole(read: io::Result<()>) -> io::Result<bool> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        other => other.map(|()| true),
    }
}

/// Returns the function that reads a word of this capture in its byte order.
fn order(header: &[u8; FILE_HEADER]) -> io::Result<fn(&[u8]) -> u32> {
    let orders: [fn(&[u8]) -> u32; 2] = [little, big];
    let found = orders.into_iter().find(|word| MAGICS.contains(&word(header)));
    found.ok_or_else(|| wrong("it is no classic capture file"))
}

fn little(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn big(bytes: &[u8]) -> u32 {
    u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn wrong(problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::option;
    use crate::option::tests::segment;

    const PHONE: [u8; 4] = [10, 73, 9, 2];

    fn capture(packets: &[Vec<u8>], big_endian: bool) -> Vec<u8> {
        let word = |value: u32| {
            if big_endian { value.to_be_bytes() } else { value.to_le_bytes() }
        };
        let mut file = Vec::new();
        for value in [MAGICS[0], 0, 0, 0, 96, RAW] {
            file.extend(word(value));
        }
        for packet in packets {
            for value in [1, 2, packet.len() as u32, 1500] {
                file.extend(word(value));
            }
            file.extend(packet);
        }
        file
    }

    fn rewritten(file: &[u8]) -> io::Result<(u64, Vec<u8>)> {
        let (mut out, mut clock) = (Vec::new(), TickClock::new(10_000).unwrap());
        let packets = rewrite_capture(&mut &file[..], &mut out, &mut clock, PHONE)?;
        Ok((packets, out))
    }

    #[test]
    fn both_ways_get_ticks_in_either_byte_order() {
        for big_endian in [false, true] {
            let sent = [segment(true, 1_000, 5, &[1, 1]), segment(true, 1_034, 5, &[1, 1])];
            let answer = segment(false, 7, 1_034, &[1, 1]);
            let file = capture(&[&sent[..], &[answer]].concat(), big_endian);
            let (packets, out) = rewritten(&file).unwrap();
            assert_eq!((packets, out.len()), (3, file.len()));
            let each = sent[0].len() + RECORD_HEADER;
            let stamps =
                |n: usize| option::find(&out[FILE_HEADER + n * each + RECORD_HEADER..]).unwrap();
            assert_eq!((stamps(0).value, stamps(1).value), (1_000, 1_003));
            assert_eq!((stamps(2).value, stamps(2).echo), (7, 1_003));
        }
    }

    #[test]
    fn a_cut_end_is_left_out_and_what_is_no_capture_is_refused() {
        let packet = segment(true, 1_000, 5, &[1, 1]);
        let file = capture(&[packet.clone(), packet], false);
        let (packets, out) = rewritten(&file[..file.len() - 3]).unwrap();
        assert_eq!(packets, 1);
        assert_eq!(out.len(), (file.len() - FILE_HEADER) / 2 + FILE_HEADER);
        let said = |file: &[u8]| rewritten(file).unwrap_err().to_string();
        assert_eq!(said(&[0; 40]), "it is no classic capture file");
        let mut ethernet = file;
        ethernet[20] = 1;
        assert_eq!(said(&ethernet), "its packets do not begin with their IP header");
    }

    /// A disk that fails after these bytes.
    struct Failing<'a>(&'a [u8]);

    impl Read for Failing<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::other("the disk fails")),
                some => Ok(some),
            }
        }
    }

    #[test]
    fn a_disk_that_fails_is_not_the_end_of_the_file() {
        let file = capture(&[segment(true, 1_000, 5, &[1, 1])], false);
        for bytes in [file.len(), file.len() - 3, FILE_HEADER] {
            let (mut out, mut clock) = (Vec::new(), TickClock::new(10_000).unwrap());
            let mut input = Failing(&file[..bytes]);
            let error = rewrite_capture(&mut input, &mut out, &mut clock, PHONE).unwrap_err();
            assert_eq!(error.to_string(), "the disk fails");
        }
    }
}
