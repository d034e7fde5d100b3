//! Remembers the names whose addresses a subscriber has received by DNS.

use std::collections::VecDeque;
use std::sync::Arc;

use airmile_track::Datagram;
use airmile_types::{Address, Direction, Held};

use super::asking::asking;
use super::message::{self, Message};

/// The number of addresses that are remembered. A phone opens a connection right after its look-up,
/// and a page needs a few dozen addresses.
const ADDRESSES: usize = 64;

/// The newest addresses in a subscriber's DNS answers, each with the name in the query. `None`
/// until there is one, because most subscribers in a flood have none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Names(Option<Box<Known>>);

/// Addresses and names, the newest first.
type Known = VecDeque<(Address, Arc<str>)>;

/// The addresses of an answer share one name. Each address counts the name's memory, because any of
/// them may be the last that is kept.
impl Held for Names {
    fn held_bytes(&self) -> usize {
        let Some(known) = self.0.as_deref() else { return 0 };
        let names = known.iter().map(|(_, name)| name.len());
        size_of_val(known) + known.capacity() * size_of::<(Address, Arc<str>)>() + names.sum::<usize>()
    }
}

impl Names {
    /// Takes a packet that is not TCP, and reads it when it is a DNS answer to the subscriber.
    pub(crate) fn take(&mut self, datagram: &Datagram<'_>) {
        let asking = asking(datagram.flow);
        if asking != Some(Direction::Uplink) || datagram.direction != Direction::Downlink {
            return;
        }
        let Some(message) = Message::read(datagram.payload).filter(|m| m.response && !m.name_cut)
        else {
            return;
        };
        let Some(name) = message.name.map(Arc::from) else { return };
        for address in message::addresses(datagram.payload) {
            self.learn(address, &name);
        }
    }

    /// The name in the newest answer that contained this address.
    pub(crate) fn of(&self, address: Address) -> Option<Arc<str>> {
        let known = self.0.as_deref()?;
        known.iter().find(|(known, _)| *known == address).map(|(_, name)| name.clone())
    }

    fn learn(&mut self, address: Address, name: &Arc<str>) {
        let known = self.0.get_or_insert_default();
        known.retain(|(known, _)| *known != address);
        known.push_front((address, name.clone()));
        known.truncate(ADDRESSES);
    }
}
