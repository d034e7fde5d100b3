-- SO_RCVBUF is 30,000: the window is full from nearly the first to the last byte; in the two
-- seconds in which the reader sleeps it closes (meta.json), which is receiver_app.
-- input: emu/c_rwnd/monitor.pcap.gz
SELECT cause, round(sum(end_ns - start_ns) / 1e9) AS s FROM slices
GROUP BY cause HAVING s >= 1 ORDER BY s DESC, cause
