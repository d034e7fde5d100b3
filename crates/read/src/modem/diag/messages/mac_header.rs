//! Reads the header of a MAC PDU and its control elements (TS 36.321 section 6.1.2).

use airmile_types::Direction;

/// From this identity on, identities announce control elements or padding; smaller ones announce
/// data (TS 36.321 tables 6.2.1-1 and 6.2.1-2).
pub(super) const FIRST_CONTROL: u8 = 11;
const PADDING: u8 = 31;

/// An element that a subheader announces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// The first byte of the subheader without its reserved bits: whether another subheader
    /// follows, and the logical channel identity.
    pub header: u8,
    /// Logical channel identity.
    pub channel: u8,
    /// The length of the element in bytes; `None` for padding, and for data that extend to the end
    /// of the block.
    pub length: Option<u16>,
    /// The content of a control element.
    pub control: Option<Control>,
}

/// A control element whose content is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// A short or truncated buffer status report: the level of one group.
    ShortBsr {
        /// Logical channel group.
        lcg: u8,
        /// The level of the group.
        index: u8,
    },
    /// A long buffer status report: the levels of all four groups.
    LongBsr([u8; 4]),
    /// The power headroom level.
    PowerHeadroom(u8),
    /// Timing advance group and command.
    TimingAdvance {
        /// The timing advance group.
        group: u8,
        /// The timing advance command.
        command: u8,
    },
}

impl Control {
    /// The group and the level of each group in the report.
    pub fn levels(self) -> impl Iterator<Item = (u8, u8)> {
        let (first, levels) = match self {
            Self::ShortBsr { lcg, index } => (lcg, vec![index]),
            Self::LongBsr(levels) => (0, levels.to_vec()),
            Self::PowerHeadroom(_) | Self::TimingAdvance { .. } => (0, Vec::new()),
        };
        (first..).zip(levels)
    }
}

/// Reads the subheaders and the control elements after them, as far as they were logged.
pub(crate) fn elements(logged: &[u8], way: Direction) -> Vec<Element> {
    let mut elements = Vec::new();
    let mut rest = logged;
    let mut more = true;
    while more {
        let Some((element, behind)) = subheader(rest, way) else { return elements };
        rest = behind;
        more = element.header & 0x20 != 0;
        elements.push(element);
    }
    for element in elements.iter_mut().filter(|element| element.channel >= FIRST_CONTROL) {
        let length = usize::from(element.length.unwrap_or(0));
        let Some((content, behind)) = rest.split_at_checked(length) else { break };
        element.control = control(element.channel, way, content);
        rest = behind;
    }
    elements
}

fn subheader(bytes: &[u8], way: Direction) -> Option<(Element, &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    let (header, channel) = (first & 0x3F, first & 0x1F);
    let fixed = control_length(channel, way);
    let more = header & 0x20 != 0;
    // The last subheader, and subheaders of elements with a fixed size, have no length field.
    let has_length = more && channel != PADDING && fixed.is_none();
    let (length, rest) = if has_length { length(rest)? } else { (fixed, rest) };
    Some((Element { header, channel, length, control: None }, rest))
}

/// A length of 7 or 15 bits (TS 36.321 section 6.2.1).
fn length(bytes: &[u8]) -> Option<(Option<u16>, &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    let high = u16::from(first & 0x7F);
    if first & 0x80 == 0 {
        return Some((Some(high), rest));
    }
    let (&low, rest) = rest.split_first()?;
    Some((Some(high << 8 | u16::from(low)), rest))
}

/// The length in bytes of a control element with a fixed size (TS 36.321 section 6.1.3).
fn control_length(channel: u8, way: Direction) -> Option<u16> {
    match (way, channel) {
        (Direction::Uplink, 26 | 28 | 29) | (Direction::Downlink, 27 | 29) => Some(1),
        (Direction::Uplink, 27) => Some(2),
        (Direction::Uplink, 30) => Some(3),
        (Direction::Downlink, 24) => Some(4),
        (Direction::Downlink, 28) => Some(6),
        (Direction::Downlink, 26 | 30) => Some(0),
        _ => None,
    }
}

fn control(channel: u8, way: Direction, content: &[u8]) -> Option<Control> {
    match (way, channel, content) {
        (Direction::Uplink, 28 | 29, &[byte]) => {
            Some(Control::ShortBsr { lcg: byte >> 6, index: byte & 0x3F })
        }
        (Direction::Uplink, 30, &[a, b, c]) => Some(Control::LongBsr(four_levels([a, b, c]))),
        (Direction::Uplink, 26, &[byte]) => Some(Control::PowerHeadroom(byte & 0x3F)),
        (Direction::Downlink, 29, &[byte]) => {
            Some(Control::TimingAdvance { group: byte >> 6, command: byte & 0x3F })
        }
        _ => None,
    }
}

/// The four levels, of six bits each.
fn four_levels([a, b, c]: [u8; 3]) -> [u8; 4] {
    [a >> 2, (a & 3) << 4 | b >> 4, (b & 15) << 2 | c >> 6, c & 0x3F]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_elements_follow_all_subheaders() {
        // The header announces power headroom, a long buffer status report, 200 bytes of data of
        // channel 3, and padding.
        let logged = [0x3A, 0x3E, 0x23, 0x80, 0xC8, 0x1F, 0x12, 0x04, 0x20, 0xC4];
        let found = elements(&logged, Direction::Uplink);
        let parsed: Vec<_> =
            found.iter().map(|one| (one.channel, one.length, one.control)).collect();
        let expected = [
            (26, Some(1), Some(Control::PowerHeadroom(0x12))),
            (30, Some(3), Some(Control::LongBsr([1, 2, 3, 4]))),
            (3, Some(200), None),
            (31, None, None),
        ];
        assert_eq!(parsed, expected);
    }

    #[test]
    fn a_short_report_names_its_group() {
        let found = elements(&[0x3D, 0x1F, 0x95], Direction::Uplink);
        let levels: Vec<_> =
            found.iter().filter_map(|one| one.control).flat_map(Control::levels).collect();
        assert_eq!(levels, [(2, 21)]);
    }

    #[test]
    fn the_same_identity_is_a_timing_advance_downlink() {
        let found = elements(&[0x3D, 0x1F, 0x5F], Direction::Downlink);
        assert_eq!(found[0].control, Some(Control::TimingAdvance { group: 1, command: 31 }));
    }

    #[test]
    fn a_cut_header_gives_what_is_there() {
        let logged = [0x3A, 0x3E, 0x23, 0x80, 0xC8, 0x1F, 0x12, 0x04, 0x20, 0xC4];
        for length in 0..logged.len() {
            let found = elements(&logged[..length], Direction::Uplink);
            assert!(
                found.len() <= 4 && found.iter().all(|one| one.control.is_none() || length > 6)
            );
        }
    }
}
