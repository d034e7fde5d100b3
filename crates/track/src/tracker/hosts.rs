//! Remembers the scale that each host offered in its handshakes: a host takes it from the size of
//! its buffers (RFC 7323 section 2.3), which connections have in common.

use airmile_types::Address;

/// The number of hosts that are remembered; the one whose last handshake is the oldest is forgotten.
/// The phone takes part in every handshake.
const MOST: usize = 32;

/// The window scales of the hosts of one subscriber, by address; `None` for a host that offered
/// different ones.
#[derive(Clone, Debug, Default)]
pub(super) struct HostScales(Vec<(Address, Option<u8>)>);

impl HostScales {
    /// Notes the scale that a host offered in a handshake.
    pub(super) fn note(&mut self, host: Address, scale: u8) {
        let offered = match self.0.iter().position(|(known, _)| *known == host) {
            Some(at) => self.0.remove(at).1.filter(|before| *before == scale),
            None => Some(scale),
        };
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push((host, offered));
    }

    /// The scale that a host offers; `None` if no handshake showed it, or different ones did.
    pub(super) fn of(&self, host: Address) -> Option<u8> {
        self.0.iter().find(|(known, _)| *known == host)?.1
    }

    /// The bytes that the list uses.
    pub(super) const fn held_bytes(&self) -> usize {
        self.0.capacity() * size_of::<(Address, Option<u8>)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_with_two_scales_has_none() {
        let mut hosts = HostScales::default();
        let [first, second] = [1, 2].map(|last| Address::v4([192, 0, 2, last]));
        hosts.note(first, 7);
        hosts.note(second, 8);
        hosts.note(second, 8);
        assert_eq!((hosts.of(first), hosts.of(second)), (Some(7), Some(8)));
        hosts.note(first, 9);
        hosts.note(first, 7);
        assert_eq!(hosts.of(first), None);
        for last in 3..=255 {
            hosts.note(Address::v4([192, 0, 2, last]), 7);
            hosts.note(second, 8);
        }
        assert_eq!((hosts.0.len(), hosts.of(first), hosts.of(second)), (MOST, None, Some(8)));
    }
}
