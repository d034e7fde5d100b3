//! Whether messages have the layouts that their versions promise, tested on the log itself
//! (docs/guide/modem-logs.md lists layouts and checks).
//!
//! A version number does not promise a layout: makers change one without the other. So what a
//! message says is compared with what must be true: sizes against the tables of TS 36.213, blocks
//! of the MAC layer against blocks on the air, grants against what was sent, subframes against the
//! log's time. Packets of a layout wait ([`gate`]) until enough checks hold, and are refused where
//! they do not.

mod air;
mod bench;
mod check;
mod gate;
mod gates;
mod held;
mod layout;

pub(crate) use air::Grant;
pub(crate) use bench::Bench;
pub(crate) use check::Check;
pub(super) use gates::{Gates, Pass};
pub(crate) use layout::{Proof, Standing, first_byte};
