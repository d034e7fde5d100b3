// CUBIC that begins again with the initial window after a silence: RFC 5681 section 4.1 has a sender
// that has not sent for a retransmission timeout take its window back to the initial one, as BT19
// sections 4.4 and 4.5 saw it of the middleboxes. Linux's own tcp_slow_start_after_idle only halves
// the window once for each timeout of silence.

#include "control.bpf.h"

// RFC 6928.
#define INITIAL_WINDOW 10

// The kernel's CUBIC keeps its state in the words before.
#define LAST_WORD 12
#define RESTARTED 1

extern void cubictcp_init(struct sock *sk) __ksym;
extern __u32 cubictcp_recalc_ssthresh(struct sock *sk) __ksym;
extern void cubictcp_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern void cubictcp_state(struct sock *sk, __u8 new_state) __ksym;
extern void cubictcp_cwnd_event(struct sock *sk, enum tcp_ca_event event) __ksym;
extern void cubictcp_acked(struct sock *sk, const struct ack_sample *sample) __ksym;

SEC("struct_ops/init")
void BPF_PROG(init, struct sock *sk)
{
	((struct inet_connection_sock *)sk)->icsk_ca_priv[LAST_WORD] = 0;
	cubictcp_init(sk);
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(ssthresh, struct sock *sk)
{
	return cubictcp_recalc_ssthresh(sk);
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	cubictcp_cong_avoid(sk, ack, acked);
}

SEC("struct_ops/set_state")
void BPF_PROG(set_state, struct sock *sk, __u8 new_state)
{
	cubictcp_state(sk, new_state);
}

// The kernel says CWND_RESTART before it halves the window (tcp_cwnd_restart), and TX_START when the
// first packet of the flight leaves: only then is the window ours to set.
SEC("struct_ops/cwnd_event")
void BPF_PROG(cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u64 *restarted = &((struct inet_connection_sock *)sk)->icsk_ca_priv[LAST_WORD];

	if (event == CA_EVENT_CWND_RESTART)
		*restarted = RESTARTED;
	if (event == CA_EVENT_TX_START && *restarted == RESTARTED) {
		*restarted = 0;
		if (tp->snd_cwnd > INITIAL_WINDOW)
			tp->snd_cwnd = INITIAL_WINDOW;
	}
	cubictcp_cwnd_event(sk, event);
}

SEC("struct_ops/pkts_acked")
void BPF_PROG(pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	cubictcp_acked(sk, sample);
}

SEC(".struct_ops")
struct tcp_congestion_ops NAME = {
	.init = (void *)init,
	.ssthresh = (void *)ssthresh,
	.cong_avoid = (void *)cong_avoid,
	.set_state = (void *)set_state,
	.cwnd_event = (void *)cwnd_event,
	.pkts_acked = (void *)pkts_acked,
	.undo_cwnd = (void *)undo_cwnd,
	.name = QUOTED(NAME),
};
