package fabric

import (
	_ "embed"
	"encoding/json"

	"starloom/hw"
)

// creditLimitsSource is this file: its comments describe keys of a scenario.
//
//go:embed credit_limits.go
var creditLimitsSource string

// CreditLimits are the credits of each port. In a scenario, credits: 2 sets the depth alone. A depth equal to the
// round trip keeps a link busy if the receiver takes each frame at once. A resynchronisation restores the credits of
// lost frames.
type CreditLimits struct {
	// maximum number of a port's frames on its link and in its receiver's FIFO
	Depth int `json:"depth" jsonschema:"required,minimum=1,maximum=255"`
	// slots until a port can reuse the credit of a frame; default 2
	RoundTripSlots int `json:"round_trip_slots,omitempty" jsonschema:"minimum=2,maximum=64"`
	// slots between resynchronisations of credits; 0 for never (default)
	ResyncSlots uint32 `json:"resync_slots,omitempty"`
}

func (CreditLimits) Declaration() string { return creditLimitsSource }

// RoundTripMin is the minimum round trip in slots: one slot for the frame to the receiver, and one for the credit,
// which counts from the boundary after its return.
const RoundTripMin = 2

func (CreditLimits) Short() (key, description string) {
	return "depth", "maximum number of a port's frames on its link and at the receiver (default: enough that it never " +
		"waits). " +
		"A credit comes back when the receiver takes the frame out of its FIFO, or at once after a collision, a CRC error, " +
		"an overflow or where no one listens; a frame that its receiver never sees (faults drop, stuck and dead) " +
		"takes its credit with it, until a resynchronisation"
}

// Shorthand is an object of a scenario that may be written as the value of one of its keys.
type Shorthand interface {
	Short() (key, description string)
}

func (l CreditLimits) MarshalJSON() ([]byte, error) {
	if l.RoundTrip() == RoundTripMin && l.ResyncSlots == 0 {
		return json.Marshal(l.Depth)
	}
	type plain CreditLimits
	return json.Marshal(plain(l))
}

// Settled returns the limits with defaults filled in.
func (l CreditLimits) Settled() CreditLimits {
	l.RoundTripSlots = l.RoundTrip()
	return l
}

// RoundTrip returns RoundTripSlots, but at least RoundTripMin.
func (l *CreditLimits) RoundTrip() int { return max(l.RoundTripSlots, RoundTripMin) }

// Bytes returns the memory of a network's credits.
func (l *CreditLimits) Bytes(processors, ports int) uint64 {
	port := 4 + 2 + 1 + hw.CreditCounterBytes // one element each of from, sent and lost
	if ways := l.RoundTrip() - 1; ways > 1 {
		port += ways
	}
	return uint64(processors) * (FIFOMax + 1 + uint64(ports)*uint64(port))
}

// FIFOMax is the maximum RX FIFO of a NIC in frames.
const FIFOMax = 255

// CreditPlan selects the ports with credits. The zero value selects no port.
type CreditPlan struct {
	All  *CreditLimits // equal credits on every port, or nil
	Some []PortCredits // ascending by port
}

// Any reports whether some port has credits.
func (p *CreditPlan) Any() bool { return p.All != nil || len(p.Some) > 0 }

// PortCredits are the credits of one port. Exactly one port must hear the port.
type PortCredits struct {
	Port uint32 // processor*Shape.Ports + port
	CreditLimits
}
