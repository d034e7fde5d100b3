//! Reads the addresses in RADIUS messages: Framed-IP-Address (RFC 2865 section 5.8) and
//! Framed-IPv6-Prefix (RFC 3162 section 2.3).

use super::named::Named;
use crate::bytes::{be16, chunk};

const HEADER: usize = 20;
const FRAMED_IP_ADDRESS: u8 = 8;
const FRAMED_IPV6_PREFIX: u8 = 97;
/// In the prefix, a reserved byte and the length of the prefix in bits are before its bytes.
const BEFORE_PREFIX: usize = 2;
/// A phone has a prefix of 64 bits.
const PREFIX_BYTES: usize = 8;

/// Adds the addresses of a message; `None` if it is cut or no such message.
pub(super) fn read(message: &[u8], named: &mut Named) -> Option<()> {
    let mut rest = message.get(HEADER..usize::from(be16(message, 2)?))?;
    while !rest.is_empty() {
        let (kind, length) = (*rest.first()?, usize::from(*rest.get(1)?));
        let value = rest.get(2..length)?;
        match kind {
            FRAMED_IP_ADDRESS => named.v4(*chunk::<4>(value, 0)?),
            FRAMED_IPV6_PREFIX => {
                let prefix = chunk::<PREFIX_BYTES>(value, BEFORE_PREFIX)?;
                let mut octets = [0; 16];
                octets[..PREFIX_BYTES].copy_from_slice(prefix);
                named.v6(octets);
            }
            _ => {}
        }
        rest = rest.get(length..)?;
    }
    Some(())
}
