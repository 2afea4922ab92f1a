// Package picture draws a run: what is wired to what, how media are used over time, what each processor does over
// time, how long packets take.
//
//	machine --what each shard sees--> Collector --> Heat, Timeline, Latency --SVG--> bytes
//	network ----------------------------------------> Topology -------------/
//
// What is drawn is plain data, and the same data gives the same bytes. Pictures stay small whatever the run: time
// is cut into columns, which become wider as the run goes on; media side by side share a row; of many processors
// some are drawn. A note says what is left out.
package picture
