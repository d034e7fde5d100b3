#![doc = include_str!("receive_window.md")]

use airmile_track::{Analysis, Events, FlowFacts, NoEvents, Scope};
use airmile_types::{Direction, Duration, Instant, Parameters, PerDirection, columns};
use airmile_verdict::{FullTime, WindowSeen};

columns! {
    /// How long the receivers' windows limited the flow.
    #[derive(Default)]
    pub struct ReceiveWindowRow {
        /// Time in which the UE's receive window was full as the server knew it; null without
        /// downlink payload, or when it may have been full and nothing shows the scale.
        #[unit("s")] #[cite("C6")] pub window_full_s: Option<f64>,
        /// Time at which the UE's receive window was first full, as a fraction of the time from the
        /// flow's first to its last packet; null when it never was full.
        #[unit("ratio")] #[cite("C6")] pub window_full_first_ratio: Option<f64>,
        /// Share of the time from first to last downlink payload in which the UE's receive window
        /// was full.
        #[unit("ratio")] #[cite("C6, T5")] pub window_full_ratio: Option<f64>,
        /// Smallest window that the UE advertised after the first downlink payload or probe; null
        /// when the scale is unknown and no window was 0.
        #[unit("bytes")] #[cite("C6")] pub window_min_bytes: Option<u32>,
        /// Time in which the UE advertised a window of zero; known also when the scale is unknown.
        #[unit("s")] #[cite("C6")] pub zero_window_s: Option<f64>,
        /// Why `window_full_s` is null: `no_payload` or `scale_unknown`.
        #[unit("")] #[cite("C6")] pub window_reason: Option<&'static str>,
        /// Time in which the server's receive window was full as the UE knew it, for uplink data.
        #[unit("s")] #[cite("C6")] pub ul_window_full_s: Option<f64>,
        /// Time in which the server advertised a window of zero; known also when the scale is
        /// unknown.
        #[unit("s")] #[cite("C6")] pub ul_zero_window_s: Option<f64>,
    }
}

/// What the windows did to the senders of both directions, which the evidence of the verdict has
/// observed; known when the flow has ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ReceiveWindow(Option<Box<PerDirection<Option<WindowSeen>>>>);

airmile_types::held!(ReceiveWindow {});

impl Analysis for ReceiveWindow {
    const NAME: &'static str = "receive_window";
    const PAGE: &'static str = include_str!("receive_window.md");
    const SCOPE: Scope = Scope::Flow;
    const WANTS: Events = Events::NONE;
    type Row = ReceiveWindowRow;
    type Event = NoEvents;

    fn row(&self, flow: &FlowFacts, _: Direction, _: &Parameters) -> ReceiveWindowRow {
        let of = |direction| self.0.as_ref().and_then(|seen| *seen.of(direction));
        let uplink: Option<WindowSeen> = of(Direction::Uplink);
        let full_time = |seen: WindowSeen| seen.payload.and(seen.full).map(|full| full.total());
        let row = ReceiveWindowRow {
            ul_window_full_s: uplink.and_then(full_time).map(Duration::as_secs_f64),
            ul_zero_window_s: uplink.map(|seen| seen.zero_time.as_secs_f64()),
            ..ReceiveWindowRow::default()
        };
        let Some(seen) = of(Direction::Downlink) else {
            return ReceiveWindowRow { window_reason: Some("no_payload"), ..row };
        };
        let zero_window_s = Some(seen.zero_time.as_secs_f64());
        // A least window of 0 is certain without the scale, because no window is smaller.
        let window_min_bytes = seen.least_bytes.filter(|least| *least == 0 || seen.full.is_some());
        let row = ReceiveWindowRow { zero_window_s, window_min_bytes, ..row };
        match (seen.full, seen.payload) {
            (None, _) => ReceiveWindowRow { window_reason: Some("scale_unknown"), ..row },
            (_, None) => ReceiveWindowRow { window_reason: Some("no_payload"), window_min_bytes: None, ..row },
            (Some(full), Some((first, last))) => downlink(full, (first, last), flow, row),
        }
    }
}

impl ReceiveWindow {
    /// Takes what the windows did, after the flow has ended.
    pub(crate) fn settle(&mut self, seen: PerDirection<Option<WindowSeen>>) {
        self.0 = Some(Box::new(seen));
    }
}

fn downlink(
    full: FullTime,
    (first, last): (Instant, Instant),
    flow: &FlowFacts,
    row: ReceiveWindowRow,
) -> ReceiveWindowRow {
    let ratio = |part: Duration, whole: Duration| {
        (whole > Duration::ZERO).then(|| part.as_secs_f64() / whole.as_secs_f64())
    };
    let first_full = full.first().filter(|at| *at >= flow.start);
    ReceiveWindowRow {
        window_full_s: Some(full.total().as_secs_f64()),
        window_full_first_ratio: first_full.and_then(|at| ratio(at - flow.start, flow.end - flow.start)),
        window_full_ratio: ratio(full.until(last), last - first),
        ..row
    }
}

#[cfg(test)]
mod tests;
