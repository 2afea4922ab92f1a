// Package favour is a kind of arbiter outside package hw, built by the guide docs/how-to/add-an-arbiter.md.
package favour

import (
	"embed"

	"starloom/hw"
)

// Favour is an arbiter that grants requester 0 before all others, and the others in turn. They starve while requester
// 0 always asks.
const Favour hw.ArbiterKind = 100

//go:embed arbiter_favour.v
var rtl embed.FS

func init() {
	hw.RegisterArbiter(Favour, hw.ArbiterSpec{
		Name: "favour", Does: "requester 0, else the next requester after the last one granted",
		Uses: hw.ForBuses | hw.ForSchedules | hw.ForOutputs | hw.ForQueues,
		New:  newFavour,
		RTL:  rtl,
		Mutants: []hw.Mistake{
			{Name: "the favourite waits for its turn", Old: "request_i[0] ? ONE :", New: "request_i[0] && ~|after ? ONE :"},
			{Name: "the favourite moves the turn", Old: "else if (free && |(choice & ~ONE))", New: "else if (free && |choice)"},
			{Name: "winner stays first", Old: "~(choice | (choice - ONE))", New: "~(choice - ONE)"},
		},
	})
}

type favour struct {
	hw.ArbiterShape
	hw.Forgetful
	first []uint16 // by arbiter: first of the other requesters
}

func newFavour(s hw.ArbiterShape) hw.Arbitration {
	return &favour{ArbiterShape: s, first: make([]uint16, s.Arbiters)}
}

// Rank returns 0 for requester 0, 1 for requesters from first on, 2 for the rest.
func (f *favour) Rank(_ int, asks []hw.Request, ranks []uint64) {
	for k, q := range asks {
		switch {
		case q.Requester == 0:
			ranks[k] = 0
		case q.Requester >= uint32(f.first[q.Arbiter]):
			ranks[k] = 1
		default:
			ranks[k] = 2
		}
	}
}

// Granted makes the requester after the granted one the first.
func (f *favour) Granted(arbiter, requester uint32) {
	if requester != 0 {
		f.first[arbiter] = uint16((int(requester) + 1) % f.Requesters)
	}
}

// Memory declares the column first.
func (f *favour) Memory() hw.Declaration {
	return hw.Declaration{Registers: []hw.Register{hw.Column("first", f.first, hw.AtMost(uint16(f.Requesters-1)))}}
}
