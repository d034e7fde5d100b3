//! From segment facts to rows: one folder per analysis, and the list of them.

mod analysis;
mod output;
mod parameters;

pub use analysis::{Analysis, EventTable, NoColumns, NoEvents, Scope};
pub use output::{FlowColumn, Output};
pub use parameters::{PARAMETERS, Parameter, Parameters};
