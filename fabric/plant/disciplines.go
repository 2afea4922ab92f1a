package plant

import (
	"fmt"

	"starloom/fabric"
)

// Accessible is a discipline of another package that has its own part of a plant.
type Accessible interface {
	fabric.Discipline
	// Access is called before the network builds its media.
	Access(p *Front) (Access, error)
}

func accessOf(d fabric.Discipline, p *Front) (Access, error) {
	switch d := d.(type) {
	case fabric.OnePort:
		return &onePort{front: p, wiring: d.Wiring}, nil
	case fabric.AllPorts:
		return &allPorts{front: p, of: d}, nil
	case fabric.Addressed:
		return &addressed{onePort: onePort{front: p}, requests: newRequests(p), of: d}, nil
	case fabric.Switched:
		s := newSwitched(d, p)
		return &s, nil
	case fabric.Arbitrated:
		return &arbitrated{switched: newSwitched(d.Switched, p), requests: newRequests(p)}, nil
	case fabric.Mixed:
		return newMixed(d, p), nil
	case Accessible:
		return d.Access(p)
	}
	return nil, fmt.Errorf("%s: the cycle engine does not know the discipline %T of its NICs; "+
		"a discipline from another package must implement plant.Accessible", p.kind, d)
}
