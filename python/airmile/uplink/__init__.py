"""Where an upload waits on the phone: Qdisc, firmware, network (UP16 section 4; methods G8).

The queue in the firmware follows from three series of numbers: the bytes that passed the capture on
the phone, which is between Qdisc and firmware; the bytes that grants served; and the buffer reports
of the modem. It is computed with numpy over tables, not in the engine, because it needs no state
for each packet.

- RTT_F: the time from data to its ACK in the capture on the phone.
- RTT_B: RTT_F minus the firmware delay of the packet that was acknowledged.
- RTT_Q: what the sender's TCP measures, which includes the Qdisc. In `truth_tcp` of a testbed run
  and in the text of `ss -ti` it is the smoothed round trip (srtt) of RFC 6298.

The three are compared at equal bytes sent, in steps of 100 KB.
"""

from airmile.uplink.device import Upload, upload
from airmile.uplink.ss import read as read_ss

__all__ = ["Upload", "read_ss", "upload"]
