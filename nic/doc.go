// Package nic is the network interface of a processor: frames, buffers and the
// registers that firmware sees.
//
//	 firmware              NIC                                    fabric
//	 handler  --TX FIFO--> Bank.TxHead --wire format--> Serialisers ----> light
//	          <-RX FIFO--- Bank.PushRx <-wire format--- Deserialisers <-- light
//
//	file               what it holds
//	registermap.go     the register map, the one source of:
//	registers_gen.go     the Go constants (generated)
//	REGISTERS.md         the documentation (generated)
//	                     ../firmware/sdk/starloom_registers.h, ../cosim/rtl/starloom_registers.vh
//	discipline.go      how NICs get at their media
//	bank.go            the host's view of a bank of processors: its columns
//	attach.go          where the columns are: the descriptor, checked; reset
//	transmit.go        the host's side of the TX FIFOs; frames that may not be sent
//	receive.go         the host's side of the RX FIFOs, the listening table
//	frameview.go       a frame in a FIFO
//	awake.go           whose handlers are to be called
//	classes.go         lanes of a NIC some of which ask before they send
//	stirred.go         the same where most sleep
//	smallframe.go      frames that carry at most a packet, as words
//	place.go           the handler's side of it, for firmware in Go
//	owner.go           what in the firmware's memory is whose
//	cell.go            one processor, copied out of its bank and back
//	parked.go          processors that sleep, without a bank
//	state.go           frames in a saved state
//	takeback.go        what a handler that takes too long has told its NIC is dropped
//	faulty.go          what faults do to one processor: silence, restarts, smaller FIFOs
//	frame.go           the wire format
//	crc.go             CRC-16/CCITT-FALSE
//	timing.go          the shape of a slot
//	status.go          what a receiver says
//	serialiser.go      bank of transmitters: frames to phits
//	deserialiser.go    bank of receivers: phits to frames
//	foreseen.go        frames that arrive with their first phit
//	serialiser_site.go, deserialiser_site.go   their ports, for RTL
//	decode.go          frames out of the phits of a waveform
//	layer.go           the gopacket layers of a capture
//	dissector.go       the Wireshark dissector, generated from the frame definition
//	meanings.go        what receive statuses mean, from metrics.yaml
package nic
