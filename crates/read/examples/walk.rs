//! Prints the counts of each input: `cargo run -p airmile-read --example walk -- FILES`.
#![expect(clippy::print_stdout, reason = "a tool for the terminal")]

use airmile_read::{Capture, Source, expand};

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    match expand(&names) {
        Ok(sources) => sources.iter().for_each(walk),
        Err(error) => println!("{error}"),
    }
}

fn walk(source: &Source) {
    let mut capture = match Capture::open(source) {
        Ok(capture) => capture,
        Err(error) => return println!("{error}"),
    };
    let mut payload_bytes = 0;
    while let Some(packet) = capture.next_packet() {
        payload_bytes += u64::from(packet.payload_bytes);
    }
    let report = capture.report();
    let counts = &report.counts;
    println!(
        "{}\t{}\trecords {}\tip {}\ttcp {}\tudp {}\tpayload {payload_bytes}",
        report.name,
        report.format,
        counts.records,
        counts.ip_packets,
        counts.tcp_packets,
        counts.udp_packets,
    );
    for (skip, count) in &report.skipped {
        println!("  skipped {count}: {skip}");
    }
    for problem in &report.problems {
        println!("  problem at {}: {} ({})", problem.offset, problem.text, problem.kind);
    }
    for warning in &report.warnings {
        println!("  warning: {warning}");
    }
}
