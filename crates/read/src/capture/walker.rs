//! Reads the records of a capture of any format.

use super::classic::{Classic, FILE_HEADER};
use super::log::Log;
use super::pcapng::{self, PcapNg};
use super::recognise;
use super::record::Record;
use super::window::Window;
use crate::decode::pktap;
use crate::link_type::{LinkType, link_type_name};
use crate::open::OpenError;
use crate::report::Interface;

pub(super) enum Walker {
    Classic(Classic),
    PcapNg(PcapNg),
}

impl Walker {
    #[inline]
    pub(super) fn next(&mut self, window: &mut Window, log: &mut Log) -> Option<Record> {
        match self {
            Self::Classic(classic) => classic.next(window, log),
            Self::PcapNg(pcapng) => {
                pcapng.ordinary(window.bytes(), log).or_else(|| pcapng.next(window, log))
            }
        }
    }

    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Classic(classic) => classic.name(),
            Self::PcapNg(_) => "pcapng",
        }
    }

    pub(super) const fn unlisted_interfaces(&self) -> u64 {
        match self {
            Self::Classic(_) => 0,
            Self::PcapNg(pcapng) => pcapng.unlisted_interfaces() as u64,
        }
    }

    pub(super) fn interfaces(&self) -> Vec<Interface> {
        match self {
            Self::Classic(classic) => vec![Interface {
                name: None,
                link_type: classic.link_number,
                snap_length: classic.snap_length,
            }],
            Self::PcapNg(pcapng) => pcapng.interfaces(),
        }
    }
}

pub(super) fn walker(window: &mut Window, name: &str) -> Result<Walker, OpenError> {
    window.have(FILE_HEADER);
    let first = window.bytes();
    let name = name.to_owned();
    if let Some(order) = pcapng::section_order(first) {
        return Ok(Walker::PcapNg(PcapNg::new(order)));
    }
    if !recognise::is_capture(first) {
        return Err(recognise::unknown(name, first.get(..FILE_HEADER).unwrap_or(first)));
    }
    let Some(classic) = first.first_chunk::<FILE_HEADER>().and_then(Classic::new) else {
        return Err(OpenError::HeaderCut { name, bytes: first.len() });
    };
    let number = classic.link_number;
    let first_frame = FILE_HEADER + classic.record_header();
    let is_read = match LinkType::from_number(number) {
        Some(LinkType::User2) => begins_with_pktap(window, first_frame),
        link => link.is_some(),
    };
    if !is_read {
        return Err(OpenError::LinkType { name, number, link: link_type_name(number) });
    }
    window.skip(FILE_HEADER);
    Ok(Walker::Classic(classic))
}

/// Whether the frame at this offset of the file has a PKTAP header. With the same link type,
/// DLT_USER2, modem tools write messages that contain no packets.
fn begins_with_pktap(window: &mut Window, at: usize) -> bool {
    window.have(at + pktap::LEAST_SEEN) && window.bytes().get(at..).is_some_and(pktap::is_likely)
}
