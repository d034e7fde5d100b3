//! Reads a whole packet script: settings, flows, and packets with their repetitions.

use std::net::IpAddr;

use airmile_track::TrackConfig;
use airmile_types::{Address, Duration, Parameters, Refused, Vantage};

use super::line::{Line, When, line, span, when};
use super::number::number;

/// A packet script that was read.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    pub(super) parameters: Parameters,
    pub(super) vantage: Option<Vantage>,
    pub(super) ue_nets: Vec<(Address, u8)>,
    pub(super) flows: Vec<(u32, Endpoints)>,
    pub(super) lines: Vec<Line>,
}

/// The two ends of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Endpoints {
    pub(super) ue: (Address, u16),
    pub(super) server: (Address, u16),
}

impl Script {
    /// Reads a script. An error names the line.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut script = Self::default();
        let lines: Vec<(usize, &str)> = text
            .lines()
            .enumerate()
            .map(|(index, text)| (index + 1, uncomment(text).trim()))
            .filter(|(_, text)| !text.is_empty())
            .collect();
        let mut rest = lines.as_slice();
        while let Some(((index, text), after)) = rest.split_first() {
            if script.setting(text).map_err(|why| format!("line {index}: {why}"))? {
                rest = after;
            } else {
                break;
            }
        }
        script.lines = packets(&mut rest, false)?;
        Ok(script)
    }

    /// The ends of a flow: as declared, or else the next port of the default UE and the default
    /// server.
    pub(super) fn endpoints(&self, flow: u32) -> Endpoints {
        let declared = self.flows.iter().find(|(number, _)| *number == flow);
        declared.map(|(_, ends)| *ends).unwrap_or_else(|| Endpoints {
            ue: (Address::v4([10, 0, 0, 1]), 39_999_u16.wrapping_add(flow as u16)),
            server: (Address::v4([203, 0, 113, 9]), 7777),
        })
    }

    /// The tracker's settings.
    pub(super) fn track_config(&self) -> TrackConfig {
        let seconds = Duration::from_secs_f64;
        TrackConfig {
            ue_nets: self.ue_nets.clone(),
            vantage: self.vantage,
            session_gap: seconds(self.parameters.session_gap_s),
            flow_gap: seconds(self.parameters.flow_gap_s),
        }
    }

    /// Takes a line `NAME = VALUE`; returns `false` when the line has another form.
    fn setting(&mut self, text: &str) -> Result<bool, String> {
        let Some((name, value)) = text.split_once('=') else { return Ok(false) };
        let value = value.trim();
        match name.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["vantage"] => self.vantage = Some(vantage(value)?),
            ["ue_net"] => self.ue_nets.push(network(value)?),
            ["samples"] => self.parameters.samples = value == "on",
            ["set", key] => {
                self.parameters.set_text(key, value).map_err(|refused| match refused {
                    Refused::Unknown => format!("no parameter is called `{key}`"),
                    Refused::NoNumber => format!("`{value}` is no number"),
                    Refused::NoList => format!("`{value}` is no list of ports"),
                    Refused::OutOfRange(known) => format!("`{key}` is {}", known.range),
                })?;
            }
            ["flow", flow] => self.flows.push((number(flow)?, endpoints(value)?)),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Reads packets up to the end, or up to the brace that closes a repetition.
fn packets(rest: &mut &[(usize, &str)], inside: bool) -> Result<Vec<Line>, String> {
    let mut lines = Vec::new();
    while let Some(((index, text), after)) = rest.split_first() {
        *rest = after;
        let located = |why| format!("line {index}: {why}");
        if *text == "}" && inside {
            return Ok(lines);
        }
        if let Some(count) = text.strip_prefix("repeat").and_then(|text| text.strip_suffix('{')) {
            let count: usize = number(count.trim()).map_err(located)?;
            let body = packets(rest, true)?;
            lines.extend(body.iter().cycle().take(body.len() * count).cloned());
        } else if text.contains("repeat") {
            lines.extend(row_of_packets(text).map_err(located)?);
        } else {
            lines.push(line(text, None).map_err(located)?);
        }
    }
    if inside { Err("a `repeat N {` without its `}`".into()) } else { Ok(lines) }
}

/// Reads `[TIME] repeat N every SPAN: PACKET`: the first packet is at TIME, and each other packet
/// one span after the one before.
fn row_of_packets(text: &str) -> Result<Vec<Line>, String> {
    let usage = "write `+0 repeat 20 every .001: < . +1000`";
    let (head, packet) = text.split_once(':').ok_or(usage)?;
    let words: Vec<&str> = head.split_whitespace().collect();
    let (first, words) = match words.as_slice() {
        ["repeat", ..] => (When::After(Duration::ZERO), words.as_slice()),
        [time, rest @ ..] => (when(time)?, rest),
        [] => return Err(usage.into()),
    };
    let ["repeat", count, "every", every] = words else { return Err(usage.into()) };
    let (count, every) = (number::<usize>(count)?, span(every)?);
    (0..count)
        .map(|index| line(packet, Some(if index == 0 { first } else { When::After(every) })))
        .collect()
}

/// Removes a comment `// ...`, unless it is inside quotation marks.
fn uncomment(text: &str) -> &str {
    let mut quoted = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '/' if !quoted && text[at..].starts_with("//") => return &text[..at],
            _ => {}
        }
    }
    text
}

fn vantage(word: &str) -> Result<Vantage, String> {
    [Vantage::Ue, Vantage::Monitor, Vantage::Server]
        .into_iter()
        .find(|vantage| vantage.as_str() == word)
        .ok_or(format!("`{word}` is no vantage: ue, monitor, server"))
}

fn network(word: &str) -> Result<(Address, u8), String> {
    let (address, length) = word.split_once('/').ok_or("write ue_net = 10.0.0.0/8")?;
    Ok((self::address(address)?, number(length)?))
}

/// Reads `10.0.0.1:40000 - 203.0.113.9:443`, the phone first; IPv6 addresses are in brackets.
fn endpoints(text: &str) -> Result<Endpoints, String> {
    let (ue, server) = text.split_once(" - ").ok_or("write flow 2 = UE:PORT - SERVER:PORT")?;
    Ok(Endpoints { ue: end(ue.trim())?, server: end(server.trim())? })
}

fn end(text: &str) -> Result<(Address, u16), String> {
    let (address, port) = text.rsplit_once(':').ok_or(format!("`{text}` has no port"))?;
    Ok((self::address(address.trim_matches(['[', ']']))?, number(port)?))
}

fn address(text: &str) -> Result<Address, String> {
    text.parse::<IpAddr>().map(Address::from).map_err(|_| format!("`{text}` is no address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_nest() {
        let script =
            Script::read("repeat 2 {\n+1 > . ack 1\n+0 repeat 3 every 1ms: < . +10\n}").unwrap();
        assert_eq!(script.lines.len(), 8);
        assert_eq!(script.lines[2].when, When::After(Duration::from_millis(1)));
    }

    #[test]
    fn errors_name_the_line() {
        assert_eq!(Script::read("\n+1 ? .").unwrap_err(), "line 2: neither `<` nor `>`");
        assert_eq!(
            Script::read("set z9.nothing = 1").unwrap_err(),
            "line 1: no parameter is called `z9.nothing`"
        );
    }
}
