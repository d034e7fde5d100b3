//! Turns captures into [`Packet`]s and modem logs into records. This is the only crate that opens
//! input.
//!
//! path, pattern, directory or `-` -> [`expand`] -> [`Source`] -> [`Capture::open`] (removes gzip
//! and zstd, recognises the format by its magic number) -> [`Capture::next_packet`] (reads records,
//! decodes headers, removes tunnel headers and joins their fragments) -> [`Packet`]; at the end
//! [`Capture::report`].
//!
//! Read methods A1 first. The reader guarantees that no input makes it panic or use unbounded
//! memory, that everything before a truncation is kept, and that each record without a packet is
//! counted with the reason.

// Tests may index: a panic is how a test reports a failure.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::cast_possible_truncation))]

mod announced;
mod bytes;
mod capture;
mod decode;
mod link_type;
pub mod modem;
mod open;
mod packet;
mod report;

pub use announced::{announced, may_announce};
pub use capture::Capture;
pub use decode::device::Access;
pub use decode::{Frame, Skip, decode};
pub use link_type::{LinkType, link_type_name};
pub use open::{OpenError, Place, Progress, Source, Stop, expand};
pub use packet::{Fragment, Packet, TcpFlags, TcpHeader, TcpOptions, Timestamps, Transport};
pub use report::{Counts, InputReport, Interface, Outcome, Problem, Recording};
