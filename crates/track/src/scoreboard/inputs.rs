//! Defines the input of the scoreboards for one packet.

use airmile_types::Instant;

/// A packet with payload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataInput {
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) time: Instant,
    pub(crate) tsval: Option<u32>,
    pub(crate) tsecr: Option<u32>,
    pub(crate) ip_id: u16,
    pub(crate) hop_limit: u8,
    pub(crate) super_segment: bool,
}

/// An acknowledgement of this direction's data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckInput<'a> {
    pub(crate) ack: i64,
    /// SACK blocks as offsets, in the order in which the option lists them.
    pub(crate) sack: &'a [(i64, i64)],
    pub(crate) time: Instant,
    pub(crate) window_field: u16,
    pub(crate) window_bytes: Option<u32>,
    /// Whether the receiver announces that it accepts nothing: a window of 0 after the handshake.
    pub(crate) closed: bool,
    /// Whether the packet has no payload, SYN, FIN or RST.
    pub(crate) pure: bool,
    /// Whether the packet is a keep-alive or a window probe without payload.
    pub(crate) asks: bool,
    pub(crate) tsval: Option<u32>,
    pub(crate) tsecr: Option<u32>,
    pub(crate) ip_id: u16,
}
