// Package netlist is any network, as somebody has drawn it: processors, links, stars, buses and crossbars, or
// routers, from a file or from Go.
//
//	YAML --read--> Drawing --Net--> Net: everything numbered --+- Shape, Names, wiring: the slot engine
//	New(...).Processors(...).Link(...) --^                      +- Build: the hardware of the cycle engine
//
//	file         what it holds
//	network.go   Network: the keys of a scenario
//	read.go      reads them; reader.go: and goes on after a mistake; read_nodes.go: nodes; read_routes.go: tables of routes; mistakes.go:
//	             all of them at once; unsure.go: what they leave unknown
//	drawing.go   Drawing: nodes and links with ranges; ranges.go: what a range stands for; size.go: how much, by arithmetic; limits.go: the most
//	plan.go      Plan: mesh, torus, ring, tree, hypercube; expand.go: as nodes and links; places.go: in a picture
//	nodes.go     entries of a drawing; shared_keys.go: the keys of buses and crossbars
//	node_rtl.go  RTL: what stands in the place of a node; read_rtl.go: reads it
//	draw.go      numbers nodes and media; draw_ports.go: ports; number.go: step by step; draw_shared.go: what buses and crossbars serve; check.go:
//	             what is missing; align
//	net.go       Net: sizes, names; net_shared.go: its buses and crossbars
//	hardware.go  media in the cycle engine
//	rom.go       what firmware reads: ports, neighbours, ways; write.go: a netlist as text, YAML, DOT; write_shared.go: its buses and
//	             crossbars; write_routers.go: its routers
//	programs.go  what is known of the programs; example.go: a small scenario
//	run_table.go who sent to whom in each slot
//	sketch.go    where a picture has processors and stars; spread.go: so that distances are those along links
//	anynet.go    graphs in the format of BookSim's anynet; graphml.go: in GraphML; xml.go: as a tree
//	routes.go    ways that a drawing says; follow.go: hop by hop
//	credits.go   frames of a link that its receiver has not taken
//	hash.go      what a netlist is known by
//	routers.go   networks of routers: mesh, torus, ring, dragonfly, fly, anynet; draw_routers.go: of nodes; draw_beside.go: with media
//	draw_mixed.go  ports of a node that have names at some links and numbers at others
//	             beside them; router_keys.go: Router, Fly
//	routed.go    routers while they are drawn; router_routes.go: shortest ways, datelines, tables
//	deadlock.go  cycles that packets of routers may wait around
//	study.go     the study of routers: networks, latencies of the empty ones; study_runs.go: traffic, bounds, curves
//	header.go    names and numbers for firmware in C
//	of.go        the netlist of another network
package netlist
