//! Finds the connection to which a subflow belongs in its MPTCP options (RFC 6824, RFC 8684).
//!
//! A connection is identified by the token of its listening side. The first subflow carries the key
//! of that side, from which the token is computed. Every later subflow that the other side opens
//! begins with the token itself.

use std::num::NonZeroU32;

use sha1::Sha1;
use sha2::{Digest, Sha256};

use crate::bytes::chunk;
use crate::packet::TcpFlags;

/// The kind of the MPTCP option (RFC 8684 section 3).
pub(super) const KIND: u8 = 30;
const MP_CAPABLE: u8 = 0;
const MP_JOIN: u8 = 1;
const KEY: usize = 8;

/// The token of the connection to which the subflow belongs; `None` if the option does not show it.
/// `value` is the option without kind and length.
pub(super) fn token(value: &[u8], flags: TcpFlags) -> Option<NonZeroU32> {
    let first = *value.first()?;
    let syn = flags.has(TcpFlags::SYN);
    let token = match (first >> 4, syn, flags.has(TcpFlags::ACK)) {
        // RFC 8684 section 3.1: the answer to the SYN contains the listener's key.
        (MP_CAPABLE, true, true) => of_key(first & 0xf, chunk::<KEY>(value, 2)?)?,
        // The ACK of the handshake contains the sender's key and then the listener's, and so does
        // the first data in version 1.
        (MP_CAPABLE, false, true) => of_key(first & 0xf, chunk::<KEY>(value, 2 + KEY)?)?,
        // RFC 8684 section 3.2: the option contains the receiver's token.
        (MP_JOIN, true, false) => u32::from_be_bytes(*chunk::<4>(value, 2)?),
        _ => return None,
    };
    NonZeroU32::new(token)
}

/// The token for a key: the most significant 32 bits of the key's hash, with SHA-1 in version 0
/// (RFC 6824 section 3.2) and SHA-256 in version 1 (RFC 8684 section 3.2).
fn of_key(version: u8, key: &[u8; KEY]) -> Option<u32> {
    let hash = match version {
        0 => *Sha1::digest(key).first_chunk::<4>()?,
        1 => *Sha256::digest(key).first_chunk::<4>()?,
        _ => return None,
    };
    Some(u32::from_be_bytes(hash))
}
