//! Divides the PRBs of a TTI among the users.

use airmile_types::Duration;

use crate::config::{Policy, Sharing};
use crate::rate::Capacity;

/// The number of PRBs that are allocated together, by the number of the carrier's PRBs (TS 36.213
/// table 7.1.6.1-1).
const fn group_prbs(prbs: u32) -> u32 {
    match prbs {
        0..=10 => 1,
        11..=26 => 2,
        27..=63 => 3,
        _ => 4,
    }
}

/// The averaging time of proportional fair (t_c of Jalali et al., VTC 2000); its length is our
/// choice.
const AVERAGE: Duration = Duration::from_millis(100);

/// A user that has data to send.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Want {
    pub(crate) user: usize,
    pub(crate) bytes: u64,
    pub(crate) capacity: Capacity,
}

/// A scheduler, while it is running.
#[derive(Debug)]
pub(crate) struct Scheduler {
    policy: Policy,
    sharing: Sharing,
    /// The bytes per TTI that each user got on average.
    averages: Vec<f64>,
    average_ttis: f64,
    last: usize,
}

impl Scheduler {
    pub(crate) fn new(policy: Policy, sharing: Sharing, users: usize, tti: Duration) -> Self {
        let average_ttis = AVERAGE.as_secs_f64() / tti.as_secs_f64();
        Self { policy, sharing, averages: vec![1.0; users], average_ttis, last: 0 }
    }

    /// Divides `free` of the carrier's `all` PRBs; `given[user]` becomes the number that each user
    /// gets.
    pub(crate) fn divide(&mut self, wants: &mut [Want], free: u32, all: u32, given: &mut [u32]) {
        given.fill(0);
        self.order(wants, all);
        if let Some(first) = wants.first() {
            self.last = first.user;
        }
        match self.sharing {
            Sharing::OneUserFirst => first_come(wants, free, all, given),
            Sharing::Split => self.split(wants, free, all, given),
        }
        self.average(wants, all, given);
    }

    /// Sorts the users so that the one who is served next comes first.
    fn order(&self, wants: &mut [Want], all: u32) {
        match self.policy {
            Policy::RoundRobin => {
                let users = self.averages.len();
                wants.sort_by_key(|want| (want.user + users - self.last - 1) % users);
            }
            Policy::ProportionalFair => {
                wants.sort_by(|a, b| self.metric(b, all).total_cmp(&self.metric(a, all)));
            }
        }
    }

    fn metric(&self, want: &Want, all: u32) -> f64 {
        f64::from(want.capacity.bytes(all, all)) / self.averages[want.user]
    }

    /// Divides by weight. PRBs that a user does not need go to the others, so the users that need
    /// the least for their weight are served first.
    fn split(&self, wants: &[Want], free: u32, all: u32, given: &mut [u32]) {
        let group = group_prbs(all);
        let weigh = |want: &Want| match self.policy {
            Policy::RoundRobin => 1.0,
            Policy::ProportionalFair => self.metric(want, all),
        };
        let need = |want: &Want| {
            if want.bytes == 0 {
                0
            } else {
                want.capacity.prbs_for(want.bytes, all).div_ceil(group)
            }
        };
        let mut users: Vec<_> = wants.iter().map(|w| (w.user, need(w), weigh(w))).collect();
        users.sort_by(|a, b| (f64::from(a.1) / a.2).total_cmp(&(f64::from(b.1) / b.2)));
        let (mut groups, mut weight) = (free / group, users.iter().map(|u| u.2).sum::<f64>());
        let mut odd = free % group;
        for (user, need, weigh) in users {
            let share = if weight > 0.0 { f64::from(groups) * weigh / weight } else { 0.0 };
            // Shares are rounded to whole groups, the largest weights first; rounding down would
            // leave the groups to the smallest weights.
            let got = need.min((share + 0.5) as u32);
            given[user] = got * group;
            groups -= got;
            weight -= weigh;
            if got < need && groups == 0 {
                // This user also gets the PRBs that remain after the last whole group.
                given[user] += std::mem::take(&mut odd);
            }
        }
    }

    fn average(&mut self, wants: &[Want], all: u32, given: &[u32]) {
        let before = 1.0 - 1.0 / self.average_ttis;
        self.averages.iter_mut().for_each(|average| *average = (*average * before).max(1e-3));
        for want in wants {
            let got = want.capacity.bytes(given[want.user], all);
            self.averages[want.user] += f64::from(got) / self.average_ttis;
        }
    }
}

/// Gives each user what it needs, as long as PRBs are left.
fn first_come(wants: &[Want], free: u32, all: u32, given: &mut [u32]) {
    let group = group_prbs(all);
    let mut left = free;
    for want in wants.iter().filter(|want| want.bytes > 0) {
        let need = want.capacity.prbs_for(want.bytes, all).next_multiple_of(group);
        given[want.user] = need.min(left);
        left -= given[want.user];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The average of a user who got all PRBs for this many ms, in bytes per TTI.
    fn average(tti_us: i64, ms: i64) -> f64 {
        let tti = Duration::from_micros(tti_us);
        let mut scheduler = Scheduler::new(Policy::ProportionalFair, Sharing::OneUserFirst, 1, tti);
        for _ in 0..ms * 1_000 / tti_us {
            let capacity = Capacity::Plain { bytes: 1_000 };
            let mut wants = [Want { user: 0, bytes: 1 << 20, capacity }];
            scheduler.divide(&mut wants, 50, 50, &mut [0]);
        }
        scheduler.averages[0]
    }

    #[test]
    fn proportional_fair_averages_over_100_ms_however_long_a_tti_is() {
        // After one averaging time, the average is 1 - 1/e of what is served.
        let theory = 1_000.0 * (1.0 - (-1.0f64).exp());
        for tti_us in [500, 1_000] {
            let found = average(tti_us, 100);
            assert!((found / theory - 1.0).abs() < 0.01, "{tti_us} us: {found} for {theory}");
        }
    }
}
