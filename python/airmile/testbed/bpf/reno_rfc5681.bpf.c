// NewReno that counts ACKs: RFC 5681 section 3.1 lets an ACK open the window by one segment at most,
// however much it acknowledges, and so did the senders of 2012. Linux has counted segments since, so
// that the ACK which fills a hole after a timeout takes the window to its threshold at once.

#include "control.bpf.h"

extern __u32 tcp_reno_ssthresh(struct sock *sk) __ksym;
extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(ssthresh, struct sock *sk)
{
	return tcp_reno_ssthresh(sk);
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked ? 1 : 0);
}

SEC(".struct_ops")
struct tcp_congestion_ops NAME = {
	.ssthresh = (void *)ssthresh,
	.cong_avoid = (void *)cong_avoid,
	.undo_cwnd = (void *)undo_cwnd,
	.name = QUOTED(NAME),
};
