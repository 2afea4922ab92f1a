// Package traffic offers packets to firmware, follows them, and measures how long they take: the workload
// traffic, on every fabric. What is sent is a function of workload, seed and processor alone; carrying it is
// the firmware's.
//
//	draws --> sources --word of the schedule--> firmware --frames--> referee --> figures
//	          (cursors)  <------cleared--------                     (flights)     log
//
// Time counts in slots, in a streaming network in cycles. A packet is created at the beginning of a slot, and is
// offered at the first boundary not before that, one at a time: while the word of a source is not cleared,
// the packets created since wait. The queue is two cursors, at what is created next and at what is offered
// next, so that it takes the same memory whatever its length: what the second one passes is drawn again.
package traffic
