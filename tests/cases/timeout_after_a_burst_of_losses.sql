-- A burst of drops takes the retransmissions with it, so the sender waits for its timer
-- (events.csv holds the drops); most of the time there is still a queue beyond the capture point.
-- input: emu/f2_loss_rto/monitor.pcap.gz
SELECT timeouts_seen > 0 AS timed_out, limited_by FROM flows ORDER BY dl_payload_bytes DESC LIMIT 1
