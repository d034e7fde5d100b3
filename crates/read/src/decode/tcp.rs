//! Reads the TCP header (RFC 9293 section 3.1) and its options.

use super::header::{Header, none};
use super::mptcp;
use crate::bytes::{be16, chunk, part};
use crate::packet::{TcpFlags, TcpHeader, TcpOptions, Timestamps, Transport};

/// The greatest shift of a window scale; a larger one counts as this (RFC 7323 section 2.3).
const LARGEST_WINDOW_SCALE: u8 = 14;
/// The experiment identifier of Fast Open (RFC 6994; RFC 7413 section 4.1.1).
const FAST_OPEN_EXPERIMENT: u16 = 0xf989;

/// Reads the header from the captured bytes.
#[inline]
pub(super) fn parse(bytes: &[u8]) -> Header {
    let Some(h) = chunk::<20>(bytes, 0) else { return none(true) };
    let length = header_bytes(h[12]);
    if length < LEAST {
        return Header { malformed: true, ..none(false) };
    }
    let cut = bytes.len() < length;
    let option_bytes = part(bytes, 20..length.min(bytes.len()));
    let mut header = fixed_part(h);
    header.options = options(option_bytes, cut, header.flags);
    Header { transport: Transport::Tcp(header), length, cut, malformed: false }
}

/// The fields of the header without its options.
#[inline]
fn fixed_part(h: &[u8; LEAST]) -> TcpHeader {
    TcpHeader {
        source_port: u16::from_be_bytes([h[0], h[1]]),
        destination_port: u16::from_be_bytes([h[2], h[3]]),
        sequence: u32::from_be_bytes([h[4], h[5], h[6], h[7]]),
        acknowledgement: u32::from_be_bytes([h[8], h[9], h[10], h[11]]),
        flags: TcpFlags(u16::from(h[12] & 1) << 8 | u16::from(h[13])),
        window: u16::from_be_bytes([h[14], h[15]]),
        options: TcpOptions::default(),
    }
}

/// The least length of a header, in bytes.
pub(super) const LEAST: usize = 20;

/// The length of a header in bytes, from the byte that holds its data offset.
#[inline]
pub(super) fn header_bytes(offset: u8) -> usize {
    usize::from(offset >> 4) * 4
}

/// Reads a header that was captured whole.
#[inline]
pub(super) fn whole(bytes: &[u8]) -> Transport {
    let Some(h) = bytes.first_chunk() else { return Transport::None };
    let mut header = fixed_part(h);
    let length = header_bytes(h[12]);
    header.options = options(part(bytes, LEAST..length), false, header.flags);
    Transport::Tcp(header)
}

/// The length of a header that was cut, in bytes, from its data offset if that was captured.
pub(super) fn least(bytes: &[u8]) -> usize {
    bytes.get(12).map_or(20, |offset| (usize::from(offset >> 4) * 4).max(20))
}

#[inline]
fn options(bytes: &[u8], cut: bool, flags: TcpFlags) -> TcpOptions {
    // This is the layout that RFC 7323 appendix A recommends; nearly every data segment has it.
    if let Ok(&[1, 1, 8, 10, a, b, c, d, e, f, g, h]) = <&[u8; 12]>::try_from(bytes) {
        return TcpOptions {
            timestamps: Some(Timestamps {
                value: u32::from_be_bytes([a, b, c, d]),
                echo: u32::from_be_bytes([e, f, g, h]),
            }),
            cut,
            layout: NOP_NOP_TIMESTAMPS,
            ..TcpOptions::default()
        };
    }
    let mut options = TcpOptions { cut, ..TcpOptions::default() };
    if !bytes.is_empty() {
        walk(bytes, flags, &mut options);
    }
    options
}

/// Reads the list of options (RFC 9293 section 3.1): kind 0 ends the list, kind 1 is one byte, and
/// every other kind has a length that includes kind and length.
fn walk(bytes: &[u8], flags: TcpFlags, options: &mut TcpOptions) {
    let mut layout = LAYOUT_START;
    let mut rest = bytes;
    while let [kind, after @ ..] = rest {
        match (kind, after) {
            (0, _) => break,
            (1, _) => {
                layout = mix(layout, 1);
                rest = after;
            }
            (_, [length, ..]) if (2..=rest.len()).contains(&usize::from(*length)) => {
                layout = mix(mix(layout, *kind), *length);
                let (option, tail) = rest.split_at(usize::from(*length));
                one(*kind, option.get(2..).unwrap_or_default(), flags, options);
                rest = tail;
            }
            _ => {
                options.malformed = !options.cut;
                options.cut = true;
                break;
            }
        }
    }
    options.layout = fold(layout);
}

/// Reads one option. An option whose length does not fit its kind is ignored, as receivers do.
fn one(kind: u8, value: &[u8], flags: TcpFlags, options: &mut TcpOptions) {
    match (kind, value) {
        (2, [high, low]) => options.mss = Some(u16::from_be_bytes([*high, *low])),
        (3, [shift]) => options.window_scale = Some((*shift).min(LARGEST_WINDOW_SCALE)),
        (4, []) => options.sack_permitted = true,
        (5, blocks) => sack(blocks, options),
        (8, &[a, b, c, d, e, f, g, h]) => {
            options.timestamps = Some(Timestamps {
                value: u32::from_be_bytes([a, b, c, d]),
                echo: u32::from_be_bytes([e, f, g, h]),
            });
        }
        (mptcp::KIND, _) => {
            options.mptcp = true;
            options.mptcp_token = options.mptcp_token.or_else(|| mptcp::token(value, flags));
        }
        (34, _) => options.fast_open = true,
        (253 | 254, _) if be16(value, 0) == Some(FAST_OPEN_EXPERIMENT) => options.fast_open = true,
        _ => {}
    }
}

/// Reads SACK blocks: pairs of edges, at most four (RFC 2018 section 3).
fn sack(bytes: &[u8], options: &mut TcpOptions) {
    let edge = |block: &[u8], at| chunk::<4>(block, at).map(|b| u32::from_be_bytes(*b));
    options.sack_count = 0;
    for (slot, block) in options.sack_blocks.iter_mut().zip(bytes.chunks_exact(8)) {
        if let (Some(left), Some(right)) = (edge(block, 0), edge(block, 4)) {
            *slot = (left, right);
            options.sack_count += 1;
        }
    }
}

// FNV-1a over kinds and lengths; the hashes are only compared for equality.
const LAYOUT_START: u32 = 0x811c_9dc5;
pub(super) const NOP_NOP_TIMESTAMPS: u16 = fold(mix(mix(mix(mix(LAYOUT_START, 1), 1), 8), 10));

const fn mix(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

#[expect(clippy::cast_possible_truncation, reason = "a hash: its upper half was folded in")]
const fn fold(hash: u32) -> u16 {
    (hash >> 16 ^ hash) as u16
}
