//! Says how sure the verdict over several slices is (methods T9).

use airmile_types::{Cause, Certainty, Second};

use crate::evidence::BIN;

/// The time of the slices with one cause and the same other possible causes, in ns.
pub type NamedTime = (Cause, Option<Second>, i128);

/// The main cause of several slices, and how sure it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HowSure {
    /// The cause with the largest share; of equal ones the first in the list of causes.
    pub limited_by: Cause,
    /// How sure this cause is.
    pub certainty: Certainty,
    /// The other causes that are possible, the most likely first: one beside a cause that is
    /// `likely`; where the verdict is `open`, those that undetermined slices name for at least half
    /// as long as the first, three at the most.
    pub second: Vec<Cause>,
    /// Whether the access link was the bottleneck; `None` when this capture cannot tell.
    pub link_is_bottleneck: Option<bool>,
}

/// The greatest number of causes that an open verdict names.
const MOST_NAMED: usize = 3;

/// Says how sure the verdict over slices is; `None` without time.
///
/// A cause is sure when its sure slices alone take clearly longer than any other cause could: its
/// own slices, those that name it as another possibility, and those of which nothing is known. The
/// link is denied on the same condition.
pub fn how_sure(times: &[NamedTime]) -> Option<HowSure> {
    let tally = Tally::of(times);
    let limited_by = tally.largest()?;
    let others = tally.ranked(limited_by);
    let rival = others.first().map_or(0, |cause| tally.by_cause[*cause as usize].named);
    let proven = tally.by_cause[limited_by as usize].proven;
    let certainty = match limited_by {
        Cause::Undetermined => Certainty::Open,
        _ if tally.is_clear(proven, rival + tally.unknown) => Certainty::Sure,
        _ => Certainty::Likely,
    };
    let second = match certainty {
        Certainty::Sure => vec![],
        Certainty::Likely => others.into_iter().take(1).collect(),
        Certainty::Open => open_between(times, tally.unknown),
    };
    Some(HowSure { limited_by, certainty, second, link_is_bottleneck: tally.link(limited_by) })
}

/// The causes among which the undetermined slices leave it open; none if most of these slices name
/// none.
fn open_between(times: &[NamedTime], unknown: i128) -> Vec<Cause> {
    let open = |(cause, second, _): &&NamedTime| *cause == Cause::Undetermined && second.is_some();
    let doubts: Vec<NamedTime> = times.iter().filter(open).copied().collect();
    let tally = Tally::of(&doubts);
    let others = tally.ranked(Cause::Undetermined);
    let named = |cause: Cause| tally.by_cause[cause as usize].named;
    let most = others.first().map_or(0, |cause| named(*cause));
    if tally.whole < unknown {
        return vec![];
    }
    others.into_iter().filter(|cause| 2 * named(*cause) >= most).take(MOST_NAMED).collect()
}

/// The times that slices give a cause, in ns.
#[derive(Clone, Copy, Default)]
struct Times {
    /// Of its own slices.
    own: i128,
    /// Of those that name no other cause.
    proven: i128,
    /// Of its own slices and those that name it as another possibility.
    named: i128,
    /// Of its own slices in which the link is impossible.
    refuted: i128,
}

/// The times of several slices by cause.
#[derive(Default)]
struct Tally {
    by_cause: [Times; Cause::ALL.len()],
    whole: i128,
    /// The time of undetermined slices that name no cause.
    unknown: i128,
    /// The time of slices in which the link is possible.
    may_be_link: i128,
}

impl Tally {
    fn of(times: &[NamedTime]) -> Self {
        let mut tally = Self::default();
        for (cause, second, ns) in times {
            tally.add(*cause, *second, *ns);
        }
        tally
    }

    fn add(&mut self, cause: Cause, second: Option<Second>, ns: i128) {
        self.whole += ns;
        let own = &mut self.by_cause[cause as usize];
        own.own += ns;
        own.named += ns;
        if may_be_link(cause, second) {
            self.may_be_link += ns;
        } else {
            own.refuted += ns;
        }
        match second {
            None => own.proven += ns,
            Some(second) => {
                for other in second.causes().iter().filter(|other| **other != cause) {
                    self.by_cause[*other as usize].named += ns;
                }
            }
        }
        if cause == Cause::Undetermined && second.is_none() {
            self.unknown += ns;
        }
    }

    /// The cause with the most time; of equal ones the first in the list of causes.
    fn largest(&self) -> Option<Cause> {
        let own = |cause: &Cause| self.by_cause[*cause as usize].own;
        let best = *Cause::ALL.iter().rev().max_by_key(|cause| own(cause))?;
        (own(&best) > 0).then_some(best)
    }

