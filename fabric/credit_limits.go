package fabric

import (
	_ "embed"
	"encoding/json"

	"starloom/hw"
)

// creditLimitsSource is this file, whose comments describe keys of a scenario.
//
//go:embed credit_limits.go
var creditLimitsSource string

// CreditLimits are the credits of every port. In a scenario depth alone may stand for all:
// credits: 2. The round trip is that of a frame which its receiver takes at once: so many credits
// keep a link busy. A resynchronisation restores the credits of frames that were never seen.
type CreditLimits struct {
	// frames of a port not taken out of its receiver's FIFO
	Depth int `json:"depth" jsonschema:"required,minimum=1,maximum=255"`
	// slots from a frame to the next by its credit; default 2
	RoundTripSlots int `json:"round_trip_slots,omitempty" jsonschema:"minimum=2,maximum=64"`
	// slots between resynchronisations of credits; 0 for never (default)
	ResyncSlots uint32 `json:"resync_slots,omitempty"`
}

func (CreditLimits) Declaration() string { return creditLimitsSource }

// RoundTripMin is the shortest round trip: a slot to the receiver, and a credit counts from the
// boundary after the one at which it is given back.
const RoundTripMin = 2

func (CreditLimits) Short() (key, description string) {
	return "depth", "how many frames a port may have on its link and at the receiver (default: so many that it never waits). " +
		"A credit comes back when the receiver takes the frame out of its FIFO, or at once after a collision, a CRC error, " +
		"an overflow or where no one listens; a frame that its receiver never sees (faults drop, stuck and dead) " +
		"takes its credit with it, until a resynchronisation"
}

// Shorthand is an object of a scenario for which the value of one key may stand.
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

// Settled are the limits with what a scenario leaves open.
func (l CreditLimits) Settled() CreditLimits {
	l.RoundTripSlots = l.RoundTrip()
	return l
}

// RoundTrip is RoundTripSlots, or the shortest one if that is not said.
func (l *CreditLimits) RoundTrip() int { return max(l.RoundTripSlots, RoundTripMin) }

// Bytes is what the credits of a network take.
func (l *CreditLimits) Bytes(processors, ports int) uint64 {
	port := 4 + 2 + 1 + hw.CreditCounterBytes // from, sent, lost
	if ways := l.RoundTrip() - 1; ways > 1 {
		port += ways
	}
	return uint64(processors) * (FIFOMax + 1 + uint64(ports)*uint64(port))
}

// FIFOMax is the largest RX FIFO of a NIC.
const FIFOMax = 255

// CreditPlan is which ports of a network have credits: all of them the same, or some. The zero value is none.
type CreditPlan struct {
	All  *CreditLimits // nil unless every port has credits
	Some []PortCredits // in ascending order of ports
}

// Any reports whether a port has credits.
func (p *CreditPlan) Any() bool { return p.All != nil || len(p.Some) > 0 }

// PortCredits are the credits of one port. What it sends has one hearer.
type PortCredits struct {
	Port uint32 // processor*Shape.Ports + port
	CreditLimits
}
