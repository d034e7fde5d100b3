//! Tests on the log itself whether messages have the layouts that belong to their versions
//! (docs/guide/modem-logs.md lists layouts and checks).
//!
//! A version number does not guarantee a layout, because makers change one without the other.
//! Therefore messages are compared with values that must agree: sizes with the tables of TS 36.213,
//! blocks of the MAC layer with blocks on the air, grants with what was sent, subframes with the
//! time of logging. Packets of a layout wait ([`gate`]) until enough checks hold. Records that
//! contradict a layout are left out, and the layout is refused if they are too many ([`doubt`]).

mod air;
mod bench;
mod check;
mod doubt;
mod gate;
mod gates;
mod held;
mod layout;

pub(crate) use air::Grant;
pub(crate) use bench::Bench;
pub(crate) use check::Check;
pub(super) use gates::{Gates, Pass};
pub(crate) use layout::{Proof, Standing, first_byte};
