package twin

import (
	"math/bits"
	"slices"
)

// Phase is a stretch of inputs that follows any other cycle: each input is as in use, or has a
// manner. Where a Schedule divides a run of known length, phases are put together as what they
// reach suggests. Their inputs are a function of the seed, the number of the first
// cycle, and the state of the model before it.
type Phase struct {
	First  uint64 // number of the first cycle in the draws of the seed
	Cycles uint64
	Resets uint64 // cycles with reset on, at the beginning
	Often  bool   // reset comes again and again
	Inputs []InputManner
}

// InputManner says what an input is like in a phase.
type InputManner struct {
	manner manner
	From   int // of an echo: which of what is observed
	how    uint8
}

const (
	magnitudes manner = mannerCount + iota // as many of one length in binary digits as of another
	allButOne
	echo // a value that is observed, changed a little
	phaseMannerCount
)

var phaseManners = []manner{
	stuck, allZeros, allZeros, allOnes, allOnes, oneHot, sparse, half, half, dense, bursts, magnitudes, magnitudes, allButOne, echo, echo,
}

// Phaser makes phases of a model and drives its inputs by them.
type Phaser struct {
	model    *Model
	observed []Observed
	random   Random
	inputs   []int // of the ports, those that have a manner
	before   []uint64
}

// NewPhaser returns the phases of a seed.
func NewPhaser(m *Model, seed uint64) *Phaser {
	p := &Phaser{model: m, observed: m.Observed(), random: *NewRandom(seed), before: make([]uint64, len(m.inputs))}
	for i, port := range m.ports {
		if port.Input && !port.Clock && !slices.Contains(m.OnlyInUse, Pin{port.Word, port.Bits}) {
			p.inputs = append(p.inputs, i)
		}
	}
	return p
}

// Observed is what the phaser's model shows.
func (p *Phaser) Observed() []Observed { return p.observed }

const drawsOfChoice = 1 << 60

// Choose goes to the draws of a decision.
func (p *Phaser) Choose(number uint64) *Random {
	p.random.At(drawsOfChoice | number)
	return &p.random
}

// Draw returns a phase whose inputs are as in use, once in two, or have manners.
func (p *Phaser) Draw(random *Random) Phase {
	phase := Phase{Inputs: make([]InputManner, len(p.inputs))}
	if random.Below(3) != 0 {
		for i := range phase.Inputs {
			if random.Below(3) != 0 {
				phase.Inputs[i] = p.drawManner(random)
			}
		}
	}
	return phase
}

// Vary returns a phase in which one input has another manner.
func (p *Phaser) Vary(random *Random, of Phase) Phase {
	of.Inputs = slices.Clone(of.Inputs)
	if len(of.Inputs) > 0 {
		of.Inputs[random.Below(len(of.Inputs))] = p.drawManner(random)
	}
	return of
}

// Still returns a phase whose inputs stay as they are.
func (p *Phaser) Still() Phase {
	phase := Phase{Inputs: make([]InputManner, len(p.inputs))}
	for i := range phase.Inputs {
		phase.Inputs[i].manner = stuck
	}
	return phase
}

func (p *Phaser) drawManner(random *Random) InputManner {
	return InputManner{phaseManners[random.Below(len(phaseManners))], random.Below(max(len(p.observed), 1)), uint8(random.Below(8))}
}

// Put replaces the inputs of the cycle before by those of a cycle of a phase, counted from its
// first. The model has to be as the cycle before has left it.
func (p *Phaser) Put(phase *Phase, cycle uint64) {
	copy(p.before, p.model.inputs)
	p.put(phase, cycle)
}

// Redraw replaces what Put has put by other inputs, without reset; see Model.Redraw.
func (p *Phaser) Redraw(phase *Phase, cycle uint64, attempt int) {
	m := p.model
	copy(m.inputs, p.before)
	if attempt%3 == 0 {
		p.random.again = uint32(attempt)
	}
	p.put(phase, cycle)
	p.random.again = 0
	m.change(&p.random, phase.First+cycle, attempt, m.inputs, p.before)
}

func (p *Phaser) put(phase *Phase, cycle uint64) {
	m, inputs := p.model, p.model.inputs
	random := &p.random
	random.At(phase.First + cycle)
	reset := uint64(0)
	if m.site.Clocked && (cycle < phase.Resets || phase.Often && random.Below(16) == 0) {
		reset = 1
	}
	m.Use(random, inputs)
	echoes := false
	for i, manner := range phase.Inputs {
		port := &m.ports[p.inputs[i]]
		words, before := inputs[port.Word:][:port.Words()], p.before[port.Word:][:port.Words()]
		switch manner.manner {
		case inUse:
		case magnitudes:
			for w := range words {
				words[w] = random.magnitude(min(port.Bits-64*w, 64))
			}
		case allButOne:
			oneHot.put(random, words, before, port.Bits)
			for w := range words {
				words[w] = ^words[w]
			}
		case echo:
			if !echoes {
				m.settle() // shows the registers of the last edge
				echoes = true
			}
			p.echo(random, words, port.Bits, manner)
		default:
			manner.manner.put(random, words, before, port.Bits)
		}
	}
	if m.site.Clocked {
		inputs[m.reset.Word] = reset
	}
}

// magnitude is a number of up to that many bits, each length equally likely; now and then the largest of its length.
func (r *Random) magnitude(width int) uint64 {
	length := r.Below(width + 1)
	if length == 0 {
		return 0
	}
	value := uint64(1) << (length - 1)
	if r.Below(4) == 0 {
		return value<<1 - 1
	}
	return value | r.Uint64()&(value-1)
}

// echo puts what is observed: the same value, its high end, its inverse, a neighbour, or with other bits.
func (p *Phaser) echo(random *Random, words []uint64, width int, manner InputManner) {
	clear(words)
	if len(p.observed) == 0 {
		return
	}
	from := &p.observed[manner.From]
	value := from.Value()
	switch manner.how {
	case 1:
		value >>= max(from.Bits-width, 0)
	case 2:
		value = ^value
	case 3:
		value += uint64(random.Below(3)) - 1
	case 4:
		value |= random.Uint64()
	case 5:
		value &= random.Uint64()
	case 6:
		value = bits.Reverse64(value) >> (64 - from.Bits)
	}
	words[0] = value
	for w := 1; w < len(words); w++ {
		words[w] = random.Uint64()
	}
}
