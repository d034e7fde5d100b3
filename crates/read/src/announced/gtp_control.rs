//! Reads the PDN Address Allocation of GTPv2-C messages (TS 29.274 sections 5.1, 8.2.1 and 8.14).

use super::named::Named;
use crate::bytes::{be16, chunk};

const VERSION: u8 = 2;
const HAS_TEID: u8 = 0x08;
/// PDN Address Allocation.
const PAA: u8 = 79;
const IPV4: u8 = 1;
const IPV6: u8 = 2;
const IPV4V6: u8 = 3;

/// Adds the addresses of a message's allocations; `None` if it is cut or no such message.
pub(super) fn read(message: &[u8], named: &mut Named) -> Option<()> {
    let flags = *message.first().filter(|flags| *flags >> 5 == VERSION)?;
    let end = 4 + usize::from(be16(message, 2)?);
    let mut rest = message.get(if flags & HAS_TEID != 0 { 12 } else { 8 }..end)?;
    while !rest.is_empty() {
        let (kind, length) = (*rest.first()?, usize::from(be16(rest, 1)?));
        let value = rest.get(4..4 + length)?;
        if kind == PAA {
            allocation(value, named);
        }
        rest = rest.get(4 + length..)?;
    }
    Some(())
}

fn allocation(value: &[u8], named: &mut Named) -> Option<()> {
    match value.first()? & 7 {
        IPV4 => named.v4(*chunk::<4>(value, 1)?),
        IPV6 => named.v6(*chunk::<16>(value, 2)?),
        IPV4V6 => {
            named.v6(*chunk::<16>(value, 2)?);
            named.v4(*chunk::<4>(value, 18)?);
        }
        _ => {}
    }
    Some(())
}
