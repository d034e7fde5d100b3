//! Reads a message in XML into the same tree as from JSON: `<pair key="Version">24</pair>`, lists
//! as `<list><item type="dict"><dict>...`.

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use serde_json::{Map, Value};

/// The names of the element that is a message: the present name, and that of early versions.
pub(super) const TAGS: [&str; 2] = ["dm_log_packet", "qcdm_log_packet"];

/// The element with a message of another protocol, in Wireshark's elements.
const DISSECTED: &[u8] = b"msg";

/// The greatest nesting depth of elements; the lists of a message have a depth of four.
const DEEPEST: usize = 64;

/// The offset in a text at which a message begins.
pub(super) fn begin(text: &str) -> Option<usize> {
    tag(text, ["<", "<qc"]).map(|(at, _)| at)
}

/// The offset at which the present message ends, after its last tag.
pub(super) fn end(text: &str) -> Option<usize> {
    tag(text, ["</", "</qc"]).map(|(_, behind)| behind)
}

/// The offsets at which the first of [`TAGS`] that follows one of these prefixes begins and ends.
/// Both tags have the same ending, so the text after the first tag is not searched: a line may
/// contain thousands of messages.
fn tag(text: &str, before: [&str; 2]) -> Option<(usize, usize)> {
    const END: &str = "dm_log_packet>";
    text.match_indices(END).find_map(|(at, end)| {
        let head = text.get(..at)?;
        let before = before.iter().find(|before| head.ends_with(**before))?;
        Some((at - before.len(), at + end.len()))
    })
}

/// The tree of a message; `None` if it is not XML.
pub(super) fn tree(text: &str) -> Option<Value> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Node> = Vec::new();
    loop {
        match reader.read_event().ok()? {
            // A message that Wireshark dissected stays text, as in JSON.
            Event::Start(tag) if tag.name().as_ref() == DISSECTED => {
                let text = reader.read_text(tag.name()).ok()?;
                open.last_mut()?.text.push_str(&text);
            }
            Event::Start(tag) if open.len() < DEEPEST => open.push(Node::new(&tag)?),
            Event::Start(_) | Event::Eof => return None,
            Event::Text(text) => open.last_mut()?.text.push_str(&text.decode().ok()?),
            Event::GeneralRef(name) => {
                let named = quick_xml::escape::resolve_predefined_entity(&name.decode().ok()?);
                open.last_mut()?.text.push_str(named.unwrap_or_default());
            }
            Event::End(_) => {
                let (key, value) = open.pop()?.close();
                let Some(above) = open.last_mut() else { return Some(value) };
                above.take(key, value);
            }
            _ => {}
        }
    }
}

/// An element whose end is not read yet.
struct Node {
    key: Option<String>,
    is_list: bool,
    text: String,
    pairs: Map<String, Value>,
    items: Vec<Value>,
}

impl Node {
    fn new(tag: &BytesStart<'_>) -> Option<Self> {
        let key = match tag.try_get_attribute("key").ok()? {
            Some(key) => Some(key.unescape_value().ok()?.into_owned()),
            None => None,
        };
        let is_list = tag.name().as_ref() == b"list";
        let (pairs, items) = (Map::new(), Vec::new());
        Some(Self { key, is_list, text: String::new(), pairs, items })
    }

    /// Adds the value of an inner element.
    fn take(&mut self, key: Option<String>, value: Value) {
        match key {
            Some(key) => drop(self.pairs.insert(key, value)),
            None => self.items.push(value),
        }
    }

    /// The value of an element: pairs, a list, the value of its only element, or a text.
    fn close(mut self) -> (Option<String>, Value) {
        let value = if !self.pairs.is_empty() {
            Value::Object(self.pairs)
        } else if self.is_list {
            Value::Array(self.items)
        } else if let Some(only) = self.items.pop() {
            only
        } else {
            Value::String(self.text)
        };
        (self.key, value)
    }
}
