//! Rewrites a capture that was taken inside of a phone: the timestamps of its packets become those of
//! the phone's [`TickClock`], as every other host saw them, and the times of its records those of
//! the phone's [`WallClock`].

use std::io::{self, Read, Write};

use airmile_types::{Duration, Instant};

use crate::ticks::TickClock;

/// The lengths of the headers of a classic capture: 24 bytes for the file, and 16 for each packet.
const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;
/// The magic numbers of captures with microseconds and nanoseconds, in the byte order of the
/// writer's machine.
const MAGICS: [u32; 2] = [0xA1B2_C3D4, 0xA1B2_3C4D];
const SECOND_NS: i64 = 1_000_000_000;
/// The link type of packets that begin with their IP header.
const RAW: u32 = 101;
/// The most bytes that a capture may contain of a packet; this is tcpdump's limit.
const MOST_BYTES: u32 = 262_144;

/// The clock of a phone that gives the times of its records: fast or slow, and set once.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    /// The time at which the clock is right.
    pub right_at: Instant,
    /// By how many parts per million the clock is fast.
    pub fast_ppm: f64,
    /// By how much the clock is set forward, and at what time.
    pub step: (Duration, Instant),
}

impl WallClock {
    /// The time that the clock shows at an instant.
    pub fn shows(&self, at: Instant) -> Instant {
        let gained =
            Duration::from_secs_f64((at - self.right_at).as_secs_f64() * self.fast_ppm / 1e6);
        let (step, from) = self.step;
        at + gained + if at < from { Duration::ZERO } else { step }
    }
}

/// The clocks of a phone; one that is `None` is that of the machine.
#[derive(Debug, Default)]
pub struct PhoneClocks {
    /// The clock of its TCP timestamps.
    pub ticks: Option<TickClock>,
    /// The clock of its captures.
    pub wall: Option<WallClock>,
}

/// Copies a capture and converts the timestamps of the phone with the address `phone`, and the
/// times of all records. Returns the number of packets. A last packet that is cut off by the end of
/// the file is left out.
///
/// # Errors
/// Fails when the input is not a classic capture of IP packets, or cannot be read or written.
pub fn rewrite_capture(
    input: &mut impl Read,
    output: &mut impl Write,
    clocks: &mut PhoneClocks,
    phone: [u8; 4],
) -> io::Result<u64> {
    let mut header = [0u8; FILE_HEADER];
    input.read_exact(&mut header)?;
    let file = File::of(&header)?;
    let word = file.word;
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
        if let Some(ticks) = &mut clocks.ticks {
            ticks.recorded(&mut packet, leaves);
        }
        if let Some(wall) = &clocks.wall {
            let time = wall.shows(file.time(&record));
            file.set_time(&mut record, time)?;
        }
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

/// Reads and writes a word in one byte order.
type Order = (fn(&[u8]) -> u32, fn(u32) -> [u8; 4]);

/// How the numbers of a capture are written.
struct File {
    word: fn(&[u8]) -> u32,
    bytes: fn(u32) -> [u8; 4],
    /// The length of a unit of the second number of a time, in nanoseconds.
    unit_ns: i64,
}

impl File {
    fn of(header: &[u8; FILE_HEADER]) -> io::Result<Self> {
        let orders: [Order; 2] = [(little, u32::to_le_bytes), (big, u32::to_be_bytes)];
        let known = orders.into_iter().find(|(word, _)| MAGICS.contains(&word(header)));
        let (word, bytes) = known.ok_or_else(|| wrong("it is no classic capture file"))?;
        let unit_ns = if word(header) == MAGICS[0] { 1_000 } else { 1 };
        Ok(Self { word, bytes, unit_ns })
    }

    fn time(&self, record: &[u8; RECORD_HEADER]) -> Instant {
        let (seconds, units) = ((self.word)(record), (self.word)(&record[4..]));
        Instant::from_nanos(i64::from(seconds) * SECOND_NS + i64::from(units) * self.unit_ns)
    }

    fn set_time(&self, record: &mut [u8; RECORD_HEADER], time: Instant) -> io::Result<()> {
        let since_ns = time.as_nanos();
        let seconds = u32::try_from(since_ns.div_euclid(SECOND_NS))
            .map_err(|_| wrong("a packet's time is outside of what the file can hold"))?;
        let units = since_ns.rem_euclid(SECOND_NS) / self.unit_ns;
        record[..4].copy_from_slice(&(self.bytes)(seconds));
        record[4..8].copy_from_slice(&(self.bytes)(u32::try_from(units).unwrap_or(0)));
        Ok(())
    }
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

    fn coarse() -> PhoneClocks {
        PhoneClocks { ticks: TickClock::new(Duration::from_millis(10)), wall: None }
    }

    fn rewritten(file: &[u8]) -> io::Result<(u64, Vec<u8>)> {
        let (mut out, mut clocks) = (Vec::new(), coarse());
        let packets = rewrite_capture(&mut &file[..], &mut out, &mut clocks, PHONE)?;
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
    fn records_get_the_time_of_a_clock_that_is_fast_and_set() {
        let packet = segment(true, 1_000, 5, &[1, 1]);
        let at =
            |seconds: i64, micros: i64| Instant::from_nanos(seconds * SECOND_NS + micros * 1_000);
        for (step_s, after) in [(2, 102), (-3, 97)] {
            for big_endian in [false, true] {
                let bytes = if big_endian { u32::to_be_bytes } else { u32::to_le_bytes };
                let mut file = capture(&[packet.clone(), packet.clone()], big_endian);
                let second = file.len() - packet.len() - RECORD_HEADER;
                file[second..second + 4].copy_from_slice(&bytes(100));
                let step = (Duration::from_secs(step_s), at(100, 0));
                let wall = WallClock { right_at: at(0, 0), fast_ppm: 50.0, step };
                let mut clocks = PhoneClocks { ticks: None, wall: Some(wall) };
                let mut out = Vec::new();
                rewrite_capture(&mut &file[..], &mut out, &mut clocks, PHONE).unwrap();
                let format = File::of(out[..FILE_HEADER].try_into().unwrap()).unwrap();
                let time =
                    |from: usize| format.time(out[from..][..RECORD_HEADER].try_into().unwrap());
                // The first packet is recorded at 1 s and 2 us, where 50 ppm are 50 us, and the
                // second at 100 s and 2 us, where they are 5 ms.
                assert_eq!((time(FILE_HEADER), time(second)), (at(1, 52), at(after, 5_002)));
                assert_eq!(out[second + RECORD_HEADER..], packet[..]);
            }
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
            let (mut out, mut clocks) = (Vec::new(), coarse());
            let mut input = Failing(&file[..bytes]);
            let error = rewrite_capture(&mut input, &mut out, &mut clocks, PHONE).unwrap_err();
            assert_eq!(error.to_string(), "the disk fails");
        }
    }
}
