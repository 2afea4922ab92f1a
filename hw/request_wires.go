package hw

// Asks is a bank of request wires of transmitters. Each wire requests an output with a tag, or is low. A list of high
// wires limits the work per cycle to the requests. Like Light, Asks is stateless: in every cycle, the driver's shard
// calls Clear, then Raise, in the driver's phase.
type Asks struct {
	path string
	high [][]uint32

	// valid for high wires, and for transmitters while the requested frame is being sent
	To  []uint16 // output; PortNone if a list determines the output
	Tag []uint16
}

// NewAsks returns a bank of low wires.
func NewAsks(bank Bank, name string, shards int) *Asks {
	return &Asks{path: Join(bank.Path(), name), high: make([][]uint32, shards), To: make([]uint16, bank.Size()),
		Tag: make([]uint16, bank.Size())}
}

func (a *Asks) Path() string { return a.path }

func (a *Asks) Clear(shard int) { a.high[shard] = a.high[shard][:0] }

// Raise raises a transmitter's request.
func (a *Asks) Raise(shard int, transmitter uint32, to, tag uint16) {
	a.To[transmitter], a.Tag[transmitter] = to, tag
	a.high[shard] = append(a.high[shard], transmitter)
}

// High returns the requesting transmitters of a shard in the order of Raise.
func (a *Asks) High(shard int) []uint32 { return a.high[shard] }

func (a *Asks) each(visit func(transmitter uint32)) {
	for _, high := range a.high {
		for _, i := range high {
			visit(i)
		}
	}
}

// Of returns a field of a transmitter's request: FieldTo, FieldTag or FieldHigh.
func (a *Asks) Of(field string, transmitter int) Line {
	if field == FieldHigh {
		return Line{a, field, transmitter, 1}
	}
	return Line{a, field, transmitter, 16}
}

func (a *Asks) forEach(of func(transmitter int) Expression) Expression {
	all := make([]Expression, len(a.To))
	for i := range all {
		all[i] = of(i)
	}
	return Together(all...)
}

// Low reports whether all wires are low.
func (a *Asks) Low() bool {
	for _, high := range a.high {
		if len(high) > 0 {
			return false
		}
	}
	return true
}
