//! Compresses, or only decompresses, which is the least that reading a compressed capture costs.

use std::io::{self, Read, Write};

use crate::writer::{create, open};

/// The default level of gzip.
const GZIP_LEVEL: u32 = 6;
const ZSTD_LEVEL: i32 = 3;

/// The number of bytes written at a time: the size of the engine's own window on a decompressed
/// input.
const STEP: usize = 1 << 18;

type Counted = io::Result<Option<(u64, &'static str)>>;

/// Compresses a file.
pub(crate) fn pack(coding: &str, input: &str, out: &str) -> Counted {
    let (mut input, out) = (open(input)?, create(out)?);
    let bytes = match coding {
        "gzip" => {
            let mut packed =
                flate2::write::GzEncoder::new(out, flate2::Compression::new(GZIP_LEVEL));
            let bytes = io::copy(&mut input, &mut packed)?;
            packed.finish()?.flush()?;
            bytes
        }
        "zstd" => {
            let mut packed = zstd::Encoder::new(out, ZSTD_LEVEL)?;
            let bytes = io::copy(&mut input, &mut packed)?;
            packed.finish()?.flush()?;
            bytes
        }
        _ => return Ok(None),
    };
    Ok(Some((bytes, "bytes")))
}

/// Decompresses a file and drops the result, with the libraries that the engine uses.
pub(crate) fn unpack(input: &str) -> Counted {
    let file = open(input)?;
    let bytes = if input.ends_with(".gz") {
        drain(flate2::read::MultiGzDecoder::new(file))?
    } else {
        drain(zstd::Decoder::new(file)?)?
    };
    Ok(Some((bytes, "bytes")))
}

fn drain(mut reader: impl Read) -> io::Result<u64> {
    let mut step = vec![0; STEP];
    let mut bytes = 0;
    loop {
        match reader.read(&mut step)? {
            0 => return Ok(bytes),
            more => bytes += more as u64,
        }
    }
}
