//! Remembers the names whose addresses a subscriber has received by DNS, and when.

use std::collections::VecDeque;
use std::sync::Arc;

use airmile_track::Datagram;
use airmile_types::{Address, Direction, Duration, Held, Instant};

use super::asking::asking;
use super::message::{self, Message};

/// The number of addresses that are remembered. A phone opens a connection right after its look-up,
/// and a page needs a few dozen addresses.
const ADDRESSES: usize = 64;

/// A connection opens within this time of its look-up: an older one of the same address is forgotten
/// when another comes. Our choice; methods T1 lets a second pass.
const FORGOTTEN: Duration = Duration::from_secs(30);

/// The newest look-ups of a subscriber. `None` until there is one, because most subscribers in a
/// flood have none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Names(Option<Box<Known>>);

#[derive(Clone, Debug, Default, PartialEq)]
struct Known {
    /// The addresses in answers, each with its look-up, the newest first.
    addresses: VecDeque<(Address, Arc<Lookup>)>,
    /// The newest answer that was not captured whole, with its query.
    cut: Option<(Instant, Instant)>,
}

#[derive(Debug, PartialEq)]
struct Lookup {
    name: Option<Arc<str>>,
    /// The times of the first query, which the capture may lack, and of the answer.
    asked: Option<Instant>,
    answered: Instant,
}

/// The two counts of an `Arc`.
const SHARED: usize = 2 * size_of::<usize>();

/// The addresses of an answer share one look-up. Each address counts its memory, because any of them
/// may be the last that is kept.
impl Held for Names {
    fn held_bytes(&self) -> usize {
        let Some(known) = self.0.as_deref() else { return 0 };
        let length = |name: &Option<Arc<str>>| name.as_ref().map_or(0, |name| SHARED + name.len());
        let held = |lookup: &Lookup| SHARED + size_of::<Lookup>() + length(&lookup.name);
        let lookups = known.addresses.iter().map(|(_, lookup)| held(lookup));
        size_of_val(known)
            + known.addresses.capacity() * size_of::<(Address, Arc<Lookup>)>()
            + lookups.sum::<usize>()
    }
}

impl Names {
    /// Takes a packet that is not TCP, and reads it when it is a DNS answer to the subscriber; `asked`
    /// is the time of its first query, if the capture has that.
    pub(crate) fn take(&mut self, datagram: &Datagram<'_>, asked: Option<Instant>) {
        let asking = asking(datagram.flow);
        if asking != Some(Direction::Uplink) || datagram.direction != Direction::Downlink {
            return;
        }
        let answer = Message::read(datagram.payload).filter(|message| message.response);
        if let Some(answer) = answer {
            self.answer(answer, datagram, asked);
        }
    }

    /// The name in the newest answer that contained this address.
    pub(crate) fn of(&self, address: Address) -> Option<Arc<str>> {
        self.find(address, Instant::MAX)?.name.clone()
    }

    /// The times of the query and of the answer of the newest look-up that gave this address by then. If
    /// none did, the newest whose addresses the capture lacks may have.
    pub(crate) fn lookup(&self, address: Address, by: Instant) -> Option<(Instant, Instant)> {
        match self.find(address, by) {
            Some(lookup) => lookup.asked.map(|asked| (asked, lookup.answered)),
            None => self.0.as_deref()?.cut,
        }
    }

    fn find(&self, address: Address, by: Instant) -> Option<&Lookup> {
        let mut known = self.0.as_deref()?.addresses.iter();
        let found = known.find(|(known, lookup)| *known == address && lookup.answered <= by);
        found.map(|(_, lookup)| &**lookup)
    }

    fn answer(&mut self, answer: Message, datagram: &Datagram<'_>, asked: Option<Instant>) {
        let known = self.0.get_or_insert_default();
        if datagram.payload.len() < datagram.payload_bytes as usize {
            known.cut = asked.map(|asked| (asked, datagram.time)).or(known.cut);
        }
        let name = answer.name.filter(|_| !answer.name_cut).map(Arc::from);
        let lookup = Arc::new(Lookup { name, asked, answered: datagram.time });
        for address in message::addresses(datagram.payload) {
            known.learn(address, &lookup);
        }
    }
}

impl Known {
    fn learn(&mut self, address: Address, lookup: &Arc<Lookup>) {
        let mut of_address = self.addresses.iter().filter(|(known, _)| *known == address);
        // A second copy of an answer has no query of its own.
        if lookup.asked.is_none() && of_address.any(|(_, known)| known.name == lookup.name) {
            return;
        }
        let is_recent = |old: &Lookup| (lookup.answered - old.answered).abs() <= FORGOTTEN;
        self.addresses.retain(|(known, old)| *known != address || is_recent(old));
        self.addresses.push_front((address, lookup.clone()));
        self.addresses.truncate(ADDRESSES);
    }
}
