//! Finds out which addresses belong to one phone, because one GTP-U tunnel carried them (methods
//! A3).
//!
//! A bearer of type IPv4v6 carries both address families (3GPP TS 23.401 section 5.3.1.1), so an
//! IPv4 address and an IPv6 prefix in one tunnel belong to one subscriber. The number of a tunnel
//! is later given to another phone. Therefore another address of the same family, or a long
//! silence, ends what was learnt about a tunnel.

use std::collections::HashMap;

use airmile_types::{Address, Duration, Instant, Maybe};

use super::generations::{Generations, held_bytes};

/// The greatest number of tunnels remembered; beyond it all are forgotten and learnt again.
const TUNNELS: usize = 1 << 20;

#[derive(Debug)]
pub(super) struct Bearers {
    tunnels: HashMap<u32, Bearer>,
    /// For an address, the address by which its phone is known. It is kept as long as it is used,
    /// so that all packets of a flow have the same subscriber.
    known_by: Generations<Address, Address>,
    /// After this much silence, a tunnel may belong to another phone.
    rest: Duration,
}

/// The newest phone of a tunnel.
#[derive(Clone, Copy, Debug)]
struct Bearer {
    first: Address,
    /// The phone's address of the other family.
    second: Maybe<Address>,
    newest: Instant,
}

impl Bearers {
    pub(super) fn new(rest: Duration) -> Self {
        Self { tunnels: HashMap::new(), known_by: Generations::default(), rest }
    }

    /// The bytes of what is remembered.
    pub(super) fn held_bytes(&self) -> usize {
        self.tunnels_bytes() + self.known_by.held_bytes()
    }

    /// The bytes of what is remembered of tunnels.
    pub(super) fn tunnels_bytes(&self) -> usize {
        held_bytes(&self.tunnels)
    }

    /// Forgets whose each tunnel is.
    pub(super) fn clear(&mut self) {
        self.tunnels = HashMap::new();
    }

    /// The address by which the phone of `own` is known. `opens` says that a flow begins with this
    /// packet, so that the tunnel still belongs to the flow's phone.
    pub(super) fn subscriber(
        &mut self,
        teid: u32,
        own: Address,
        now: Instant,
        opens: bool,
    ) -> Address {
        let known = self.known_by.get(&own).copied();
        if let Some(known) = known.filter(|_| !opens) {
            return known;
        }
        let first = self.first(teid, own, now);
        let joined = self.known_by.get(&first).copied().unwrap_or(first);
        let subscriber = known.unwrap_or(joined);
        self.known_by.insert(own, subscriber);
        subscriber
    }

    /// The address of this tunnel's phone that was seen first in the tunnel.
    fn first(&mut self, teid: u32, own: Address, now: Instant) -> Address {
        if self.tunnels.len() >= TUNNELS {
            self.tunnels.clear();
        }
        let fresh = Bearer { first: own, second: Maybe::NONE, newest: now };
        let bearer = self.tunnels.entry(teid).or_insert(fresh);
        if now - bearer.newest > self.rest || !bearer.takes(own) {
            *bearer = fresh;
        }
        bearer.newest = now;
        bearer.first
    }
}

impl Bearer {
    /// Whether `own` may be an address of the same phone, which has one address of each family.
    fn takes(&mut self, own: Address) -> bool {
        if own.as_v4().is_some() == self.first.as_v4().is_some() {
            own == self.first
        } else {
            self.second.get_or_insert(own);
            self.second.get() == Some(own)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: Duration = Duration::from_secs(100);

    fn v4(last: u8) -> Address {
        Address::v4([10, 0, 0, last])
    }

    fn v6(last: u8) -> Address {
        let mut octets = [0x20; 16];
        octets[7] = last;
        Address::v6(octets).subscriber()
    }

    fn at(second: i64) -> Instant {
        Instant::from_nanos(second * 1_000_000_000)
    }

    #[test]
    fn the_first_address_names_the_phone_in_every_tunnel() {
        let mut bearers = Bearers::new(REST);
        assert_eq!(bearers.subscriber(7, v6(1), at(0), true), v6(1));
        assert_eq!(bearers.subscriber(7, v4(1), at(1), true), v6(1));
        // The opposite direction has a tunnel of its own.
        assert_eq!(bearers.subscriber(8, v4(1), at(1), true), v6(1));
        assert_eq!(bearers.subscriber(8, v6(1), at(1), true), v6(1));
    }

    #[test]
    fn another_address_of_a_family_or_a_rest_is_another_phone() {
        let mut bearers = Bearers::new(REST);
        bearers.subscriber(7, v4(1), at(0), true);
        assert_eq!(bearers.subscriber(7, v4(2), at(1), true), v4(2));
        assert_eq!(bearers.subscriber(7, v6(2), at(2), true), v4(2));
        assert_eq!(bearers.subscriber(7, v6(3), at(200), true), v6(3));
    }

    #[test]
    fn what_is_known_of_an_address_stays() {
        let mut bearers = Bearers::new(REST);
        bearers.subscriber(7, v4(1), at(0), true);
        bearers.subscriber(7, v6(1), at(0), true);
        // The tunnel is given to another phone while a flow of the first phone is still live.
        bearers.subscriber(7, v4(2), at(1), true);
        assert_eq!(bearers.subscriber(7, v6(1), at(2), false), v4(1));
    }
}
