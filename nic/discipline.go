package nic

import (
	"fmt"

	"starloom/hw"
)

// Discipline describes how NICs access their media. The zero value is a NIC that sends to one port, or one frame to
// all ports, and hears one port.
type Discipline struct {
	AllPorts  bool // the NIC sends and receives on all 1..LanesMax ports at once
	Asks      bool // the NIC repeats a request until it is served, and sends only then
	Addressed bool // every frame has a destination and goes to the destination's output
	ListWords int  // length of the request list in words of each processor's ROM, 0 for none
	// ports of each processor, which has one switch for all of them; nil if all processors have Ports ports
	Taps    *hw.Taps
	Own     *Own     // processors with individual ports; nil if all processors have the same ports
	Classes *Classes // with AllPorts: classes of lanes; nil if no lane asks
}

// Own describes the ports of NICs with different numbers of ports.
type Own struct {
	Ports []uint16 // number of ports of each processor
	// by processor and port, in rows of the maximum number of ports: the port only receives; nil if all ports send
	Mute []bool
	all  int // largest number of ports
}

// NewOwn returns the ports of processors. most is the maximum number of ports of a processor.
func NewOwn(ports []uint16, mute []bool, most int) *Own { return &Own{ports, mute, most} }

// Sends reports whether a processor can send from a port, or for PortAll from any port.
func (o *Own) Sends(processor int, port uint16) bool {
	if port == PortAll {
		for p := range o.Ports[processor] {
			if o.Sends(processor, p) {
				return true
			}
		}
		return false
	}
	return port < o.Ports[processor] && (o.Mute == nil || !o.Mute[processor*o.all+int(port)])
}

// Lanes returns the number of ports at which a NIC sends and receives in one slot.
func (d *Discipline) Lanes(ports int) int {
	if d.AllPorts {
		return ports
	}
	return 1
}

// CheckSent returns an error if a transmitter cannot be switched to a port. Legal ports are PortNone and the ports
// below outputs or, with taps, below the number of taps of the NIC. PortAll is legal only without taps.
func (d *Discipline) CheckSent(transmitter int, port uint16, outputs int) error {
	if d.Taps != nil {
		outputs = len(d.Taps.Bus[transmitter])
	}
	if d.Own != nil && !d.AllPorts && port != 0 && port != PortNone && !d.Own.Sends(transmitter, port) {
		return fmt.Errorf("transmitter %d sends to port %d, which has no outgoing path", transmitter, port)
	}
	if port == 0 || int(port) < outputs || port == PortNone || port == PortAll && d.Taps == nil {
		return nil
	}
	return fmt.Errorf("transmitter %d sends to port %d of %d", transmitter, port, outputs)
}
