//! Turns a frame into its [`Packet`]: reads the link header, the IP headers of tunnels and of the
//! packet, and the transport header.
//!
//! No input makes a function here panic or read beyond the captured bytes. Every length comes from
//! the innermost IP header, so the snap length does not change any number (methods A1). Positions
//! are offsets into the frame; `end` is the offset at which a layer ends on the wire, and may lie
//! beyond the captured bytes.

pub(crate) mod bulk;
mod carrier;
pub(crate) mod device;
pub(crate) mod fragments;
mod frame;
pub(crate) mod general;
mod header;
mod ip;
mod label;
mod layer;
mod link;
mod located;
mod mptcp;
mod nflog;
pub(crate) mod pktap;
pub(crate) mod plain;
mod ppi;
mod remarks;
mod skip;
mod tcp;
mod transport;
mod tunnel;
mod walk;
mod wireless;

use crate::packet::Packet;
pub use frame::Frame;
pub(crate) use layer::MAX_LAYERS;
pub(crate) use located::Located;
pub(crate) use remarks::Remarks;
pub use skip::Skip;
pub(crate) use tunnel::MAX_TUNNELS;

/// Decodes one frame.
///
/// # Errors
/// [`Skip`] says why the frame contains no IP packet.
pub fn decode(frame: Frame<'_>) -> Result<Packet<'_>, Skip> {
    match plain::locate(&frame).and_then(|plain| plain.packet(frame, 0)) {
        Some(packet) => Ok(packet),
        None => Ok(general::finish(frame, &general::locate(&frame)?).0),
    }
}

#[cfg(test)]
mod tests;
