//! Measures how fast a DIAG log is read in memory on one thread: `cargo run --profile dist
//! --example modem_speed -- LOG [MB]`. The log is repeated up to a size of MB megabytes.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it is what it is for")]

use std::io::Cursor;
use std::time::Instant;

use airmile_read::modem::{ModemLog, diag};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, rest @ ..] = arguments.as_slice() else {
        return println!("give a DIAG log, and how many MB it is to be repeated to");
    };
    let log = match std::fs::read(path) {
        Ok(log) => log,
        Err(error) => return println!("{path}: {error}"),
    };
    let wanted = rest.first().and_then(|mb| mb.parse().ok()).unwrap_or(256_usize) << 20;
    let log = log.repeat(wanted.div_ceil(log.len().max(1)));
    let megabytes = log.len() as f64 / 1e6;
    let begin = Instant::now();
    let (frames, damaged) = diag::count_frames(&log);
    let bare = begin.elapsed().as_secs_f64();
    println!("frames and CRC: {:.0} MB/s, {frames} frames, {damaged} damaged", megabytes / bare);
    let begin = Instant::now();
    let records = read(log);
    let all = begin.elapsed().as_secs_f64();
    println!("records: {:.0} MB/s, {records} records, {:.2} x", megabytes / all, all / bare);
}

fn read(log: Vec<u8>) -> usize {
    let Ok(mut log) = ModemLog::from_reader("memory", Cursor::new(log)) else { return 0 };
    let (mut count, mut records) = (0, Vec::new());
    loop {
        let more = log.read(&mut records);
        count += records.len();
        records.clear();
        if !more {
            return count;
        }
    }
}
