// Package twin gives the components of packages hw and nic the ports of their Verilog, so
// that the two can be compared, and RTL can take a component's place.
//
//	Twin --New(parameters)--> Model (a cosim.Device)
//	     --WriteSources-----> Verilog
//	     --Mutants----------> Verilog with a mistake, which lockstep has to find
//
//	file            what it holds
//	twin.go         Twin, Parameters, Mistake; mutants.go: Mutant; all.go: All
//	model.go        Model: one element of a component with the ports of its hw.Site
//	coupler.go, link.go, light_tap.go, duplex_link.go, fifo.go, credit_counter.go, lfsr.go, arbiter.go,
//	list_allocator.go, cap_arbiter.go, contention.go, coin.go, output_filter.go, output_port.go,
//	crosspoint.go, bus.go, vc_router.go, crc16.go, serialiser.go, requester.go, deserialiser.go
//	                one component each: parameters to test, inputs as in use, mutants; its
//	                ports are its own
//	vc_router_keep.go, vc_router_where.go    rules of a router's neighbours; port and VC of what differs
//	circuit.go      circuit: what is not a part of any machine: free_arbiter.go, stream.go (stream_fifo, skid_buffer,
//	                register_slice), counter.go, delay_line.go, async_fifo.go
//	slots.go        slots: inputs of what matches the ports of a crossbar
//	random.go, traffic.go      Random: draws; what circuits encounter in use
//	event.go        Event: what the ports of a model can do together, for coverage; cover.go: those of strobes,
//	                grants and slots
//	schedule.go     Schedule: resets and phases of a run's inputs; stimulate.go: a model's inputs by it
//	pulses.go       Pulses: a bit for each number of each lane in the place of a number
//	redraw.go       other inputs for a cycle, where a contract excludes those that were drawn
//	observe.go      Observed: ports and registers of a model; phase.go: Phase, Phaser: inputs that are put together as it goes
//	assertion_test.go          a mistake for every assertion in the Verilog
//	testdata/twins  every twin with its first parameters as wasm: lockstep without any tool
//
// All lists the components. A fabric may bring twins of its own, with their Verilog
// (Twin.Own): callers pass a list of twins.
package twin
