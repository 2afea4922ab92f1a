// Package picture draws a run: what is wired to what, how media are used over time, what each processor does over
// time, how long packets take.
//
//	machine --what each shard sees--> Collector --> Heat, Timeline, Latency --SVG--> bytes
//	network ----------------------------------------> Topology -------------/
//
// What is drawn is plain data, and the same data gives the same bytes. Pictures stay small whatever the run: time
// is cut into columns, which become wider as the run goes on; media side by side share a row; of many processors
// some are drawn. A note says what is left out.
//
//	file          what it holds
//	picture.go    the kinds of pictures
//	collect.go    Collector: what shards see, slot by slot; series.go: sums over time in columns
//	heat.go       Heat: media over time
//	timeline.go   Timeline: what processors do over time
//	latency.go    Latency: how long packets or frames take; waiting.go: since when frames wait
//	topology.go   Topology: processors, media, and who drives and hears what; topology_svg.go: how that is drawn
//	routers.go    Topology of routers, with the loads of channels; channels.go: Channels: bare packets over time
//	sketch.go     Topology of a network that says where everything is; loads.go: how many frames media had
package picture
