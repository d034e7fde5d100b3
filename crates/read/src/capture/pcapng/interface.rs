//! Reads interface descriptions of pcapng: link type, snap length and clock.

use airmile_types::Instant;

use crate::bytes::{Order, chunk, part};
use crate::capture::record::Record;
use crate::decode::device::Access;
use crate::link_type::LinkType;
use crate::report::Interface;

// Options of the interface description block (draft-ietf-opsawg-pcapng section 4.2).
const IF_NAME: u16 = 2;
const IF_TSRESOL: u16 = 9;
const IF_FCSLEN: u16 = 13;
const IF_TSOFFSET: u16 = 14;
/// The greatest length of a name in bytes; longer names are cut. An option may have 64 KiB, but no
/// system has such names.
const LONGEST_NAME: usize = 256;
/// The resolution of a block without if_tsresol: microseconds.
const DEFAULT_RESOLUTION: u8 = 6;

/// The properties of an interface that later blocks need.
pub(crate) struct InterfaceState {
    pub(crate) interface: Interface,
    /// The network that the interface's name shows.
    access: Access,
    /// The number of packets that were dropped, from the interface's statistics.
    pub(crate) dropped: u64,
    link: Option<LinkType>,
    fcs_bytes: usize,
    tick: Tick,
    /// The offset of the interface's times, in nanoseconds; `None` if it does not fit 64 bits.
    offset: Option<i64>,
}

/// How a timestamp is converted to nanoseconds.
#[derive(Clone, Copy)]
enum Tick {
    Times(u64),
    Over(u64),
    /// The unit is 2^-n seconds.
    Binary(u32),
}

impl InterfaceState {
    /// Reads an interface description block; `None` if the block is too short.
    pub(crate) fn parse(block: &[u8], order: Order) -> Option<Self> {
        let link_type = u32::from(order.u16_at(block, 8)?);
        let snap_length = order.u32_at(block, 12)?;
        let mut state = Self {
            interface: Interface { name: None, link_type, snap_length },
            access: Access::Unknown,
            dropped: 0,
            link: LinkType::from_number(link_type),
            fcs_bytes: 0,
            tick: Tick::from_resolution(DEFAULT_RESOLUTION),
            offset: Some(0),
        };
        for (code, value) in options(block.get(16..)?, order) {
            state.option(code, value, order);
        }
        Some(state)
    }

    fn option(&mut self, code: u16, value: &[u8], order: Order) {
        match (code, value) {
            (IF_NAME, _) => {
                let text = String::from_utf8_lossy(part(value, 0..value.len().min(LONGEST_NAME)));
                let name = text.trim_end_matches('\0');
                self.access = Access::of_name(name);
                self.interface.name = Some(name.to_owned());
            }
            (IF_TSRESOL, [resolution, ..]) => self.tick = Tick::from_resolution(*resolution),
            (IF_FCSLEN, [bytes, ..]) => self.fcs_bytes = usize::from(*bytes),
            (IF_TSOFFSET, _) => {
                let seconds = chunk::<8>(value, 0).map_or(0, |b| order.u64(*b) as i64);
                self.offset = seconds.checked_mul(1_000_000_000);
            }
            _ => {}
        }
    }

    /// The instant of a timestamp; `None` if it does not fit 64 bits of nanoseconds.
    #[inline]
    pub(crate) fn time(&self, ticks: u64) -> Option<Instant> {
        let nanos = self.tick.nanos(ticks)?.checked_add(self.offset?)?;
        Some(Instant::from_nanos(nanos))
    }

    /// The record of a frame that begins at `start` of a block; `None` if the frame does not fit.
    /// `lengths` are the captured length and the length on the wire.
    #[inline]
    pub(crate) fn record(
        &self,
        time: Instant,
        index: usize,
        (start, captured, wire): (usize, usize, usize),
        block: usize,
    ) -> Option<Record> {
        // The last four bytes of a block repeat its length.
        if start + captured + 4 > block {
            return None;
        }
        let wire = wire.max(captured).saturating_sub(self.fcs_bytes);
        Some(Record {
            time,
            start,
            captured: captured.min(wire),
            wire,
            bytes: block,
            interface: u32::try_from(index).unwrap_or(u32::MAX),
            link: self.link,
            link_number: self.interface.link_type,
            access: self.access,
        })
    }
}

impl Tick {
    /// The resolution that if_tsresol gives: a negative power of 10, or of 2 if the highest bit is
    /// set.
    fn from_resolution(resolution: u8) -> Self {
        let exponent = u32::from(resolution & 0x7f);
        match (resolution & 0x80 != 0, exponent) {
            (true, _) => Self::Binary(exponent),
            (false, 0..=9) => Self::Times(10_u64.pow(9 - exponent)),
            // With a resolution finer than 10^-28, every 64-bit count is less than a nanosecond.
            (false, _) => Self::Over(10_u64.checked_pow(exponent - 9).unwrap_or(u64::MAX)),
        }
    }

    #[inline]
    fn nanos(self, ticks: u64) -> Option<i64> {
        let nanos = match self {
            Self::Times(factor) => u128::from(ticks) * u128::from(factor),
            Self::Over(divisor) => u128::from(ticks / divisor),
            Self::Binary(exponent) => (u128::from(ticks) * 1_000_000_000) >> exponent,
        };
        i64::try_from(nanos).ok()
    }
}

/// The options of a block as code and value, up to the end mark or the first option that does not
/// fit.
pub(crate) fn options(mut bytes: &[u8], order: Order) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let (code, length) = (order.u16_at(bytes, 0)?, usize::from(order.u16_at(bytes, 2)?));
        let value = bytes.get(4..4 + length)?;
        // The values are padded to 32 bits.
        bytes = bytes.get(4 + length.next_multiple_of(4)..).unwrap_or_default();
        (code != 0).then_some((code, value))
    })
}
