#![doc = include_str!("receive_window.md")]

mod edges;
mod side;

use airmile_track::{Analysis, Events, FlowFacts, NoEvents, Scope, Segment};
use airmile_types::{Direction, Duration, Parameters, PerDirection, columns};

use side::Window;

columns! {
    /// How long the receivers' windows limited the flow.
    #[derive(Default)]
    pub struct ReceiveWindowRow {
        /// Time in which the UE's receive window was full as the server knew it; null without
        /// downlink payload, or when the scale is unknown.
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

/// The windows that limit each direction of data.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ReceiveWindow(PerDirection<Option<Box<Window>>>);

airmile_types::held!(ReceiveWindow { 0 });

/// Events of packets that matter for the window that limits their own data.
const SENT: Events = Events::NEW.or(Events::OLD).or(Events::ODD).or(Events::CONTROL);

impl Analysis for ReceiveWindow {
    const NAME: &'static str = "receive_window";
    const PAGE: &'static str = include_str!("receive_window.md");
    const SCOPE: Scope = Scope::Flow;
    type Row = ReceiveWindowRow;
    type Event = NoEvents;

    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters, _: &mut Vec<NoEvents>) {
        if segment.events.any(SENT) {
            let own = self.0.of_mut(segment.direction);
            if segment.class.is_some() || segment.window_probe {
                own.get_or_insert_default();
            }
            if let Some(window) = own {
                window.on_sender(segment, parameters);
            }
        }
        let peer = self.0.of_mut(segment.direction.reverse());
        if let Some(window) = peer {
            window.on_receiver(segment, parameters);
        } else if segment.peer.window_is_closed() {
            peer.get_or_insert_default().on_receiver(segment, parameters);
        }
    }

    fn on_end(&mut self, flow: &FlowFacts, _: &Parameters, _: &mut Vec<NoEvents>) {
        for direction in [Direction::Uplink, Direction::Downlink] {
            if let Some(window) = self.0.of_mut(direction) {
                window.end(flow.end);
            }
        }
    }

    fn row(&self, flow: &FlowFacts, _: Direction, _: &Parameters) -> ReceiveWindowRow {
        let known = |window: &&Window| !window.scale_unknown;
        let uplink = self.0.uplink.as_deref();
        let ul = ReceiveWindowRow {
            ul_window_full_s: uplink.filter(known).filter(|window| window.payload.is_some()).map(|window| window.full_time().0.as_secs_f64()),
            ul_zero_window_s: uplink.map(|window| window.zero_time().as_secs_f64()),
            ..ReceiveWindowRow::default()
        };
        let Some(window) = self.0.downlink.as_deref() else {
            return ReceiveWindowRow { window_reason: Some("no_payload"), ..ul };
        };
        let zero_window_s = Some(window.zero_time().as_secs_f64());
        match window.payload {
            _ if window.scale_unknown => ReceiveWindowRow {
                window_reason: Some("scale_unknown"),
                // A least window of 0 is certain without the scale, because no window is smaller.
                window_min_bytes: window.least_bytes.filter(|least| *least == 0),
                zero_window_s,
                ..ul
            },
            None => ReceiveWindowRow { window_reason: Some("no_payload"), zero_window_s, ..ul },
            Some((first, last)) => downlink(window, last - first, flow, ul),
        }
    }
}

fn downlink(
    window: &Window,
    transfer_time: Duration,
    flow: &FlowFacts,
    ul: ReceiveWindowRow,
) -> ReceiveWindowRow {
    let ratio = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
    let (full, full_in_transfer) = window.full_time();
    let flow_s = (flow.end - flow.start).as_secs_f64();
    let transfer_s = transfer_time.as_secs_f64();
    ReceiveWindowRow {
        window_full_s: Some(full.as_secs_f64()),
        window_full_first_ratio: window.first_full.filter(|at| *at >= flow.start).and_then(|at| ratio((at - flow.start).as_secs_f64(), flow_s)),
        window_full_ratio: ratio(full_in_transfer.as_secs_f64(), transfer_s),
        window_min_bytes: window.least_bytes,
        zero_window_s: Some(window.zero_time().as_secs_f64()),
        ..ul
    }
}

#[cfg(test)]
mod tests;
