#![doc = include_str!("loss_episodes.md")]

mod episode;
mod repeats;
mod row;
mod rss;
mod train;

use std::collections::VecDeque;

use airmile_track::{Analysis, Events, FlowFacts, Scope, Scoreboard, Segment, Shared};
use airmile_types::{Direction, Duration, Held, Instant, Parameters, PerDirection, Protocol};

pub(crate) use train::{Train, Trains};

use episode::Episode;
use row::{LossEpisodeRow, LossEpisodesRow};
use rss::{Probe, Rss};

/// The losses in both directions of data.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LossEpisodes {
    losses: PerDirection<Option<Box<Losses>>>,
    /// Whether packets of each side were captured; known when the flow has ended. With one side
    /// alone no loss can be recognised.
    seen: PerDirection<bool>,
    /// Whether either direction has something undecided that the passing of time may decide.
    busy: bool,
}

airmile_types::held!(LossEpisodes { losses });

/// The losses in one direction of data.
#[derive(Clone, Debug, Default, PartialEq)]
struct Losses {
    open: Option<Episode>,
    /// Episodes that have ended, with values that are not decided yet.
    ended: VecDeque<Episode>,
    trains: Trains,
    probe: Option<Probe>,
    undesired_slow_starts: u32,
    silent: u32,
    timeouts: u32,
}

impl Held for Losses {
    fn held_bytes(&self) -> usize {
        self.ended.capacity() * size_of::<Episode>()
    }
}

/// Events that are signs of a loss, or that correct such signs.
const SIGNS: Events = Events::RECOVERY.or(Events::DUPLICATE).or(Events::ODD);

impl Analysis for LossEpisodes {
    const NAME: &'static str = "loss_episodes";
    const PAGE: &'static str = include_str!("loss_episodes.md");
    const SCOPE: Scope = Scope::Flow;
    type Row = LossEpisodesRow;
    type Event = LossEpisodeRow;

    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters, out: &mut Vec<LossEpisodeRow>) {
        if segment.events.any(SIGNS) || self.busy {
            self.look(segment, parameters, out);
        }
    }

    fn on_end(&mut self, flow: &FlowFacts, parameters: &Parameters, out: &mut Vec<LossEpisodeRow>) {
        for direction in [Direction::Uplink, Direction::Downlink] {
            if let Some(losses) = self.losses.of_mut(direction) {
                losses.end(flow.end, parameters, out);
            }
        }
    }

    fn share(&mut self, _: &FlowFacts, _: &Parameters, shared: &mut Shared) {
        self.seen = shared.seen;
    }

    fn row(&self, flow: &FlowFacts, direction: Direction, _: &Parameters) -> LossEpisodesRow {
        if flow.protocol != Protocol::Tcp || !(self.seen.uplink && self.seen.downlink) {
            return LossEpisodesRow::default();
        }
        let losses = self.losses.of(direction).as_deref();
        let count = |of: fn(&Losses) -> u32| Some(losses.map_or(0, of));
        LossEpisodesRow {
            undesired_slow_starts: count(|losses| losses.undesired_slow_starts),
            silent_after_loss: count(|losses| losses.silent),
            timeouts_seen: count(|losses| losses.timeouts),
        }
    }
}

impl LossEpisodes {
    /// Takes a segment while there are signs of a loss; most flows never have any.
    fn look(&mut self, segment: &Segment<'_>, parameters: &Parameters, out: &mut Vec<LossEpisodeRow>) {
        self.of_direction(segment, segment.direction, segment.own, parameters, out);
        self.of_direction(segment, segment.direction.reverse(), segment.peer, parameters, out);
        let busy = |losses: &Option<Box<Losses>>| losses.as_ref().is_some_and(|losses| losses.is_busy());
        self.busy = busy(&self.losses.downlink) || busy(&self.losses.uplink);
    }

    fn of_direction(
        &mut self,
        segment: &Segment<'_>,
        direction: Direction,
        board: &Scoreboard,
        parameters: &Parameters,
        out: &mut Vec<LossEpisodeRow>,
    ) {
        let losses = self.losses.of_mut(direction);
        if losses.is_some() || board.is_recovering() {
            losses.get_or_insert_default().on_segment(segment, direction, board, parameters, out);
        }
    }
}

impl Losses {
    fn is_busy(&self) -> bool {
        self.open.is_some() || !self.ended.is_empty() || self.probe.is_some() || self.trains.current().is_some()
    }

