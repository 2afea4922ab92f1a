// Package traffic offers packets to firmware, follows them and measures their latency: the workload traffic, on every
// fabric. Packets are a function of workload, seed and processor alone; firmware carries them.
//
//	draws --> sources --word of the schedule--> firmware --frames--> referee --> figures
//	          (cursors)  <------cleared--------                     (flights)     log
//
// Time counts in slots, in a streaming network in cycles. A packet is created at the beginning of a slot and offered
// at the first boundary from then on, one at a time: until the word of a source is cleared, newer packets wait. The
// queue consists of two cursors, at the next packet to create and at the next packet to offer, so its memory does not
// depend on its length: packets are drawn again when the second cursor passes them.
package traffic
