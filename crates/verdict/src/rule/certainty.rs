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
    let limited_by = largest(times)?;
    let others: Vec<Cause> = ranked(times, limited_by);
    let unknown = sum(times, |cause, second| cause == Cause::Undetermined && second.is_none());
    let proven = sum(times, |cause, second| cause == limited_by && second.is_none());
    let rival = others.first().map_or(0, |cause| named(times, *cause));
    let certainty = match limited_by {
        Cause::Undetermined => Certainty::Open,
        _ if is_clear(times, proven, rival + unknown) => Certainty::Sure,
        _ => Certainty::Likely,
    };
    let second = match certainty {
        Certainty::Sure => vec![],
        Certainty::Likely => others.into_iter().take(1).collect(),
        Certainty::Open => open_between(times, unknown),
    };
    Some(HowSure { limited_by, certainty, second, link_is_bottleneck: link(times, limited_by) })
}

/// Whether a time exceeds another one by more than the boundaries of slices can explain: a slice has
/// one cause, even where the state changes within it. Of a short transfer, half of the time is
/// enough.
fn is_clear(times: &[NamedTime], time: i128, other: i128) -> bool {
    let whole = sum(times, |_, _| true);
    time > other && (other == 0 || time - other >= i128::from(BIN.as_nanos()).min(whole / 2))
}

/// The causes among which the undetermined slices leave it open; none if most of these slices name
/// none.
fn open_between(times: &[NamedTime], unknown: i128) -> Vec<Cause> {
    let open = |(cause, second, _): &&NamedTime| *cause == Cause::Undetermined && second.is_some();
    let doubts: Vec<NamedTime> = times.iter().filter(open).copied().collect();
    let others = ranked(&doubts, Cause::Undetermined);
    let most = others.first().map_or(0, |cause| named(&doubts, *cause));
    if sum(&doubts, |_, _| true) < unknown {
        return vec![];
    }
    let comparable = |cause: &Cause| 2 * named(&doubts, *cause) >= most;
    others.into_iter().filter(comparable).take(MOST_NAMED).collect()
}

/// The cause with the most time; of equal ones the first in the list of causes.
fn largest(times: &[NamedTime]) -> Option<Cause> {
    let own = |cause: Cause| sum(times, |other, _| other == cause);
    let best = *Cause::ALL.iter().rev().max_by_key(|cause| own(**cause))?;
    (own(best) > 0).then_some(best)
}

/// The other causes that are named at all, by the time for which they are possible.
fn ranked(times: &[NamedTime], limited_by: Cause) -> Vec<Cause> {
    let rest = |cause: &&Cause| ![limited_by, Cause::Undetermined].contains(*cause);
    let mut others: Vec<Cause> = Cause::ALL.iter().filter(rest).copied().collect();
    others.retain(|cause| named(times, *cause) > 0);
    others.sort_by_key(|cause| std::cmp::Reverse(named(times, *cause)));
    others
}

/// The time of the slices that name a cause, as theirs or as another possibility.
fn named(times: &[NamedTime], cause: Cause) -> i128 {
    sum(times, |own, second| own == cause || second.is_some_and(|it| it.causes().contains(&cause)))
}

fn link(times: &[NamedTime], limited_by: Cause) -> Option<bool> {
    if limited_by.is_link() {
        return Some(true);
    }
    let refuted =
        |own: &Cause| sum(times, |cause, second| cause == *own && !may_be_link(cause, second));
    let most = Cause::ALL.iter().map(refuted).max().unwrap_or_default();
    is_clear(times, most, sum(times, may_be_link)).then_some(false)
}

/// Whether the link is possible. Wherever a congestion window is, a full link is possible, too.
fn may_be_link(cause: Cause, second: Option<Second>) -> bool {
    let may = |cause: &Cause| cause.is_link() || *cause == Cause::CongestionWindow;
    match second {
        Some(second) => may(&cause) || second.causes().iter().any(may),
        None => cause.is_link() || cause == Cause::Undetermined,
    }
}

fn sum(times: &[NamedTime], of: impl Fn(Cause, Option<Second>) -> bool) -> i128 {
    times.iter().filter(|(cause, second, _)| of(*cause, *second)).map(|(.., ns)| ns).sum()
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
