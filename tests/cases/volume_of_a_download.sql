-- Packets and payload agree with those who know them: tcpdump kept 15,472 packets (meta.json); the
-- client had 15,730,888 bytes when it gave up (app.jsonl), the rest was still in the queue.
-- input: emu/a_link_cubic/monitor.pcap.gz
SELECT ue, server, server_port, initiator, ending, ul_packets + dl_packets AS packets,
    dl_payload_bytes, dl_unique_bytes, ul_payload_bytes, dl_syn, ul_syn
FROM flows
