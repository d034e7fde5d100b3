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

/// The number of open queries that are remembered.
const QUERIES: usize = 16;

/// A look-up takes no longer (the default of `dns.timeout_s`), and one that another followed sooner than
/// this may still be the one that a connection waited for.
const LONGEST: Duration = Duration::from_secs(30);

/// The newest look-ups of a subscriber. `None` until there is one, because most subscribers in a
/// flood have none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Names(Option<Box<Known>>);

#[derive(Clone, Debug, Default, PartialEq)]
struct Known {
    /// The addresses in answers, each with its look-up, the newest first.
    addresses: VecDeque<(Address, Arc<Lookup>)>,
    /// The queries without an answer, the newest first.
    queries: VecDeque<(Message, Instant)>,
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
        let queries = known.queries.iter().filter_map(|(query, _)| query.name.as_ref());
        size_of_val(known)
            + known.addresses.capacity() * size_of::<(Address, Arc<Lookup>)>()
            + known.queries.capacity() * size_of::<(Message, Instant)>()
            + lookups.sum::<usize>()
            + queries.map(String::capacity).sum::<usize>()
    }
}

impl Names {
    /// Takes a packet that is not TCP, and reads it when it is a DNS query or answer of the
    /// subscriber.
    pub(crate) fn take(&mut self, datagram: &Datagram<'_>) {
        if asking(datagram.flow) != Some(Direction::Uplink) {
            return;
        }
        let Some(message) = Message::read(datagram.payload) else { return };
        match (message.response, datagram.direction) {
            (false, Direction::Uplink) => self.ask(message, datagram.time),
            (true, Direction::Downlink) => self.answer(message, datagram),
            _ => {}
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

    fn ask(&mut self, query: Message, now: Instant) {
        let queries = &mut self.0.get_or_insert_default().queries;
        queries.retain(|(_, asked)| is_open(*asked, now));
        if !queries.iter().any(|(open, _)| open.matches(&query)) {
            queries.truncate(QUERIES - 1);
            queries.push_front((query, now));
        }
    }

    fn answer(&mut self, answer: Message, datagram: &Datagram<'_>) {
        let known = self.0.get_or_insert_default();
        known.queries.retain(|(_, asked)| is_open(*asked, datagram.time));
        let asked = known.queries.iter().position(|(open, _)| open.matches(&answer));
        let asked = asked.and_then(|at| known.queries.remove(at)).map(|(_, at)| at);
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
        let now = lookup.answered;
        self.addresses.retain(|(known, old)| *known != address || is_open(old.answered, now));
        self.addresses.push_front((address, lookup.clone()));
        self.addresses.truncate(ADDRESSES);
    }
}

/// Whether what was at `then` may still matter now; not after a clock that stepped back.
fn is_open(then: Instant, now: Instant) -> bool {
    (Duration::ZERO..=LONGEST).contains(&(now - then))
}
