// Package stream is the cycle engine of processors at routers: their NICs send and receive flit by flit.
//
//	file               what it holds
//	stream.go          Stream: the Transport, with a row for each frame, and latencies; taken.go: which frames of TX FIFOs it has
//	joint.go           Joint: a Plant and a Stream whose cycles run together; flying.go: what is on its way at a boundary
//	knots.go           frames that wait for one another; order.go: which have come in order
//	router_faults.go   what faults do to channels and routers, what stands; faults.go: to frames
//	channel_loads.go   flits that have crossed the channels between routers
package stream
