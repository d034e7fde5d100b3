-- The emulated path has 22 ms of wire each way between monitor and server, and 9 + 12 ms of air
-- between monitor and phone, with HARQ on top (meta.json): the two halves of the handshake.
-- input: emu/a_link_cubic/monitor.pcap.gz
SELECT round(upstream_rtt_ms) AS upstream_rtt_ms, round(downstream_rtt_ms) AS downstream_rtt_ms,
    ue_mss_bytes, server_mss_bytes, ue_window_scale, ue_sack, ue_timestamps
FROM flows
