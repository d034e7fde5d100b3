//! Lists former names of parameters, which were named after the definitions in the methods.

/// The present name of the parameter `key`. The result is `key` itself if `key` is not a former
/// name.
pub fn present_name(key: &str) -> &str {
    FORMER.iter().find(|(former, _)| *former == key).map_or(key, |(_, present)| present)
}

/// Pairs of a former name and the present one. Until 0.1 a parameter was named after its definition
/// in the methods; datasets and scripts from that time can still be read.
const FORMER: &[(&str, &str)] = &[
    ("a3.session_gap_s", "sessions.gap_s"),
    ("a4.flow_gap_s", "flows.gap_s"),
    ("a6.tail_s", "sessions.tail_s"),
    ("a10.clock_step_ms", "quality.clock_step_ms"),
    ("a10.lost_max_ratio", "quality.lost_max_ratio"),
    ("b1.pep_ports", "handshake.pep_ports"),
    ("b2.idle_before_s", "promotion.idle_before_s"),
    ("b2.silence_s", "promotion.silence_s"),
    ("b2.floor_ms", "promotion.floor_ms"),
    ("e1.delta_g_s", "tick.delta_g_s"),
    ("e1.nominal_tolerance_ratio", "tick.nominal_tolerance_ratio"),
    ("c4.train_min", "loss_episodes.train_min"),
    ("c4.train_gap_s", "loss_episodes.train_gap_s"),
    ("c4.span_ms", "loss_episodes.rss_span_ms"),
    ("c4.rss_min_ratio", "loss_episodes.rss_min_ratio"),
    ("c4.shift", "loss_episodes.rss_shift"),
    ("c4.undone_ratio", "loss_episodes.undone_ratio"),
    ("c5.floor_rfc_ms", "rto.floor_rfc_ms"),
    ("c5.floor_ms", "rto.floor_ms"),
    ("c6.mss", "receive_window.full_segments"),
    ("c6.receiver_mss", "receive_window.full_at_receiver_segments"),
    ("c7.initial_window_segments", "idle_gaps.initial_window_segments"),
    ("c7.reset_ratio", "idle_gaps.reset_ratio"),
    ("c7.growth_ratio", "idle_gaps.growth_ratio"),
    ("e2.min_send_bps", "bandwidth.min_send_bps"),
    ("e2.min_ticks", "bandwidth.min_ticks"),
    ("e2.max_rtts", "bandwidth.max_rtts"),
    ("e2.max_ticks", "bandwidth.max_ticks"),
    ("e2.min_mss", "bandwidth.min_advance_segments"),
    ("e2.queue_excess_ms", "bandwidth.queue_excess_ms"),
    ("e2.busy_ratio", "bandwidth.busy_ratio"),
    ("e2.queue_window_min_s", "bandwidth.queue_window_min_s"),
    ("e2.queue_window_max_s", "bandwidth.queue_window_max_s"),
    ("e2.spacing_ms", "bandwidth.spacing_ms"),
    ("e2.use_c_rule", "bandwidth.use_c_rule"),
    ("t5.large_bytes", "flows.large_bytes"),
    ("t5.large_s", "flows.large_s"),
    ("e4.window_ms", "bandwidth.utilisation_window_ms"),
    ("e4.harq_ms", "bandwidth.harq_ms"),
    ("e4.seen_ratio", "bandwidth.utilisation_seen_ratio"),
    ("e4.range_ratio", "bandwidth.utilisation_range_ratio"),
    ("t1.request_min_bytes", "transfers.request_min_bytes"),
    ("t1.finished_min_bytes", "tls.finished_min_bytes"),
    ("t1.finished_max_bytes", "tls.finished_max_bytes"),
    ("t1.ticket_max_bytes", "tls.ticket_max_bytes"),
    ("t1.settings_max_bytes", "tls.settings_max_bytes"),
    ("t1.client_hello_min_bytes", "tls.client_hello_min_bytes"),
    ("t1.client_hello_max_bytes", "tls.client_hello_max_bytes"),
    ("t1.server_flight_min_bytes", "tls.server_flight_min_bytes"),
    ("t1.client_flight_max_bytes", "tls.client_flight_max_bytes"),
    ("t1.second_server_flight_max_bytes", "tls.second_server_flight_max_bytes"),
    ("t1.small_request_bytes", "transfers.small_request_bytes"),
    ("t1.silence_s", "transfers.silence_s"),
    ("t1.control_bytes", "transfers.control_bytes"),
    ("t3.long_poll_s", "transfers.long_poll_s"),
    ("t3.phone_spread_ms", "verdict.phone_spread_ms"),
    ("t3.wired_spread_ms", "verdict.wired_spread_ms"),
    ("t3.least_delayed_ack_ms", "verdict.least_delayed_ack_ms"),
    ("d3.bin_s", "throughput.bin_s"),
    ("b5.timeout_s", "pings.timeout_s"),
    ("b3.timeout_s", "dns.timeout_s"),
    ("f3.inactivity_ms", "energy.inactivity_ms"),
    ("f3.active_mw", "energy.active_mw"),
    ("f3.tail_mw", "energy.tail_mw"),
    ("f3.promotion_mw", "energy.promotion_mw"),
    ("f3.promotion_ms", "energy.promotion_ms"),
    ("f3.uplink_mj_per_mbit", "energy.uplink_mj_per_mbit"),
    ("f3.downlink_mj_per_mbit", "energy.downlink_mj_per_mbit"),
    ("g2.start_ratio", "bursts.start_ratio"),
    ("g2.end_ratio", "bursts.end_ratio"),
    ("g2.log_gap_s", "bursts.log_gap_s"),
    ("g2.contention_max_ms", "bursts.contention_max_ms"),
    ("g2.undecided_max_ratio", "bursts.undecided_max_ratio"),
    ("g2.lone_max_ratio", "bursts.lone_max_ratio"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::PARAMETERS;

    #[test]
    fn a_former_name_leads_to_a_parameter_and_is_none_itself() {
        for (former, present) in FORMER {
            assert!(PARAMETERS.iter().any(|parameter| parameter.name == *present), "{present}");
            assert!(PARAMETERS.iter().all(|parameter| parameter.name != *former), "{former}");
        }
    }

    #[test]
    fn each_present_name_has_one_former_name() {
        let mut present: Vec<&str> = FORMER.iter().map(|(_, present)| *present).collect();
        present.sort_unstable();
        present.dedup();
        assert_eq!(present.len(), FORMER.len());
    }
}
