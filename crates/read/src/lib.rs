//! From a capture to [`Packet`]s: the only room that opens input.

mod packet;

pub use packet::{Fragment, Packet, TcpFlags, TcpHeader, TcpOptions, Timestamps, Transport};
