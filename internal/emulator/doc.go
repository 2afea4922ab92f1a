// Package emulator is the machine: processors with their firmware, NICs and the fabric, stepped slot by slot.
//
// A Machine is three things: what is built and then stays (built), what runs and is reset, saved and restored
// (running), and who observes without changing a result (observers).
//
//	Config, Options --New--> built --load--> running --Step, Run--> Report
//
// A slot crosses the fabric; in its last cycle the boundary runs, shard by shard and, in each bank, window by window:
//
//	        transport                 instances                     ledger             transport
//	Cross ----> hear ----> choose ----> call ----> settle -------------> send ----> Latch ----> Cross
//	slot n-1    slot n-1   who is       on_slot    costs, queues,        slot n     the edge    slot n
//	            is told    called                  who listens
//
// Where sources learn at once what has arrived, all windows hear before the first one chooses. After all shards,
// merge adds up what they have seen; a boundary that is stopped in its middle is dropped: the run has ended with
// the one before.
package emulator
