// TCP Westwood+ from its description (Mascolo, Casetti, Gerla, Sanadidi, Wang, MobiCom 2001; Grieco
// and Mascolo, Computer Communication Review 34(2), 2004): the bandwidth that arrives is sampled
// once per round trip and smoothed by 7/8; a loss sets the threshold to that bandwidth times the
// least round trip. In between it grows as Reno does.

#include "control.bpf.h"

#define USEC_PER_SEC 1000000ULL

struct westwood {
	__u64 begin_us;
	__u64 bytes_per_s;
	__u32 begin_delivered;
	__u32 rtt_us;
	__u32 least_rtt_us;
};

extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;

static struct westwood *state(struct sock *sk)
{
	return (struct westwood *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

SEC("struct_ops/init")
void BPF_PROG(init, struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct westwood *ww = state(sk);

	ww->begin_us = tp->tcp_mstamp;
	ww->begin_delivered = tp->delivered;
	ww->bytes_per_s = 0;
	ww->rtt_us = 0;
	ww->least_rtt_us = 0;
}

// At the end of a round trip: sample what was delivered in it. `delivered` counts each segment that
// SACK or duplicate ACKs report once, as the paper's counting of duplicate ACKs does.
static void sample_bandwidth(struct tcp_sock *tp, struct westwood *ww)
{
	__u64 past_us = tp->tcp_mstamp - ww->begin_us;
	__u64 segments = tp->delivered - ww->begin_delivered;
	__u64 sample;

	if (!ww->rtt_us || past_us < ww->rtt_us)
		return;
	sample = segments * tp->mss_cache * USEC_PER_SEC / past_us;
	ww->bytes_per_s = ww->bytes_per_s ? (7 * ww->bytes_per_s + sample) >> 3 : sample;
	ww->begin_us = tp->tcp_mstamp;
	ww->begin_delivered = tp->delivered;
}

SEC("struct_ops/pkts_acked")
void BPF_PROG(pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct westwood *ww = state(sk);

	if (sample->rtt_us > 0) {
		ww->rtt_us = sample->rtt_us;
		if (!ww->least_rtt_us || ww->rtt_us < ww->least_rtt_us)
			ww->least_rtt_us = ww->rtt_us;
	}
	sample_bandwidth((struct tcp_sock *)sk, ww);
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(ssthresh, struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct westwood *ww = state(sk);
	__u64 bytes = ww->bytes_per_s * ww->least_rtt_us / USEC_PER_SEC;
	__u32 mss = tp->mss_cache ? tp->mss_cache : 1;
	__u64 segments = bytes / mss;

	return segments > 2 ? segments : 2;
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC(".struct_ops")
struct tcp_congestion_ops NAME = {
	.init = (void *)init,
	.pkts_acked = (void *)pkts_acked,
	.ssthresh = (void *)ssthresh,
	.cong_avoid = (void *)cong_avoid,
	.undo_cwnd = (void *)undo_cwnd,
	.name = QUOTED(NAME),
};
