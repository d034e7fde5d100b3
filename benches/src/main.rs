//! The programs that `make bench` needs for each packet: writers of captures to measure with, and
//! the stages of the engine, each as a process whose CPU time the caller measures.

mod download;
mod expand;
mod flood;
mod frame;
mod gtpu;
mod hostile;
mod many;
mod packing;
mod records;
mod scripts;
mod stage;
mod writer;

use std::io;
use std::process::ExitCode;

const USAGE: &str = "airmile-bench expand BASE OUT COPIES SHIFT_NS
airmile-bench first COUNT IN OUT
airmile-bench gtpu IN OUT
airmile-bench download OUT FLOWS [SEGMENTS]
airmile-bench scripts OUT FIRST COUNT
airmile-bench flood OUT FLOWS
airmile-bench hostile OUT PACKETS
airmile-bench many flows|phones|names|tunnels|fragments OUT COUNT
airmile-bench pack gzip|zstd IN OUT
airmile-bench unpack IN
airmile-bench walk|decode|table|track|analyze CAPTURE

OUT may be - for standard output. Each prints the number of packets (or bytes) to standard error.";

#[expect(clippy::print_stderr, reason = "a tool of its own, with nothing but this to say")]
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(Some((number, what))) => {
            eprintln!("{number} {what}");
            ExitCode::SUCCESS
        }
        Ok(None) => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(5)
        }
    }
}

/// Runs a command; returns a number and what it counts, or `None` when the words are not
/// understood.
fn run(words: &[&str]) -> io::Result<Option<(u64, &'static str)>> {
    let packets = match *words {
        ["expand", base, out, copies, shift] => match (copies.parse(), shift.parse()) {
            (Ok(copies), Ok(shift)) => expand::expand(base, out, copies, shift)?,
            _ => return Ok(None),
        },
        ["first", count, input, out] => match count.parse() {
            Ok(count) => records::first(input, out, count)?,
            Err(_) => return Ok(None),
        },
        ["gtpu", input, out] => gtpu::wrap(input, out)?,
        ["download", out, flows] => match flows.parse() {
            Ok(flows) => download::write(out, flows, download::SEGMENTS)?,
            Err(_) => return Ok(None),
        },
        ["download", out, flows, segments] => match (flows.parse(), segments.parse()) {
            (Ok(flows), Ok(segments)) => download::write(out, flows, segments)?,
            _ => return Ok(None),
        },
        ["scripts", out, first, count] => match (first.parse(), count.parse()) {
            (Ok(first), Ok(count)) => scripts::write(out, first, count)?,
            _ => return Ok(None),
        },
        ["flood", out, flows] => match flows.parse() {
            Ok(flows) => flood::write(out, flows)?,
            Err(_) => return Ok(None),
        },
        ["hostile", out, packets] => match packets.parse() {
            Ok(packets) => hostile::write(out, packets)?,
            Err(_) => return Ok(None),
        },
        ["many", kind, out, count] => {
            match count.parse().map(|count| many::write(kind, out, count)) {
                Ok(written) => return Ok(written?.map(|packets| (packets, "packets"))),
                Err(_) => return Ok(None),
            }
        }
        ["pack", coding, input, out] => return packing::pack(coding, input, out),
        ["unpack", input] => return packing::unpack(input),
        [name, capture] => match stage::run(name, capture)? {
            Some(packets) => packets,
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    Ok(Some((packets, "packets")))
}
