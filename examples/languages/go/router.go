//go:build wasip1

// Routes a permutation on POPS(d,g) with acknowledgements. Time is divided into rounds of two slots. In round r,
// group r mod g has its turn: all processors listen to it in the first slot, and each of its processors with an
// undelivered packet sends with probability 1/odds. The receiver of a packet acknowledges it in the second slot.
// Acknowledgements cannot collide, since a coupler delivers at most one packet.
package main

// Parameters as name=default, and names of the probes.
var (
	params = []string{"odds=2"}
	probes = []string{"sent"}
)

// State of this processor.
var state struct {
	acknowledged bool   // its packet has arrived
	received     bool   // it has received its packet
	sent         uint64 // number of times it sent its packet
}

// Size of POPS(d,g): shape words 0 and 1.
func groups(nic *NIC) uint32    { return nic.Shape(0) }
func groupSize(nic *NIC) uint32 { return nic.Shape(1) }

func onStart(nic *NIC) { nic.Listen(PortNone) }

// dataSlot is the first slot of a round: it may send the packet.
func dataSlot(nic *NIC, turn uint32) {
	if frame := nic.Receive(); frame != nil && frame.Kind == KindAck && frame.Destination == nic.Self() {
		state.acknowledged = true
		nic.Log("acknowledged")
	}
	nic.Listen(turn)
	if nic.Self()/groupSize(nic) != turn || state.acknowledged {
		return
	}
	if nic.RandomBelow(uint32(nic.Param(0))) != 0 {
		return
	}
	packet := Packet{Origin: nic.Self(), Destination: nic.Workload()}
	nic.SendPacket(packet.Destination/groupSize(nic), packet.Destination, packet)
	state.sent++
	nic.Probe(0, state.sent)
}

// ackSlot is the second slot of a round: it acknowledges a packet received in the first.
func ackSlot(nic *NIC, turn uint32) {
	if frame := nic.Receive(); frame != nil && frame.Kind == KindData && frame.Destination == nic.Self() {
		state.received = true
		nic.SendAck(turn, frame.Source)
	}
	port := uint32(PortNone)
	if nic.Self()/groupSize(nic) == turn && !state.acknowledged {
		port = nic.Workload() / groupSize(nic)
	}
	nic.Listen(port)
}

func onSlot(nic *NIC) {
	turn := nic.Slot() / 2 % groups(nic)
	if nic.Slot()%2 == 0 {
		dataSlot(nic, turn)
	} else {
		ackSlot(nic, turn)
	}
	if state.acknowledged && state.received {
		nic.Done()
	}
}
