package nic

import (
	"fmt"

	"starloom/hw"
)

// Discipline is how NICs get at their media, as far as a bank of processors has to know it. The
// zero value sends to one port, or one frame to all, and hears one.
type Discipline struct {
	AllPorts  bool     // the NIC sends and receives at all ports at once, 1..LanesMax of them
	Asks      bool     // the NIC asks before it sends, again and again until it is served
	Addressed bool     // a frame goes to the output of its destination: it must have one
	ListWords int      // of each processor's ROM that are its request list, 0 for none
	Taps      *hw.Taps // the ports of each processor, of which its one switch is at one; nil: all have Ports
	Own       *Own     // processors whose ports are not all the same; nil: they are
	Classes   *Classes // with AllPorts: lanes some of which ask; nil: none does
}

// Own are the ports of NICs that differ in how many they have.
type Own struct {
	Ports []uint16 // of each processor
	Mute  []bool   // by processor and port, as many for each as the most: no way leads out, the port only hears; nil: out of all
	all   int      // the most
}

// NewOwn returns those of processors; most is how many ports a processor has at most.
func NewOwn(ports []uint16, mute []bool, most int) *Own { return &Own{ports, mute, most} }

// Sends reports whether a way leads out of a port of a processor; of PortAll, out of any.
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

// Lanes returns at how many of its ports a NIC sends and receives in one slot.
func (d *Discipline) Lanes(ports int) int {
	if d.AllPorts {
		return ports
	}
	return 1
}

// CheckSent says what is wrong with a port that a transmitter is said to send to, PortNone for none.
// It can be switched to outputs of them, or as many as its NIC has taps, but not to all of those.
func (d *Discipline) CheckSent(transmitter int, port uint16, outputs int) error {
	if d.Taps != nil {
		outputs = len(d.Taps.Bus[transmitter])
	}
	if d.Own != nil && !d.AllPorts && port != 0 && port != PortNone && !d.Own.Sends(transmitter, port) {
		return fmt.Errorf("transmitter %d sends to port %d, of which no way leads out", transmitter, port)
	}
	if port == 0 || int(port) < outputs || port == PortNone || port == PortAll && d.Taps == nil {
		return nil
	}
	return fmt.Errorf("transmitter %d sends to port %d of %d", transmitter, port, outputs)
}
