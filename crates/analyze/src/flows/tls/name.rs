//! Finds the name of the server in the first HTTP request in clear, or else from DNS.

use std::borrow::Cow;
use std::sync::Arc;

use airmile_track::Segment;
use airmile_types::{Held, http_method};

use super::http_host;
use super::opening::Opening;
use super::records::Chunk;

/// The name of a server, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Name {
    /// The client's first payload has not passed; the value is the name from DNS.
    Awaited(Option<Arc<str>>),
    /// The head of a request is passing.
    Passing(Box<Request>),
    Known(Option<Arc<str>>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    head: Opening,
    from_dns: Option<Arc<str>>,
}

impl Default for Name {
    fn default() -> Self {
        Self::Awaited(None)
    }
}

/// The name's bytes are counted here even if the phone's DNS entry, which shares them, counts them
/// too.
impl Held for Name {
    fn held_bytes(&self) -> usize {
        let bytes = |name: &Option<Arc<str>>| name.as_deref().map_or(0, str::len);
        match self {
            Self::Awaited(name) | Self::Known(name) => bytes(name),
            Self::Passing(request) => {
                size_of::<Request>() + request.head.held_bytes() + bytes(&request.from_dns)
            }
        }
    }

    fn give_back(&mut self) {
        if let Self::Passing(request) = self {
            request.head.give_back();
        }
    }
}

impl Name {
    pub(super) const fn is_known(&self) -> bool {
        matches!(self, Self::Known(_))
    }

    /// Takes the name from DNS, unless a name is known already.
    pub(super) fn note(&mut self, name: Option<Arc<str>>) {
        let known = match self {
            Self::Awaited(known) | Self::Known(known) => known,
            Self::Passing(request) => &mut request.from_dns,
        };
        *known = known.take().or(name);
    }

    /// Takes payload of the client, which may be the head of a request.
    pub(super) fn take(&mut self, segment: &Segment<'_>) {
        let chunk = Chunk::of(segment);
        let is_opened = segment.flow.syn.is_some() || segment.flow.syn_ack.is_some();
        let start = if is_opened { 1 } else { chunk.start() };
        let mut request = match std::mem::take(self) {
            Self::Awaited(name) if chunk.start() == start && http_method(segment.payload).is_none() => {
                *self = Self::Known(name);
                return;
            }
            Self::Awaited(from_dns) => Box::new(Request { head: Opening::default(), from_dns }),
            Self::Passing(request) => request,
            Self::Known(name) => {
                *self = Self::Known(name);
                return;
            }
        };
        *self = match request.head.take(&chunk, start, http_host::length) {
            Some(head) => Self::Known(http_host::of(&head).map(Arc::from).or(request.from_dns)),
            None => Self::Passing(request),
        };
    }

    /// The name; for a request whose end has not passed, the name in the part that has.
    pub(super) fn get(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Awaited(name) | Self::Known(name) => name.as_deref().map(Cow::Borrowed),
            Self::Passing(request) => {
                let host = request.head.so_far().and_then(http_host::of);
                let from_dns = || request.from_dns.as_deref().map(Cow::Borrowed);
                host.map(|host| Cow::Owned(host.into())).or_else(from_dns)
            }
        }
    }
}
