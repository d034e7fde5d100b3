//! Reads exports of MobileInsight, in which a message is decoded to names and values, as a line of
//! JSON or as XML.
//!
//! A line may begin with the text that MobileInsight's logger puts before a message (`... [INFO]
//! [MsgLogger]: {...}`). The names are those of its decoder. Where a value of the decoder is known
//! to be wrong, [`messages`] uses other fields of the message.

mod fields;
mod messages;
mod xml;

#[cfg(test)]
mod tests;

use serde_json::Value;

use self::fields::Fields;
use self::messages::{Context, MESSAGES};
use super::reader::{Form, Holds, ModemFormat};
use super::record::{Record, Subframe, User};
use super::report::Notes;
use super::text::{self, Bad, ByLine, Line, calendar};

/// The greatest number of kinds of messages that are listed; a damaged log could contain any
/// number.
const LISTED_KINDS: usize = 1000;
/// The greatest number of characters of such a kind's name.
const NAME_CHARS: usize = 64;
/// The greatest size of one XML message in bytes; the longest are configurations of some thousand
/// lines.
const XML_BYTES: usize = 4 << 20;

/// The format: messages as lines of JSON, or as XML.
pub(crate) const FORMAT: ModemFormat = ModemFormat {
    title: "MobileInsight's JSON or XML",
    endings: &[".json", ".jsonl", ".xml"],
    holds: Holds {
        allocations: "down, up",
        other_users: "no",
        cell_prbs: "yes",
        padding: "yes",
        decoded: "down",
        handovers: "yes",
        uplink_buffer: "yes",
    },
    forms: &[
        Form { name: "mobile_insight_json", is_text: true, is: is_json, open: text::open::<Json> },
        Form { name: "mobile_insight_xml", is_text: true, is: is_xml, open: text::open::<Xml> },
    ],
};

/// Whether a log begins with lines of JSON.
fn is_json(first: &[u8]) -> bool {
    let text = String::from_utf8_lossy(first);
    text.lines().any(|line| line.contains("{\"") && line.contains("\"type_id\":"))
}

/// Whether a log begins with XML.
fn is_xml(first: &[u8]) -> bool {
    let text = String::from_utf8_lossy(first);
    xml::TAGS.iter().any(|tag| text.contains(&format!("<{tag}>")))
}

/// Reads messages as lines of JSON.
#[derive(Default)]
struct Json {
    reader: Reader,
}

impl ByLine for Json {
    const NAME: &'static str = "mobile_insight";

    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Record>, notes: &mut Notes) {
        let Some(json) = line.text.find('{').and_then(|at| line.text.get(at..)) else {
            return if line.text.trim().is_empty() {
            } else {
                notes.skip("no_message")
            };
        };
        match serde_json::from_str(json) {
            Ok(tree) => self.reader.message(&tree, line, out, notes),
            // The error of the JSON parser would contain text of the message.
            Err(_) => text::reject(line, &Bad::new("no JSON object"), notes),
        }
    }

    fn refine(&self, records: &mut dyn Iterator<Item = Subframe<'_>>) {
        self.reader.memory.clocks.refine(records);
    }
}

/// Reads messages as XML.
#[derive(Default)]
struct Xml {
    reader: Reader,
    /// An unfinished message: its offset, the number of its first line, and its text so far.
    begun: Option<(u64, u64, String)>,
}

impl ByLine for Xml {
    const NAME: &'static str = "mobile_insight-xml";

    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Record>, notes: &mut Notes) {
        let mut rest = &*line.text;
        loop {
            let (offset, number, mut text) = match self.begun.take() {
                Some(begun) => begun,
                None => match xml::begin(rest) {
                    Some(at) => {
                        rest = rest.get(at..).unwrap_or_default();
                        (line.offset, line.number, String::new())
                    }
                    None => return,
                },
            };
            let place = Line { offset, number, text: "".into() };
            let Some(end) = xml::end(rest) else {
                text.push_str(rest);
                text.push('\n');
                if text.len() > XML_BYTES {
                    return text::reject(&place, &Bad::new("a message without end"), notes);
                }
                self.begun = Some((offset, number, text));
                return;
            };
            let (last, next) = rest.split_at(end);
            text.push_str(last);
            rest = next;
            match xml::tree(&text) {
                Some(tree) => self.reader.message(&tree, &place, out, notes),
                None => text::reject(&place, &Bad::new("no XML message"), notes),
            }
        }
    }

    fn end(&mut self, _out: &mut Vec<Record>, notes: &mut Notes) {
        if let Some((offset, number, _)) = self.begun.take() {
            let line = Line { offset, number, text: "".into() };
            text::reject(&line, &Bad::new("the input ends within a message"), notes);
        }
    }

    fn refine(&self, records: &mut dyn Iterator<Item = Subframe<'_>>) {
        self.reader.memory.clocks.refine(records);
    }
}

/// Reads messages in both forms.
#[derive(Default)]
struct Reader {
    memory: messages::Memory,
}

impl Reader {
    fn message(&mut self, tree: &Value, line: &Line<'_>, out: &mut Vec<Record>, notes: &mut Notes) {
        let before = out.len();
        if let Err(bad) = self.read(tree, out, notes) {
            out.truncate(before);
            text::reject(line, &bad, notes);
        }
    }

    fn read(&mut self, tree: &Value, out: &mut Vec<Record>, notes: &mut Notes) -> Result<(), Bad> {
        let fields = Fields::of(tree).ok_or_else(|| Bad::new("no message"))?;
        let kind = fields.word("type_id").ok_or_else(|| Bad::new("type_id: not given"))?;
        let time = fields
            .word("timestamp")
            .and_then(calendar)
            .ok_or_else(|| Bad::new("timestamp: not a date and a time of day"))?;
        notes.saw(time);
        let Some(message) = MESSAGES.iter().find(|message| message.name == kind) else {
            other(kind, notes);
            return Ok(());
        };
        let user = User(0);
        let memory = &mut self.memory;
        let version = (message.read)(fields, &mut Context { time, user, memory, out })?;
        *notes.understood.entry((message.code, version)).or_default() += 1;
        Ok(())
    }
}

/// Counts a message of a kind that is not read.
fn other(kind: &str, notes: &mut Notes) {
    let name: String = kind.chars().take(NAME_CHARS).collect();
    if notes.other.len() < LISTED_KINDS || notes.other.contains_key(&name) {
        *notes.other.entry(name).or_default() += 1;
    } else {
        notes.skip("kinds_beyond_those_listed");
    }
}
