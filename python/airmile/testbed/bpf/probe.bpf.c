// The state of TCP senders at every segment that they receive, at retransmissions and at changes of
// their congestion state, of the three namespaces of one run.
//
// Compiled when a run begins: -DSERVER_NS, -DCORE_NS and -DPHONE_NS are the inodes of its
// namespaces. The types have the fields that are read alone; the loader finds where they lie in the
// running kernel (BTF, "compile once, run everywhere").

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define AF_INET 2

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct sock_common {
	unsigned short skc_family;
	unsigned short skc_dport;
	unsigned short skc_num;
	possible_net_t skc_net;
};

struct sock {
	struct sock_common __sk_common;
};

struct tcp_sock {
	__u32 snd_cwnd;
	__u32 snd_ssthresh;
	__u32 srtt_us;
	__u32 snd_nxt;
	__u32 snd_una;
	__u32 snd_wnd;
	__u32 rcv_wnd;
	__u32 packets_out;
	__u32 total_retrans;
};

#pragma clang attribute pop

enum event { RECEIVED, RETRANSMITTED, STATE };

// Eight-byte fields first, so that no compiler puts anything between them; probe.py reads it.
struct record {
	__u64 time_ns;
	__u32 event;
	__u32 ns;
	__u32 local_port;
	__u32 remote_port;
	__u32 cwnd;
	__u32 ssthresh;
	__u32 srtt_us;
	__u32 snd_nxt;
	__u32 snd_una;
	__u32 snd_wnd;
	__u32 rcv_wnd;
	__u32 packets_out;
	__u32 total_retrans;
	__u32 state;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} records SEC(".maps");

// The number of records that did not fit into the ring.
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} lost SEC(".maps");

static void count_lost(void)
{
	__u32 first = 0;
	__u64 *count = bpf_map_lookup_elem(&lost, &first);

	if (count)
		__sync_fetch_and_add(count, 1);
}

static int record(struct sock *sk, __u32 event, __u32 state)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u32 ns = BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
	struct record *to;

	if (ns != SERVER_NS && ns != CORE_NS && ns != PHONE_NS)
		return 0;
	if (BPF_CORE_READ(sk, __sk_common.skc_family) != AF_INET)
		return 0;
	to = bpf_ringbuf_reserve(&records, sizeof(*to), 0);
	if (!to) {
		count_lost();
		return 0;
	}
	to->time_ns = bpf_ktime_get_ns();
	to->event = event;
	to->ns = ns;
	to->local_port = BPF_CORE_READ(sk, __sk_common.skc_num);
	to->remote_port = __builtin_bswap16(BPF_CORE_READ(sk, __sk_common.skc_dport));
	to->cwnd = BPF_CORE_READ(tp, snd_cwnd);
	to->ssthresh = BPF_CORE_READ(tp, snd_ssthresh);
	// The kernel keeps eight times the smoothed round trip.
	to->srtt_us = BPF_CORE_READ(tp, srtt_us) >> 3;
	to->snd_nxt = BPF_CORE_READ(tp, snd_nxt);
	to->snd_una = BPF_CORE_READ(tp, snd_una);
	to->snd_wnd = BPF_CORE_READ(tp, snd_wnd);
	to->rcv_wnd = BPF_CORE_READ(tp, rcv_wnd);
	to->packets_out = BPF_CORE_READ(tp, packets_out);
	to->total_retrans = BPF_CORE_READ(tp, total_retrans);
	to->state = state;
	bpf_ringbuf_submit(to, 0);
	return 0;
}

SEC("raw_tp/tcp_probe")
int received(struct bpf_raw_tracepoint_args *args)
{
	return record((struct sock *)args->args[0], RECEIVED, 0);
}

SEC("raw_tp/tcp_retransmit_skb")
int retransmitted(struct bpf_raw_tracepoint_args *args)
{
	return record((struct sock *)args->args[0], RETRANSMITTED, 0);
}

SEC("raw_tp/tcp_cong_state_set")
int state(struct bpf_raw_tracepoint_args *args)
{
	return record((struct sock *)args->args[0], STATE, (__u8)args->args[1]);
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
