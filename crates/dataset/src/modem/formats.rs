//! Describes the formats of modem logs, for help texts, generated pages and the names of datasets.

use airmile_read::modem::{ModemFormat, formats};
use serde_json::{Value, json};

/// Every format of modem logs: its title, the endings of its files, and what a log may contain.
pub fn modem_formats() -> Value {
    formats().iter().map(|format| described(format)).collect()
}

fn described(format: &ModemFormat) -> Value {
    let holds = format.holds;
    json!({
        "title": format.title,
        "endings": format.endings,
        "holds": {
            "allocations": holds.allocations,
            "other users": holds.other_users,
            "cell's PRBs": holds.cell_prbs,
            "padding": holds.padding,
            "decoded or not": holds.decoded,
            "handovers": holds.handovers,
            "uplink buffer": holds.uplink_buffer,
        },
    })
}