    fn on_segment(
        &mut self,
        segment: &Segment<'_>,
        direction: Direction,
        board: &Scoreboard,
        parameters: &Parameters,
        out: &mut Vec<LossEpisodeRow>,
    ) {
        let is_sender = segment.direction == direction;
        self.settle(segment.time, parameters);
        if let Some(recovery) = board.recovery() {
            self.open.get_or_insert_with(|| Episode::new(segment, direction, board, recovery.since));
        }
        if is_sender {
            self.on_sender(segment);
        } else {
            self.on_receiver(segment, board, parameters);
        }
        for episode in self.ended.iter_mut().chain(&mut self.open) {
            episode.watch(segment, is_sender, board);
        }
        if !board.is_recovering() && let Some(mut episode) = self.open.take() {
            episode.close(segment.time, true);
            self.ended.push_back(episode);
        }
        self.emit(segment.time, parameters, out);
    }

    fn on_sender(&mut self, segment: &Segment<'_>) {
        self.timeouts += u32::from(segment.timeout);
        if let Some(probe) = &mut self.probe {
            probe.on_payload(segment.time, segment.payload_bytes);
        }
        if let Some(episode) = &mut self.open {
            episode.on_sender(segment);
        }
    }

    fn on_receiver(&mut self, segment: &Segment<'_>, board: &Scoreboard, parameters: &Parameters) {
        self.trains.on_receiver(segment, gap(parameters));
        match (&mut self.open, self.ended.back_mut()) {
            (Some(episode), _) => episode.on_receiver(segment),
            (None, Some(episode)) if segment.unneeded_retransmission => episode.unneeded(),
            _ => {}
        }
        if segment.duplicate_ack.is_none() {
            return;
        }
        let Some(train) = self.trains.current().copied() else { return };
        if train.is_long(board.mss_bytes(), parameters) {
            self.restart_probe(&train, board, parameters);
        }
    }

    /// Begins to measure after the newest duplicate ACK of a long train. A measurement after an
    /// earlier duplicate ACK in this series of trains is dropped.
    fn restart_probe(&mut self, train: &Train, board: &Scoreboard, parameters: &Parameters) {
        let another = self.probe.is_some_and(|probe| train.first - probe.since > gap(parameters));
        if another {
            self.conclude(train.last, parameters);
        }
        self.probe = Some(Probe::new(train.last, board, parameters));
        if let Some(episode) = &mut self.open {
            episode.trained = Some(None);
        }
    }

    /// Concludes the measurement when its spans are over and no further train can join the series.
    fn settle(&mut self, now: Instant, parameters: &Parameters) {
        self.trains.expire(now, gap(parameters));
        let Some(probe) = self.probe else { return };
        let may_join = self.trains.current().is_some_and(|train| train.first - probe.since <= gap(parameters));
        if probe.is_over(now) && now - probe.since > gap(parameters) && !may_join {
            self.conclude(now, parameters);
        }
    }

    fn conclude(&mut self, now: Instant, parameters: &Parameters) {
        let Some(probe) = self.probe.take() else { return };
        let outcome = probe.outcome(now);
        self.undesired_slow_starts += u32::from(outcome.fixed.is_slow_start(parameters));
        self.silent += u32::from(outcome.fixed == Rss::Silent);
        let open = self.open.iter_mut().filter(|episode| episode.row.start_ns <= probe.since);
        if let Some(episode) = self.ended.iter_mut().filter(|episode| episode.holds(probe.since)).chain(open).next_back() {
            episode.trained = Some(Some(outcome));
        }
    }

    /// Hands over rows in the order of their start, as soon as all their values are decided.
    fn emit(&mut self, now: Instant, parameters: &Parameters, out: &mut Vec<LossEpisodeRow>) {
        while let Some(episode) = self.ended.front() {
            let measured = self.probe.is_some_and(|probe| episode.holds(probe.since));
            if measured || !episode.is_decided(now) {
                return;
            }
            out.extend(self.ended.pop_front().map(|episode| episode.into_row(now, parameters)));
        }
    }

    fn end(&mut self, now: Instant, parameters: &Parameters, out: &mut Vec<LossEpisodeRow>) {
        self.conclude(now, parameters);
        if let Some(mut episode) = self.open.take() {
            episode.close(now, false);
            self.ended.push_back(episode);
        }
        out.extend(self.ended.drain(..).map(|episode| episode.into_row(now, parameters)));
    }
}

fn gap(parameters: &Parameters) -> Duration {
    Duration::from_secs_f64(parameters.train_gap_s)
}
