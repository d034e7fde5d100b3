-- A proxy that restarts slow start after every pause and one that does not: the idle gaps of the
-- first are followed by growth from a small flight.
-- input: emu/e_proxy_ssr/monitor.pcap.gz
SELECT restart, count(*) AS gaps FROM idle_gaps GROUP BY restart ORDER BY restart
