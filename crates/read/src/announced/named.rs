//! Collects the addresses that a message of the core network names.

use airmile_types::Address;

/// The addresses that a message names.
#[derive(Default)]
pub(super) struct Named {
    v4: Option<Address>,
    v6: Option<Address>,
    /// Whether the message names several of one family, so that they may be several phones'.
    several: bool,
}

impl Named {
    /// Adds an address.
    pub(super) fn v4(&mut self, octets: [u8; 4]) {
        let address = Address::v4(octets);
        if address.is_host() {
            self.several |= self.v4.is_some_and(|known| known != address);
            self.v4 = Some(address);
        }
    }

    /// Adds an address or a prefix, of which the first 64 bits count.
    pub(super) fn v6(&mut self, octets: [u8; 16]) {
        let prefix = Address::v6(octets).subscriber();
        if prefix.is_host() && !prefix.is_link_local() {
            self.several |= self.v6.is_some_and(|known| known != prefix);
            self.v6 = Some(prefix);
        }
    }

    /// The IPv4 address and the prefix, if the message names one of each.
    pub(super) fn pair(self) -> Option<(Address, Address)> {
        self.v4.zip(self.v6).filter(|_| !self.several)
    }
}
