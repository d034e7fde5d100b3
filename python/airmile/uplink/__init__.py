"""Where an upload waits on the phone: Qdisc, firmware, network (UP16 section 4; methods G8).

Rows suffice. What waits in the firmware follows from three columns of numbers: bytes that passed
the capture on the phone, which stands between Qdisc and firmware; bytes that grants took; and the
modem's reports of what waits. Each is a cumulative curve or a list; nothing depends on the order
of packets beyond it, so this is numpy over tables and no analysis of the engine.

- RTT_F: from the capture on the phone, data to ACK.
- RTT_B: RTT_F less the firmware delay of the packet that was acknowledged.
- RTT_Q: what the sender's TCP measures, which includes the Qdisc: `truth_tcp` of a testbed run, or
  `ss -ti` text; it is the smoothed round trip (srtt) of RFC 6298 in both.

They are compared at equal bytes sent, in steps of 100 KB.
"""

from airmile.uplink.device import Upload, upload
from airmile.uplink.ss import read as read_ss

__all__ = ["Upload", "read_ss", "upload"]
