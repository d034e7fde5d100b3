"""Where an upload waits on the phone: Qdisc, firmware, network (UP16 section 4; methods G8).

The queue in the firmware follows from three columns of numbers: the bytes that passed the capture
on the phone, which is between Qdisc and firmware; the bytes that grants served; and the modem's
buffer reports. This is numpy over tables, not an analysis of the engine, because it needs no state
for each packet.

- RTT_F: from the capture on the phone, data to ACK.
- RTT_B: RTT_F less the firmware delay of the packet that was acknowledged.
- RTT_Q: what the sender's TCP measures, which includes the Qdisc: `truth_tcp` of a testbed run, or
  `ss -ti` text; it is the smoothed round trip (srtt) of RFC 6298 in both.

They are compared at equal bytes sent, in steps of 100 KB.
"""

from airmile.uplink.device import Upload, upload
from airmile.uplink.ss import read as read_ss

__all__ = ["Upload", "read_ss", "upload"]
