//! From a capture to [`Packet`]s: the only crate that opens input.
//!
//! path, pattern, directory or `-` -> [`expand`] -> [`Source`] -> [`Capture::open`] (gzip and zstd
//! off, format by magic number) -> [`Capture::next_packet`] (records walked, headers decoded,
//! tunnels peeled and their fragments joined) -> [`Packet`]; at the end [`Capture::report`].
//!
//! Read methods A1 first. What the reader promises: no input makes it panic or take memory without
//! bound; everything before a cut is kept; every record that gives no packet is counted with its
//! reason.

// Tests may index: a panic fails them, as it should.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::cast_possible_truncation))]

mod bytes;
mod capture;
mod decode;
mod link_type;
pub mod modem;
mod open;
mod packet;
mod report;

pub use capture::Capture;
pub use decode::{Frame, Skip, decode};
pub use link_type::{LinkType, link_type_name};
pub use open::{OpenError, Place, Progress, Source, Stop, expand};
pub use packet::{Fragment, Packet, TcpFlags, TcpHeader, TcpOptions, Timestamps, Transport};
pub use report::{Counts, InputReport, Interface, Outcome, Problem};
