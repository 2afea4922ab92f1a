package lockstep

import (
	"errors"
	"slices"

	"starloom/cosim"
	"starloom/cosim/pinmap"
)

// batched queues the inputs of many cycles and runs the RTL through them in one call. The model runs ahead. If a
// batch differs, the run is repeated cycle by cycle (pair.twice).
type batched struct {
	queued int
	counts []bool
	wanted [][]uint64
	masks  [][]uint64 // output bits to compare; nil if they are the same in all cycles
	halves uint64     // half cycles completed without a fault
	found  bool
	fault  *hang
}

// newBatched returns nil if the device cannot play batches, the model follows the RTL's outputs, or an option
// observes each cycle. The RTL then runs cycle by cycle.
func (l *pair) newBatched() *batched {
	d, ok := l.rtl.(*pinmap.Device)
	if !ok || d.Plays() == 0 || l.covered != nil || l.options.Observe != nil || l.options.stepwise ||
		len(l.model.Left()) > 0 {
		return nil
	}
	b := &batched{counts: make([]bool, d.Plays())}
	for range b.counts {
		b.wanted = append(b.wanted, make([]uint64, len(l.wanted)))
		if l.contract != nil || l.open != nil {
			b.masks = append(b.masks, make([]uint64, len(l.mask)))
		}
	}
	return b
}

func (b *batched) settle(l *pair) error {
	l.rtl.(*pinmap.Device).Queue()
	return nil
}

func (b *batched) compare(l *pair, _ uint64, counts bool) *difference {
	b.counts[b.queued] = counts
	copy(b.wanted[b.queued], l.wanted)
	if b.masks != nil {
		copy(b.masks[b.queued], l.counted())
	}
	return nil
}

func (b *batched) edge(l *pair, _ uint64) (*difference, error) {
	if b.queued++; b.queued < len(b.counts) {
		return nil, nil
	}
	return b.flush(l), nil
}

func (b *batched) flush(l *pair) *difference {
	cycles := b.queued
	if b.queued = 0; cycles == 0 {
		return nil
	}
	d := l.rtl.(*pinmap.Device)
	halves, err := d.Play()
	b.halves += uint64(halves)
	settled := min((halves+1)/2, cycles)
	if !d.Compares() || !b.agrees(l, d, settled) {
		if at := b.show(l, d, settled); at != nil {
			b.found = true
			return at
		}
	}
	if err == nil {
		return nil
	}
	b.found = true
	var fault *cosim.Fault
	if errors.As(err, &fault) && fault.Kind == cosim.FaultHang {
		b.fault = &hang{b.halves, err}
	}
	return &difference{}
}

func (b *batched) agrees(l *pair, d *pinmap.Device, cycles int) bool {
	for row := range cycles {
		counted := l.mask
		if b.masks != nil {
			counted = b.masks[row]
		}
		if b.counts[row] && !d.Agrees(row, b.wanted[row], counted) {
			return false
		}
	}
	if cycles > 0 {
		d.End(cycles - 1)
	}
	return true
}

func (b *batched) show(l *pair, d *pinmap.Device, cycles int) *difference {
	for row := range cycles {
		d.Show(row)
		counted := l.mask
		if b.masks != nil {
			counted = b.masks[row]
		}
		var at *difference
		if b.counts[row] {
			at = l.compare(0, b.wanted[row], counted)
		}
		if d.Shown(); at != nil {
			return at
		}
	}
	return nil
}

// twice runs in batches if the pair supports them. After a difference or fault, twice repeats the whole run cycle by
// cycle, so that the report counts only the cycles up to that difference or fault.
func (l *pair) twice(runs func() (*difference, error)) (*difference, error) {
	batch := l.newBatched()
	if batch == nil {
		return runs()
	}
	before := l.books()
	l.exchange = batch
	at, err := runs()
	if at == nil && !batch.found {
		if at = batch.flush(l); at == nil {
			l.exchange = stepwise{}
			return nil, err
		}
	}
	l.exchange, l.known = stepwise{}, batch.fault
	l.putBooks(before)
	defer func() { l.known = nil }()
	if at, err = runs(); at == nil && err == nil {
		err = errUnsteady
	}
	return at, err
}

var errUnsteady = errors.New("the RTL differed from the model, but the difference did not repeat with the same " +
	"inputs from the same state")

// books holds the counters of a pair. They are saved before a batch that may be repeated.
type books struct {
	exchanged uint64
	coverage  *Coverage
	contract  *contract
}

func (l *pair) books() books {
	b := books{exchanged: l.exchanged, coverage: l.coverage.clone()}
	if c := l.contract; c != nil {
		b.contract = &contract{met: c.met, err: c.err, held: slices.Clone(c.held), is: *c.is.Clone()}
	}
	return b
}

func (l *pair) putBooks(b books) {
	l.exchanged = b.exchanged
	l.coverage.set(b.coverage)
	if c := l.contract; c != nil {
		c.met, c.err = b.contract.met, b.contract.err
		copy(c.held, b.contract.held)
		c.is.Redrawn, c.is.Reset, c.is.Cycles = b.contract.is.Redrawn, b.contract.is.Reset, b.contract.is.Cycles
		copy(c.is.Compare, b.contract.is.Compare) // gates point into Compare
	}
}
