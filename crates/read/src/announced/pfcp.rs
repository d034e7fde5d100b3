//! Reads the UE IP addresses of PFCP messages (TS 29.244 sections 7.2.2, 8.1.1 and 8.2.62).

use super::named::Named;
use crate::bytes::{be16, chunk};

const VERSION: u8 = 1;
const HAS_SEID: u8 = 0x01;
/// The grouped elements that hold UE IP addresses: Create PDR, PDI, Created PDR, Update PDR, Create
/// Traffic Endpoint, Created Traffic Endpoint, Update Traffic Endpoint (TS 29.244 table 8.1.2-1).
const GROUPS: [u16; 7] = [1, 2, 8, 9, 127, 128, 129];
const UE_IP_ADDRESS: u16 = 93;
const HAS_V6: u8 = 0x01;
const HAS_V4: u8 = 0x02;
/// Groups are nested at most this deep: a PDI is in a PDR.
const DEEPEST: usize = 3;

/// Adds the addresses of a message; `None` if it is cut or no such message.
pub(super) fn read(message: &[u8], named: &mut Named) -> Option<()> {
    let flags = *message.first().filter(|flags| *flags >> 5 == VERSION)?;
    let end = 4 + usize::from(be16(message, 2)?);
    elements(message.get(if flags & HAS_SEID != 0 { 16 } else { 8 }..end)?, DEEPEST, named)
}

fn elements(mut rest: &[u8], depth: usize, named: &mut Named) -> Option<()> {
    while !rest.is_empty() {
        let (kind, length) = (be16(rest, 0)?, usize::from(be16(rest, 2)?));
        let value = rest.get(4..4 + length)?;
        if kind == UE_IP_ADDRESS {
            address(value, named);
        } else if depth > 0 && GROUPS.contains(&kind) {
            elements(value, depth - 1, named);
        }
        rest = rest.get(4 + length..)?;
    }
    Some(())
}

fn address(value: &[u8], named: &mut Named) -> Option<()> {
    let flags = *value.first()?;
    let mut at = 1;
    if flags & HAS_V4 != 0 {
        named.v4(*chunk::<4>(value, at)?);
        at += 4;
    }
    if flags & HAS_V6 != 0 {
        named.v6(*chunk::<16>(value, at)?);
    }
    Some(())
}
