// Package emulator implements the machine: processors with firmware, NICs and the fabric, stepped slot by slot.
//
// A Machine has three parts: built (constant), running (state: reset, saved, restored) and observers (which do not
// change results).
//
//	Config, Options --New--> built --load--> running --Step, Run--> Report
//
// A slot crosses the fabric; in its last cycle the boundary runs, shard by shard and, in each bank, window by window:
//
//	        transport                 instances                     ledger             transport
//	Cross ----> hear ----> choose ----> call ----> settle -------------> send ----> Latch ----> Cross
//	slot n-1    slot n-1   called       on_slot    costs, queues,        slot n     the edge    slot n
//	                       cells                   listening
//
// If sources learn of arrivals at once, all windows hear before the first window chooses. After all shards have run,
// merge combines their observations. An interrupted boundary is discarded: the run ends with the previous boundary.
package emulator
