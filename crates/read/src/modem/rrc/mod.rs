//! Finds the steps of RRC procedures in the first bits of messages. These bits are enough for
//! handovers, and nothing else of a message is kept. Unaligned PER (ITU-T X.691) needs no schema
//! for the first bits: they contain the choice of the message, and which optional parts a
//! reconfiguration has (TS 36.331 section 6.2.2).

mod lte;
mod message;
mod nr;
mod whole;

pub(crate) use lte::EXTENDED_EARFCN;
pub use message::Channel;
pub(crate) use message::Step;
pub use whole::{RrcDecoder, RrcOrder, RrcReading};
pub(crate) use whole::{Steps, step};
