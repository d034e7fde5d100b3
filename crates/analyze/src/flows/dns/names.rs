//! Remembers the names whose addresses a subscriber has received by DNS, and when.

use std::collections::VecDeque;
use std::sync::Arc;

use airmile_track::Datagram;
use airmile_types::{Address, Direction, Duration, Held, Instant, Maybe};

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
    addresses: VecDeque<Entry>,
    /// The newest answer that was not captured whole, with its query.
    cut: Option<(Instant, Instant)>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    address: Address,
    lookup: Arc<Lookup>,
    /// When the first connection to the address opened after the answer.
    opened: Maybe<Instant>,
}

#[derive(Debug, PartialEq)]
struct Lookup {
    name: Option<Arc<str>>,
    /// The times of the first query, which the capture may lack, and of the answer.
    asked: Option<Instant>,
    answered: Instant,
}

/// Connections that wait for a look-up open this soon after each other; our choice.
const TOGETHER: Duration = Duration::from_millis(100);

/// The two counts of an `Arc`.
const SHARED: usize = 2 * size_of::<usize>();

/// The addresses of an answer share one look-up. Each address counts its memory, because any of them
/// may be the last that is kept.
impl Held for Names {
    fn held_bytes(&self) -> usize {
        let Some(known) = self.0.as_deref() else { return 0 };
        let length = |name: &Option<Arc<str>>| name.as_ref().map_or(0, |name| SHARED + name.len());
        let held = |lookup: &Lookup| SHARED + size_of::<Lookup>() + length(&lookup.name);
        let lookups = known.addresses.iter().map(|entry| held(&entry.lookup));
        size_of_val(known)
            + known.addresses.capacity() * size_of::<Entry>()
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

    /// The times of the query and of the answer of the look-up that a connection to this address, which
    /// opened at `opened`, waited for: the newest one that gave the address by then, unless an earlier
    /// connection had opened with it. If none gave it, the newest whose addresses the capture lacks may
    /// have.
    pub(crate) fn lookup(&mut self, address: Address, opened: Instant) -> Option<(Instant, Instant)> {
        let known = self.0.as_deref_mut()?;
        let Some(entry) = known.addresses.iter_mut().find(|entry| entry.gave(address, opened)) else {
            return known.cut;
        };
        let first = entry.opened.get().map_or(opened, |first| first.min(opened));
        entry.opened = first.into();
        let asked = entry.lookup.asked.filter(|_| opened - first <= TOGETHER);
        asked.map(|asked| (asked, entry.lookup.answered))
    }

    fn find(&self, address: Address, by: Instant) -> Option<&Lookup> {
        let mut known = self.0.as_deref()?.addresses.iter();
        known.find(|entry| entry.gave(address, by)).map(|entry| &*entry.lookup)
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

impl Entry {
    /// Whether a look-up had given this address by then.
    fn gave(&self, address: Address, by: Instant) -> bool {
        self.address == address && self.lookup.answered <= by
    }
}

impl Known {
    fn learn(&mut self, address: Address, lookup: &Arc<Lookup>) {
        let mut of_address = self.addresses.iter().filter(|known| known.address == address);
        // A second copy of an answer has no query of its own.
        if lookup.asked.is_none() && of_address.any(|known| known.lookup.name == lookup.name) {
            return;
        }
        let is_recent = |old: &Lookup| (lookup.answered - old.answered).abs() <= FORGOTTEN;
        self.addresses.retain(|old| old.address != address || is_recent(&old.lookup));
        let opened = Maybe::NONE;
        self.addresses.push_front(Entry { address, lookup: lookup.clone(), opened });
        self.addresses.truncate(ADDRESSES);
    }
}
