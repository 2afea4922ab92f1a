// Package gossip computes gossip in complete bus networks cbn(n,l): S. Fujita, C. Laforest and S. Perennes, "A Gossip
// Algorithm for Bus Networks with Buses of Limited Length". Every vertex has one item and must learn all items. Any 2
// to l vertices are a bus. In a step a vertex is on at most one bus, on which one member sends everything it knew
// when the step began, and the others receive it.
//
//	step   1   2   3   4      a run-table of n = 4, l = 2: the columns are the vertices
//	0      R0  S0  S2  R2     0, 1 and 2, 3; Sent and Received on a bus, of which there
//	1      S0  R0  R3  S3     are 0 {0,1}, 1 {2,3}, 2 {0,3} and 3 {1,2}. Phase 1 takes
//	2      R1  S1  S3  R3     steps 1 and 2, phase 2 steps 3 and 4
//	3      S1  R1  R2  S2
//
// n is the number of vertices, l the length of a bus with its sender, at least 2. With q = n/l rounded down, vertex
// (i,j), line i of column j, is j*l+i, and the r = n-q*l left-over vertices are last. Steps count from 1, times from
// 0: time t is after the t-th step of phase 2. The package runs neither hardware nor firmware.
package gossip
