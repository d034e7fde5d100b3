//! Defines the manifest's entry for the capture point, and how it is known.

use airmile_track::VantageVotes;
use airmile_types::Vantage;
use serde::Serialize;

/// The place where the capture was taken (methods A11), and how it is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VantageFinding {
    /// `ue`, `monitor`, `server`; null when the flows do not show it.
    pub value: Option<&'static str>,
    /// How the capture point is known: `given`, `handshakes`, `acks` (data and ACKs, when no
    /// handshake showed it), or null.
    pub source: Option<&'static str>,
    /// The capture point that is assumed for flows that do not show theirs: `value`, or else
    /// `monitor`.
    pub assumed: &'static str,
    /// The numbers of flows that show each capture point.
    pub votes: Votes,
}

/// The numbers of flows that show each capture point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Votes {
    /// Flows in which the UE's side answers at once.
    pub ue: u64,
    /// Flows in which neither side answers at once, and flows in a tunnel.
    pub monitor: u64,
    /// Flows in which the server's side answers at once.
    pub server: u64,
    /// The number of these flows whose data and ACKs, not a handshake, showed the capture point.
    pub by_acks: u64,
}

impl VantageFinding {
    /// The capture point that the user gave, or else the one that most flows show.
    pub(crate) fn new(given: Option<Vantage>, heard: VantageVotes) -> Self {
        let VantageVotes { ue, monitor, server, by_acks } = heard;
        let votes = Votes { ue, monitor, server, by_acks };
        let value = given.or_else(|| heard.winner());
        let source = match (given, value) {
            (Some(_), _) => Some("given"),
            (None, Some(_)) if by_acks == ue + monitor + server => Some("acks"),
            (None, Some(_)) => Some("handshakes"),
            (None, None) => None,
        };
        let assumed = value.unwrap_or(Vantage::Monitor).as_str();
        Self { value: value.map(Vantage::as_str), source, assumed, votes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(given: Option<Vantage>, ue: u64, monitor: u64, server: u64) -> VantageFinding {
        VantageFinding::new(given, VantageVotes { ue, monitor, server, by_acks: 0 })
    }

    #[test]
    fn the_most_votes_win_and_a_tie_is_no_answer() {
        assert_eq!(finding(None, 1, 5, 2).value, Some("monitor"));
        for (ue, monitor, server) in [(5, 5, 0), (0, 5, 5), (5, 0, 5), (0, 0, 0)] {
            let tie = finding(None, ue, monitor, server);
            assert_eq!((tie.value, tie.source, tie.assumed), (None, None, "monitor"));
        }
    }

    #[test]
    fn what_was_given_stands_against_any_votes() {
        let finding = finding(Some(Vantage::Server), 0, 9, 0);
        assert_eq!((finding.value, finding.source), (Some("server"), Some("given")));
        assert_eq!(finding.votes.monitor, 9);
    }

    #[test]
    fn without_any_handshake_the_acks_speak() {
        let votes = VantageVotes { ue: 3, by_acks: 3, ..VantageVotes::default() };
        let finding = VantageFinding::new(None, votes);
        assert_eq!((finding.value, finding.source), (Some("ue"), Some("acks")));
    }
}
