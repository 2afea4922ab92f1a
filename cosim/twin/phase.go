package twin

import (
	"math/bits"
	"slices"
)

// Phase is a stretch of inputs that may follow any cycle. Each input has typical values or a manner. A Schedule
// divides a run of known length; exploration instead chooses phases by the states that they reach. Inputs are a
// function of the seed, the number of the first cycle, and the state of the model before that cycle.
type Phase struct {
	First  uint64 // number of the first cycle in the seed's draws
	Cycles uint64
	Resets uint64 // number of initial cycles with reset on
	Often  bool   // reset is on in one of 16 cycles
	Inputs []InputManner
}

// InputManner describes an input in a phase.
type InputManner struct {
	manner manner
	From   int // index of the observed value of an echo
	how    uint8
}

const (
	magnitudes manner = mannerCount + iota // numbers with uniformly distributed lengths in binary digits
	allButOne
	echo // an observed value, slightly changed
	phaseMannerCount
)

var phaseManners = []manner{
	stuck, allZeros, allZeros, allOnes, allOnes, oneHot, sparse, half, half, dense, bursts, magnitudes,
	magnitudes, allButOne, echo, echo,
}

// Phaser draws phases of a model and drives its inputs.
type Phaser struct {
	model    *Model
	observed []Observed
	random   Random
	inputs   []int
	before   []uint64
}

// NewPhaser returns a phaser for a seed.
func NewPhaser(m *Model, seed uint64) *Phaser {
	p := &Phaser{model: m, observed: m.Observed(), random: *NewRandom(seed), before: make([]uint64, len(m.inputs))}
	for i, port := range m.ports {
		if port.Input && !port.Clock && !slices.Contains(m.OnlyInUse, Pin{port.Word, port.Bits}) {
			p.inputs = append(p.inputs, i)
		}
	}
	return p
}

// Observed returns the values that echoes may copy.
func (p *Phaser) Observed() []Observed { return p.observed }

const drawsOfChoice = 1 << 60

// Choose returns the draws of a decision.
func (p *Phaser) Choose(number uint64) *Random {
	p.random.At(drawsOfChoice | number)
	return &p.random
}

// Draw returns a random phase. A third of the phases have typical inputs only.
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

// Vary returns a copy of a phase with a new manner for one input.
func (p *Phaser) Vary(random *Random, of Phase) Phase {
	of.Inputs = slices.Clone(of.Inputs)
	if len(of.Inputs) > 0 {
		of.Inputs[random.Below(len(of.Inputs))] = p.drawManner(random)
	}
	return of
}

// Still returns a phase with constant inputs.
func (p *Phaser) Still() Phase {
	phase := Phase{Inputs: make([]InputManner, len(p.inputs))}
	for i := range phase.Inputs {
		phase.Inputs[i].manner = stuck
	}
	return phase
}

func (p *Phaser) drawManner(random *Random) InputManner {
	return InputManner{phaseManners[random.Below(len(phaseManners))],
		random.Below(max(len(p.observed), 1)), uint8(random.Below(8))}
}

// Put replaces the inputs of the previous cycle by the inputs of a cycle of the phase, counted from the phase's first
// cycle. The model must be in the state after the previous cycle.
func (p *Phaser) Put(phase *Phase, cycle uint64) {
	copy(p.before, p.model.inputs)
	p.put(phase, cycle)
}

// Redraw replaces inputs set by Put by other inputs, with reset off (see Model.Redraw).
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
				m.settle() // makes outputs follow the latest edge
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

// magnitude returns a number of up to width bits, with a uniformly distributed length. One number in four is the
// largest of its length.
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

// echo sets an input to an observed value, its upper bits, its inverse, a neighbour, or the value with changed bits.
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
