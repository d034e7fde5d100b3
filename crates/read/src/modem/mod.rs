//! Turns modem logs into [`Record`]s: allocations in each millisecond, measurements of cells,
//! handovers, and bytes that wait in the phone for the uplink.
//!
//! Read methods G1 first. All formats give the same kinds of records. A field that a format does
//! not have is `None`, and parts that cannot be read are counted with the reason.

mod bit_reader;
mod clock;
pub mod diag;
mod dumpsys;
mod emulator;
mod format;
mod log;
mod mobile_insight;
mod ns3;
mod qcat;
mod reader;
mod record;
mod report;
pub mod rrc;
mod sniffer;
mod srsran;
mod tbs;
mod text;

pub use emulator::Beside;
pub use format::formats;
pub use log::ModemLog;
pub use reader::{Holds, ModemFormat};
pub use record::{
    BufferStatus, CellInfo, CellMeasurement, Modulation, PrbSource, Record, Rnti, RrcEvent,
    RrcStep, Subframe, Tti, User,
};
pub use report::{Checked, MessageKind, ModemReport, Notes, Refused};
