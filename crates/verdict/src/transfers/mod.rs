#![doc = include_str!("transfers.md")]

mod boundary;
mod cause_times;
mod conclude;
mod context;
mod due;
mod emit;
mod ending;
mod events;
mod exchange;
mod follow;
mod http;
mod kinds;
mod leaving;
mod messages;
mod opening;
mod phases;
mod row;
mod small;
mod state;
mod take;
mod tls;

pub use events::TransferEvents;
pub use http::HttpProgress;
pub use row::{LimitRow, TransferRow, TransferSummary};
pub use state::Transfers;
pub use tls::{TlsPart, TlsProgress};
