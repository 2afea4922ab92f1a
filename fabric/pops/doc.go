// Package pops is POPS(d,g), the partitioned optical passive star network of A. Mei and R. Rizzi, "On-Line
// Permutation Routing in Partitioned Optical Passive Star Networks": d processors in each of g groups, and a star
// coupler from every group to every group.
//
//	group a                    coupler (a,b)              group b
//	transmitter, any port b -> light of all d meets -> fibre -> receiver, any port a
package pops
