// Package gossip computes permutation-driven gossip on a crossbar: V. De Florio and C. Blondia, "The Algorithm of
// Pipelined Gossiping". Every processor owns one value and sends it to all others. Processor i receives i messages,
// then sends in the order of its row of Orders, waiting for each addressee, then receives the rest.
//
//	step        1   2   3   4   5   6   7
//	0           S1  S2  S3  R1  R2  R3  -      a run-table of N = 3:
//	1           R0  S3  S2  S0  R3  R2  -      Sent to, Received from,
//	2           -   R0  R1  S3  S0  S1  R3     ~ blocked, - idle
//	3           -   R1  R0  R2  S1  S0  S2
//	used slots  2   4   4   4   4   4   2      lambda = 7, mu = 24/7, epsilon = 6/7
//
// N is the paper's: the largest id, at least 1; processors are 0 to N. Steps count from 1, columns from 0. The
// package runs neither hardware nor firmware.
package gossip
