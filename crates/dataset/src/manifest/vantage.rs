//! Where the capture was taken, and how that is known.

use airmile_track::VantageVotes;
use airmile_types::Vantage;
use serde::Serialize;

/// Where the capture was taken (methods A11), and how that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VantageFinding {
    /// `ue`, `monitor`, `server`; null when the handshakes do not tell.
    pub value: Option<&'static str>,
    /// `given`, `handshakes`, or null.
    pub source: Option<&'static str>,
    /// Flows whose handshake speaks for each.
    pub votes: Votes,
}

/// Flows whose handshake speaks for each vantage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Votes {
    /// The UE's side answers at once.
    pub ue: u64,
    /// Neither side does, or a tunnel.
    pub monitor: u64,
    /// The server's side answers at once.
    pub server: u64,
}

impl VantageFinding {
    /// What was given, else what most handshakes say.
    pub(crate) fn new(given: Option<Vantage>, votes: VantageVotes) -> Self {
        let VantageVotes { ue, monitor, server } = votes;
        let votes = Votes { ue, monitor, server };
        if let Some(vantage) = given {
            return Self { value: Some(vantage.as_str()), source: Some("given"), votes };
        }
        let ballot = [(ue, Vantage::Ue), (monitor, Vantage::Monitor), (server, Vantage::Server)];
        let most = ue.max(monitor).max(server);
        let mut winners = ballot.iter().filter(|(count, _)| *count == most && most > 0);
        // A tie is no answer.
        let value = match (winners.next(), winners.next()) {
            (Some((_, vantage)), None) => Some(vantage.as_str()),
            _ => None,
        };
        Self { value, source: value.map(|_| "handshakes"), votes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(given: Option<Vantage>, ue: u64, monitor: u64, server: u64) -> Option<&'static str> {
        let votes = VantageVotes { ue, monitor, server };
        VantageFinding::new(given, votes).value
    }

    #[test]
    fn the_most_votes_win_and_a_tie_is_no_answer() {
        assert_eq!(value(None, 1, 5, 2), Some("monitor"));
        assert_eq!(value(None, 5, 5, 0), None);
        assert_eq!(value(None, 0, 0, 0), None);
    }

    #[test]
    fn what_was_given_stands_against_any_votes() {
        let votes = VantageVotes { ue: 0, monitor: 9, server: 0 };
        let finding = VantageFinding::new(Some(Vantage::Server), votes);
        assert_eq!((finding.value, finding.source), (Some("server"), Some("given")));
        assert_eq!(finding.votes.monitor, 9);
    }
}
