//! Measures how fast a modem log becomes tables, on one thread:
//! `cargo run --profile dist -p airmile-dataset --example radio_speed -- LOG`.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it is what it is for")]

use std::ops::ControlFlow;
use std::time::Instant;

use airmile_dataset::{Error, Options, radio, radio_batches};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(log) = std::env::args().nth(1) else {
        println!("give a modem log");
        return Ok(());
    };
    let megabytes = std::fs::metadata(&log)?.len() as f64 / 1e6;
    let options = Options { modem: vec![log], ..Options::default() };
    let timed = |what: &str, run: &mut dyn FnMut() -> Result<u64, Error>| {
        let begin = Instant::now();
        let rows = run()?;
        let seconds = begin.elapsed().as_secs_f64();
        println!("to {what}: {:.0} MB/s, {rows} rows in {seconds:.2} s", megabytes / seconds);
        Ok::<(), Error>(())
    };
    timed("Arrow", &mut || arrow(&options))?;
    let folder = tempfile::tempdir()?;
    timed("Parquet", &mut || {
        let out = folder.path().join("radio.airmile");
        let manifest = radio(&out, &options, &mut |_| ControlFlow::Continue(()))?;
        Ok(manifest.rows.values().sum())
    })?;
    Ok(())
}

fn arrow(options: &Options) -> Result<u64, Error> {
    let mut rows = 0;
    radio_batches(options, &mut |_, batch| rows += batch.num_rows() as u64)?;
    Ok(rows)
}