    /// The other causes that are named at all, by the time for which they are possible.
    fn ranked(&self, limited_by: Cause) -> Vec<Cause> {
        let named = |cause: &Cause| self.by_cause[*cause as usize].named;
        let is_other = |cause: &&Cause| {
            ![limited_by, Cause::Undetermined].contains(*cause) && named(cause) > 0
        };
        let mut others: Vec<Cause> = Cause::ALL.iter().filter(is_other).copied().collect();
        others.sort_by_key(|cause| std::cmp::Reverse(named(cause)));
        others
    }

    /// Whether a time exceeds another one by more than the boundaries of slices can explain: a slice
    /// has one cause, even where the state changes within it. Of a short transfer, half of the time
    /// is enough.
    fn is_clear(&self, time: i128, other: i128) -> bool {
        let lead = i128::from(BIN.as_nanos()).min(self.whole / 2);
        time > other && (other == 0 || time - other >= lead)
    }

    fn link(&self, limited_by: Cause) -> Option<bool> {
        if limited_by.is_link() {
            return Some(true);
        }
        let most = self.by_cause.iter().map(|times| times.refuted).max().unwrap_or_default();
        self.is_clear(most, self.may_be_link).then_some(false)
    }
}

/// Whether the link is possible. Wherever a congestion window is, a full link is possible, too.
fn may_be_link(cause: Cause, second: Option<Second>) -> bool {
    let may = |cause: &Cause| cause.is_link() || *cause == Cause::CongestionWindow;
    match second {
        Some(second) => may(&cause) || second.causes().iter().any(may),
        None => cause.is_link() || cause == Cause::Undetermined,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Cause::{CongestionWindow, LteDownlink, ReceiveWindow, SenderApp, Undetermined};

    /// The verdict over times in hundredths of a second.
    fn sure_of(times: &[NamedTime]) -> HowSure {
        let times: Vec<NamedTime> =
            times.iter().map(|(cause, second, cs)| (*cause, *second, cs * 10_000_000)).collect();
        how_sure(&times).unwrap()
    }

    fn judged(times: &[NamedTime]) -> (Cause, Certainty, Vec<Cause>, Option<bool>) {
        let HowSure { limited_by, certainty, second, link_is_bottleneck } = sure_of(times);
        (limited_by, certainty, second, link_is_bottleneck)
    }

    #[test]
    fn a_cause_is_sure_when_nothing_else_could_have_taken_longer() {
        let certain = [(SenderApp, None, 60), (LteDownlink, None, 40)];
        assert_eq!(judged(&certain), (SenderApp, Certainty::Sure, vec![], Some(false)));
        let doubtful = [(SenderApp, None, 60), (LteDownlink, None, 40), (Undetermined, None, 30)];
        assert_eq!(judged(&doubtful), (SenderApp, Certainty::Likely, vec![LteDownlink], None));
    }

    #[test]
    fn a_lead_of_less_than_a_slice_is_likely_unless_it_is_half_of_the_time() {
        let near = [(SenderApp, None, 40), (LteDownlink, None, 31)];
        assert_eq!(judged(&near).1, Certainty::Likely);
        let clear = [(SenderApp, None, 41), (LteDownlink, None, 31)];
        assert_eq!(judged(&clear).1, Certainty::Sure);
        let short = [(SenderApp, None, 6), (LteDownlink, None, 2)];
        assert_eq!(judged(&short).1, Certainty::Sure);
        assert_eq!(judged(&[(SenderApp, None, 1)]).1, Certainty::Sure);
    }

    #[test]
    fn a_second_possibility_makes_a_cause_likely_and_leaves_the_link_open() {
        let window = [(ReceiveWindow, Some(Second::LteDownlink), 100)];
        assert_eq!(judged(&window), (ReceiveWindow, Certainty::Likely, vec![LteDownlink], None));
        let path = [(LteDownlink, Some(Second::UpstreamPath), 100)];
        let (.., link) = judged(&path);
        assert_eq!(link, Some(true));
    }

    #[test]
    fn an_open_verdict_names_what_is_possible() {
        let open = [(Undetermined, Some(Second::EitherWindow), 100)];
        assert_eq!(
            judged(&open),
            (Undetermined, Certainty::Open, vec![ReceiveWindow, CongestionWindow], None)
        );
        assert_eq!(
            judged(&[(Undetermined, None, 9)]),
            (Undetermined, Certainty::Open, vec![], None)
        );
        assert_eq!(how_sure(&[]), None);
    }

    #[test]
    fn the_link_is_denied_only_where_one_other_cause_surely_took_longer() {
        let link = |times: &[NamedTime]| sure_of(times).link_is_bottleneck;
        assert_eq!(
            link(&[(SenderApp, None, 40), (ReceiveWindow, None, 40), (LteDownlink, None, 29)]),
            Some(false)
        );
        let tight = [
            (SenderApp, None, 40),
            (ReceiveWindow, None, 40),
            (LteDownlink, None, 29),
            (Undetermined, None, 12),
        ];
        assert_eq!(link(&tight), None);
    }
}
