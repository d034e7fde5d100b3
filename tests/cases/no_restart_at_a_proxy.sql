-- The twin of restart_at_a_proxy with tcp_slow_start_after_idle=0: the sender goes on with the
-- window it had, so no gap is followed by a restart.
-- input: emu/e_proxy_nossr/monitor.pcap.gz
SELECT restart, count(*) AS gaps FROM idle_gaps GROUP BY restart ORDER BY restart
