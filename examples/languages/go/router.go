//go:build wasip1

// Routes a permutation on POPS(d,g) with acknowledgements. Time goes in rounds of two
// slots. In round r the group r mod g has its turn: all processors hear it in the first
// slot, and each of its processors whose packet has not arrived sends with probability
// 1/odds. Who has received a packet acknowledges it in the second slot. Acknowledgements
// cannot collide: a coupler has brought one packet at most.
package main

// Parameters as name=default, and the names of the probes.
var (
	params = []string{"odds=2"}
	probes = []string{"sent"}
)

// All state of this processor.
var state struct {
	acknowledged bool   // the own packet has arrived
	received     bool   // the packet for this processor is here
	sent         uint64 // times the own packet was sent
}

// The size of POPS(d,g): shape words 0 and 1.
func groups(nic *NIC) uint32    { return nic.Shape(0) }
func groupSize(nic *NIC) uint32 { return nic.Shape(1) }

func onStart(nic *NIC) { nic.Listen(PortNone) }

// dataSlot is the first slot of a round: perhaps send the own packet.
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

// ackSlot is the second slot of a round: acknowledge what the first has brought.
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
