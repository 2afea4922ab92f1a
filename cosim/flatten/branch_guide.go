package flatten

import (
	"math/big"
	"math/rand/v2"
	"slices"

	"starloom/cosim"
)

// A guide steers random inputs towards branches not yet taken, towards constants of the source, and towards values
// that toggle further bits.
type guide struct {
	*Module
	random *rand.Rand
	at     int
	plan   []Aim // input bits to force in the next cycles
	taken  []bool
	left   int
	cycles int
	latest int
	before []uint64
	rose   []uint64
	fell   []uint64
}

func newGuide(m *Module, random *rand.Rand) *guide {
	return &guide{Module: m, random: random, taken: make([]bool, len(m.Branches)), left: len(m.Branches)}
}

func (d *guide) see(print cosim.Device) {
	ports, unknown := print.Ports(), print.Unknown()
	i := slices.IndexFunc(ports, func(p cosim.Port) bool { return p.Name == d.BranchPort && !p.Input })
	if i < 0 {
		return
	}
	for b := range d.taken {
		word, bit := ports[i].Word+b/64, b%64
		if known := unknown == nil || unknown[word]>>bit&1 == 0; known && print.Outputs()[word]>>bit&1 == 1 && !d.taken[b] {
			d.taken[b], d.latest = true, d.cycles
			d.left--
		}
	}
}

func (d *guide) goesOn(cycles int) bool {
	return d.left > 0 && cycles < secondCyclesMost && d.cycles-d.latest < secondCyclesIdle
}

func (d *guide) untaken() (left []int, places []string) {
	for i, b := range d.Branches {
		if d.taken[i] {
			continue
		}
		if left = append(left, i); !slices.Contains(places, b.Place) {
			places = append(places, b.Place)
		}
	}
	return left, places
}

func (d *guide) lead(ports []cosim.Port, in []uint64) {
	d.cycles++
	if len(d.plan) == 0 && d.random.IntN(3) == 0 {
		d.aim()
	}
	switch {
	case len(d.plan) > 0:
		for _, n := range d.plan[0] {
			if i := slices.IndexFunc(ports, func(p cosim.Port) bool { return p.Name == n.Port && p.Input && !p.Clock }); i >= 0 {
				put(in, ports[i], number(n.Care), number(n.Value))
			}
		}
		d.plan = d.plan[1:]
	case d.random.IntN(8) == 0 && len(d.Constants) > 0:
		d.constant(ports, in)
	case d.random.IntN(8) == 0:
		d.toggle(ports, in)
	}
	d.remember(in)
}

func (d *guide) aim() {
	for range d.Branches {
		d.at = (d.at + 1) % len(d.Branches)
		b := d.Branches[d.at]
		if d.left > 0 && d.taken[d.at] || len(b.Aims) == 0 {
			continue
		}
		for _, n := range b.Aims[d.random.IntN(len(b.Aims))] { // earliest first
			if len(d.plan) == 0 {
				d.plan = make([]Aim, n.Ago+1)
			}
			at := len(d.plan) - 1 - n.Ago
			d.plan[at] = append(d.plan[at], n)
		}
		return
	}
}

func (d *guide) constant(ports []cosim.Port, in []uint64) {
	c, p := d.Constants[d.random.IntN(len(d.Constants))], ports[d.random.IntN(len(ports))]
	if p.Input && !p.Clock && p.Bits >= c.Bits {
		put(in, p, mask(c.Bits), c.near(int64(d.random.IntN(3)-1)))
	}
}

func (d *guide) toggle(ports []cosim.Port, in []uint64) {
	for _, at := range d.random.Perm(len(ports)) {
		p := ports[at]
		if !p.Input || p.Clock || len(d.rose) == 0 {
			continue
		}
		for w := p.Word; w < p.Word+p.Words(); w++ {
			still := ^(d.rose[w] & d.fell[w])
			if last := p.Bits - 64*(w-p.Word); last < 64 {
				still &= 1<<last - 1
			}
			if still != 0 {
				in[w] = d.before[w] ^ still&-still
				return
			}
		}
	}
}

func (d *guide) remember(in []uint64) {
	if d.before == nil {
		d.before, d.rose, d.fell = slices.Clone(in), make([]uint64, len(in)), make([]uint64, len(in))
	}
	for w, now := range in {
		d.rose[w] |= now &^ d.before[w]
		d.fell[w] |= d.before[w] &^ now
	}
	copy(d.before, in)
}

func number(text string) *big.Int {
	value, _ := new(big.Int).SetString(text, 16)
	return value
}

func put(in []uint64, p cosim.Port, care, value *big.Int) {
	for w := range p.Words() {
		part := func(of *big.Int) uint64 { return new(big.Int).And(new(big.Int).Rsh(of, uint(64*w)), mask(64)).Uint64() }
		in[p.Word+w] = in[p.Word+w]&^part(care) | part(value)&part(care)
	}
}

func (c Constant) near(by int64) *big.Int {
	value, _ := new(big.Int).SetString(c.Value, 16)
	return value.And(value.Add(value, big.NewInt(by)), mask(c.Bits))
}
