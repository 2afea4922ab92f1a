//go:build wasip1

// As talks.c.
package main

var (
	params []string
	probes []string
)

var hash uint32

func add(value uint32) { hash = hash*31 + value }

func onStart(nic *NIC) { hash = nic.Ports() }

func onSlot(nic *NIC) {
	for port := range nic.Ports() {
		add(uint32(nic.StatusOf(port)))
	}
	for frame := nic.Receive(); frame != nil; frame = nic.Receive() {
		add(uint32(frame.Tag) + uint32(frame.Kind) + uint32(frame.Port))
		for _, b := range frame.Payload() {
			add(uint32(b))
		}
	}
	for k := range 2 * nic.Ports() {
		if nic.Slot() >= 5 {
			break
		}
		port, room := k/2, nic.TxFree()
		payload := make([]byte, (nic.Self()+port)%9)
		for i := range payload {
			payload[i] = byte(hash >> i)
		}
		sent := nic.Send(port, (nic.Slot()+port)%3, Any, uint16(hash), payload)
		add(uint32(2 * room))
		if sent {
			hash++
		}
	}
	nic.Result(nic.Slot()%3, uint64(hash))
	if nic.Slot() == 5 {
		nic.Deliver(nic.Self())
	}
	if nic.Slot() == 6 {
		nic.Done()
	}
}
