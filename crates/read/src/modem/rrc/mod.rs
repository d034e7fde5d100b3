//! Steps of RRC, told from the first bits of a message: enough for handovers, and nothing of a
//! message is kept. Unaligned PER (ITU-T X.691) needs no schema for what stands first: the choice
//! of the message, and which optional parts a reconfiguration has (TS 36.331 section 6.2.2).

mod first_bits;
mod lte;
mod nr;
mod step;
mod whole;

pub(crate) use first_bits::step;
pub(crate) use lte::EXTENDED_EARFCN;
pub use step::Channel;
pub(crate) use step::Step;
pub(crate) use whole::Steps;
pub use whole::{RrcDecoder, RrcOrder, RrcReading};
