package hw

// Asks is a bank of request wires of transmitters: each asks for an output, with a tag, or is
// low. It is kept as a list of those that are high, so that a cycle costs what is asked. Like
// Light it is a wire and no state: its driver's shard calls Clear and then Raise in its own
// phase of every cycle.
type Asks struct {
	path string
	high [][]uint32 // by shard

	// Of those that are high, and of transmitters that still send what they have asked for.
	To  []uint16 // the output, PortNone for whom a list says
	Tag []uint16
}

// NewAsks returns a bank of wires that are all low.
func NewAsks(bank Bank, name string, shards int) *Asks {
	return &Asks{path: Join(bank.Path(), name), high: make([][]uint32, shards), To: make([]uint16, bank.Size()), Tag: make([]uint16, bank.Size())}
}

func (a *Asks) Path() string { return a.path }

func (a *Asks) Clear(shard int) { a.high[shard] = a.high[shard][:0] }

// Raise makes a transmitter ask.
func (a *Asks) Raise(shard int, transmitter uint32, to, tag uint16) {
	a.To[transmitter], a.Tag[transmitter] = to, tag
	a.high[shard] = append(a.high[shard], transmitter)
}

// High returns the transmitters of a shard that ask, in the order in which they were raised.
func (a *Asks) High(shard int) []uint32 { return a.high[shard] }

func (a *Asks) each(visit func(transmitter uint32)) {
	for _, high := range a.high {
		for _, i := range high {
			visit(i)
		}
	}
}

// Low reports whether no one asks.
func (a *Asks) Low() bool {
	for _, high := range a.high {
		if len(high) > 0 {
			return false
		}
	}
	return true
}
