// Package referees has the referees of packets that networks share, and what follows packets and frames beside them.
//
//	file           what it holds
//	packets.go     the referee of packets, announced deliveries included
//	told.go        the referee of a packet of each processor for all others
//	held.go        packets that processors hold, as frames show it
//	queues.go      how long a frame has waited; lost.go: why it was lost
package referees
