// What every congestion control of the testbed needs: the kernel's types, its name, its licence.
//
// The types have the fields that are read alone; the loader finds where they lie in the running
// kernel (BTF, "compile once, run everywhere"). Functions that a control does not set stay empty.

#pragma once

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

// A control is compiled when a run begins, with -DNAME=..., its name in the kernel.
#define STRING(name) #name
#define QUOTED(name) STRING(name)

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock {
	__u16 sk_type;
};

struct inet_connection_sock {
	__u64 icsk_ca_priv[13];
};

struct tcp_sock {
	__u32 snd_cwnd;
	__u32 mss_cache;
	__u32 delivered;
	__u64 tcp_mstamp;
};

struct ack_sample {
	__u32 pkts_acked;
	__s32 rtt_us;
	__u32 in_flight;
};

enum tcp_ca_event {
	CA_EVENT_TX_START,
	CA_EVENT_CWND_RESTART,
};

struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	void (*set_state)(struct sock *sk, __u8 new_state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	__u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
	void (*init)(struct sock *sk);
};

#pragma clang attribute pop

extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
