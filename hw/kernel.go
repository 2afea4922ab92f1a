package hw

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
)

// Clock is the global cycle counter, the only time base. It stands still during
// a cycle; the kernel advances it after Latch.
type Clock struct{ cycle uint64 }

// CycleOfReset is what a clock shows in the cycle before cycle 0, which has no number:
// the next one is 0, in arithmetic modulo 2^64.
const CycleOfReset = ^uint64(0)

// Cycle returns the number of the current cycle; the first one is 0.
func (c *Clock) Cycle() uint64 { return c.cycle }

// Wire is a bank of wires. Wires are told apart by identity and named by path.
type Wire interface{ Path() string }

// Component is anything that the kernel runs. It takes part in those phases whose
// interface it implements: Driver, Combinational, Latcher. Each of their methods
// is called once per cycle and shard, the shards at the same time and in any
// order, and touches only what belongs to the shard.
type Component interface {
	Stateful
	// Reset puts every register into its reset state, as at construction.
	Reset()
}

// Driver puts registered outputs on wires. Drive reads only its own registers.
type Driver interface {
	Component
	Drives() []Wire
	Drive(s Shard)
}

// Combinational reads wires and drives wires within one cycle.
type Combinational interface {
	Component
	Inputs() []Wire
	Outputs() []Wire
	Settle(s Shard)
}

// Latcher reads wires and writes its own registers at the end of the cycle.
type Latcher interface {
	Component
	Latches() []Wire
	Latch(s Shard)
}

// Quiet is a component that knows when nothing happens in it. A kernel of nothing but such
// components can skip cycles.
type Quiet interface {
	Component
	// QuietFor returns for how many cycles, from the current one on and at most limit, the
	// component's wires keep what they show now, and its registers what they hold but for
	// what the clock alone says of them, provided that the wires that it reads keep what
	// they show. 0 is always right. Call it between Latch and Drive.
	QuietFor(limit uint64) uint64
}

// Kernel runs components through the three phases of every cycle:
//
//	Drive   all components   | barrier
//	Settle  rank 0           | barrier   couplers and arbiters fed by registers
//	        rank 1 ...       | barrier   those fed by rank 0
//	        ---- probes sample here, then a machine may give inputs ----
//	Latch   all components   | barrier   then the clock advances
//
// A combinational component's rank is the longest chain of combinational
// components before it. No one reads in a phase what is written in the
// same phase, so neither the order of components nor that of shards can change a
// result. A component that panics in a phase panics with a *Fault.
type Kernel struct {
	clock   Clock
	workers *Workers
	shards  []Shard

	components []Component
	built      bool
	drive      drivePhase
	settle     []settlePhase // by rank
	latch      latchPhase

	seen  func()  // called when the wires of a cycle are final, nil for nothing
	quiet []Quiet // all components, or none
	busy  int     // the one of quiet that was busy the last time: it is asked first
}

// NewKernel returns an empty kernel. workers stays the caller's, who closes it.
func NewKernel(workers *Workers, shards []Shard) *Kernel {
	return &Kernel{workers: workers, shards: shards}
}

// Path names the kernel in saved states.
func (k *Kernel) Path() string { return "kernel" }

// Clock returns the clock that the components share.
func (k *Kernel) Clock() *Clock { return &k.clock }

// Cycle returns the number of the current cycle.
func (k *Kernel) Cycle() uint64 { return k.clock.cycle }

// Shards returns the machine's shards.
func (k *Kernel) Shards() []Shard { return k.shards }

// Workers returns the pool that runs the phases; between cycles the machine may run its own tasks on it.
func (k *Kernel) Workers() *Workers { return k.workers }

// Add puts components into the kernel, before Build.
func (k *Kernel) Add(components ...Component) {
	if k.built {
		panic("hw: Kernel.Add after Build")
	}
	k.components = append(k.components, components...)
}

// Build fixes the order of the phases. It refuses a path that is used twice, a
// wire with two drivers, a wire that is read and not driven, and a combinational
// loop, with the paths of all that are part of it.
func (k *Kernel) Build() error {
	if k.built {
		return errors.New("kernel: built twice")
	}
	units := 0
	for _, s := range k.shards {
		units = max(units, s.End)
	}
	if err := CheckShards(k.shards, units); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	slices.SortFunc(k.components, func(a, b Component) int { return strings.Compare(a.Path(), b.Path()) })
	for i, c := range k.components {
		if err := CheckPath(c.Path()); err != nil {
			return fmt.Errorf("kernel: %w", err)
		}
		if i > 0 && c.Path() == k.components[i-1].Path() {
			return fmt.Errorf("kernel: two components have the path %s", c.Path())
		}
	}

	g := wireGraph{driver: map[Wire]Component{}, named: map[string]Wire{}}
	var combinational []Combinational
	for _, c := range k.components {
		if d, ok := c.(Driver); ok {
			k.drive.components = append(k.drive.components, d)
			if err := g.drives(c, d.Drives()); err != nil {
				return err
			}
		}
		if l, ok := c.(Latcher); ok {
			k.latch.components = append(k.latch.components, l)
		}
		if s, ok := c.(Combinational); ok && len(s.Outputs()) > 0 {
			combinational = append(combinational, s)
			if err := g.drives(c, s.Outputs()); err != nil {
				return err
			}
		}
	}
	for _, l := range k.latch.components {
		if err := g.reads(l, l.Latches()); err != nil {
			return err
		}
	}
	for _, s := range combinational {
		if err := g.reads(s, s.Inputs()); err != nil {
			return err
		}
	}
	ranks, err := g.ranks(combinational)
	if err != nil {
		return err
	}
	k.drive.kernel, k.latch.kernel = k, k
	for _, rank := range ranks {
		k.settle = append(k.settle, settlePhase{k, rank})
	}
	for _, c := range k.components {
		q, ok := c.(Quiet)
		if !ok {
			k.quiet = nil
			break
		}
		k.quiet = append(k.quiet, q)
	}
	k.built = true
	return nil
}

// DriveAndSettle runs the first two phases. Afterwards all wires are final for
// this cycle and the registers still hold the values they had at its start.
func (k *Kernel) DriveAndSettle() {
	if !k.built {
		panic("hw: Kernel.DriveAndSettle before Build")
	}
	k.run(&k.drive)
	for i := range k.settle {
		k.run(&k.settle[i])
	}
	if k.seen != nil {
		k.seen()
	}
}

// Watch calls seen in every cycle once its wires are final. Who watches misses no cycle: the kernel is never quiet.
func (k *Kernel) Watch(seen func()) { k.seen = seen }

// run runs a phase; one shard needs no workers.
func (k *Kernel) run(phase Task) {
	if len(k.shards) == 1 {
		phase.Do(0)
		return
	}
	k.workers.Run(len(k.shards), phase)
}

// Latch runs the last phase and advances the clock.
func (k *Kernel) Latch() {
	k.run(&k.latch)
	k.clock.cycle++
}

// QuietFor returns for how many cycles, from the current one on and at most limit, nothing
// happens in any component: 0 if one of them cannot say. Call it between Latch and
// DriveAndSettle, with no input given since.
func (k *Kernel) QuietFor(limit uint64) uint64 {
	if len(k.quiet) == 0 || k.seen != nil {
		return 0
	}
	limit = k.quiet[k.busy].QuietFor(limit)
	for i := 0; i < len(k.quiet) && limit > 0; i++ {
		if limit = k.quiet[i].QuietFor(limit); limit == 0 {
			k.busy = i
		}
	}
	return limit
}

// Skip advances the clock over cycles in which nothing happens, as QuietFor says: the
// machine then is as if they had been run.
func (k *Kernel) Skip(cycles uint64) { k.clock.cycle += cycles }

// Reset puts all components and the clock into the reset state.
func (k *Kernel) Reset() {
	for _, c := range k.components {
		c.Reset()
	}
	k.clock.cycle = 0
}

// BeforeCycle0 puts the clock of a kernel in the reset state into CycleOfReset, the last
// cycle of reset: what its Latch takes is in the registers in cycle 0.
func (k *Kernel) BeforeCycle0() { k.clock.cycle = CycleOfReset }

func (k *Kernel) State(v *StateVisitor) {
	StateScalar(v, "cycle", &k.clock.cycle)
	for _, c := range k.components {
		v.Within(c)
	}
}

// Probes yields the signals of all components, by path of the component.
func (k *Kernel) Probes(yield func(Probe)) {
	for _, c := range k.components {
		if p, ok := c.(Probed); ok {
			p.Probes(yield)
		}
	}
}

// Cells yields the registers of all components that declare them; see Registers.
func (k *Kernel) Cells(yield func(Probe)) {
	for _, c := range k.components {
		if p, ok := c.(interface{ Cells(yield func(Probe)) }); ok {
			p.Cells(yield)
		}
	}
}

type drivePhase struct {
	kernel     *Kernel
	components []Driver
}

func (p *drivePhase) Do(shard int) {
	at, s := 0, p.kernel.shards[shard]
	defer func() {
		if value := recover(); value != nil {
			panic(p.kernel.fault(p.components[at], value))
		}
	}()
	for at = range p.components {
		p.components[at].Drive(s)
	}
}

type settlePhase struct {
	kernel     *Kernel
	components []Combinational
}

func (p *settlePhase) Do(shard int) {
	at, s := 0, p.kernel.shards[shard]
	defer func() {
		if value := recover(); value != nil {
			panic(p.kernel.fault(p.components[at], value))
		}
	}()
	for at = range p.components {
		p.components[at].Settle(s)
	}
}

type latchPhase struct {
	kernel     *Kernel
	components []Latcher
}

func (p *latchPhase) Do(shard int) {
	at, s := 0, p.kernel.shards[shard]
	defer func() {
		if value := recover(); value != nil {
			panic(p.kernel.fault(p.components[at], value))
		}
	}()
	for at = range p.components {
		p.components[at].Latch(s)
	}
}

// wireGraph is who drives what, used while the kernel is built.
type wireGraph struct {
	driver map[Wire]Component
	named  map[string]Wire
}

func (g *wireGraph) drives(c Component, wires []Wire) error {
	for _, w := range wires {
		if err := CheckPath(w.Path()); err != nil {
			return fmt.Errorf("kernel: wire of %s: %w", c.Path(), err)
		}
		if other, ok := g.driver[w]; ok {
			return fmt.Errorf("kernel: wire %s has two drivers, %s and %s", w.Path(), other.Path(), c.Path())
		}
		if other, ok := g.named[w.Path()]; ok && other != w {
			return fmt.Errorf("kernel: %s and %s drive different wires of the same path %s",
				g.driver[other].Path(), c.Path(), w.Path())
		}
		g.driver[w] = c
		g.named[w.Path()] = w
	}
	return nil
}

func (g *wireGraph) reads(c Component, wires []Wire) error {
	for _, w := range wires {
		if _, ok := g.driver[w]; !ok {
			return fmt.Errorf("kernel: %s reads wire %s, which nothing drives", c.Path(), w.Path())
		}
	}
	return nil
}

// ranks sorts combinational components, and so their ranks, by the longest chain before them, then by path.
func (g *wireGraph) ranks(components []Combinational) ([][]Combinational, error) {
	combinational := map[Component]Combinational{}
	for _, c := range components {
		combinational[c] = c
	}
	const visiting = -1
	rank := map[Component]int{}
	var chain []string // component, wire, component, wire, ...: from reader back to driver
	var visit func(c Combinational) error
	visit = func(c Combinational) error {
		if r, ok := rank[c]; ok {
			if r != visiting {
				return nil
			}
			return fmt.Errorf("kernel: combinational loop: %s; put a register into it", loopPath(chain, c.Path()))
		}
		rank[c] = visiting
		own := 0
		for _, w := range c.Inputs() {
			// A registered output of a component with combinational ones, too, starts no chain.
			from, ok := combinational[g.driver[w]]
			if !ok || !slices.Contains(from.Outputs(), w) {
				continue
			}
			chain = append(chain, c.Path(), w.Path())
			if err := visit(from); err != nil {
				return err
			}
			chain = chain[:len(chain)-2]
			own = max(own, rank[from]+1)
		}
		rank[c] = own
		return nil
	}
	var ranks [][]Combinational
	for _, c := range components {
		if err := visit(c); err != nil {
			return nil, err
		}
	}
	for _, c := range components {
		for len(ranks) <= rank[c] {
			ranks = append(ranks, nil)
		}
		ranks[rank[c]] = append(ranks[rank[c]], c)
	}
	return ranks, nil
}

// loopPath cuts the loop out of the chain of visits and writes it in the direction of the signal.
func loopPath(chain []string, closing string) string {
	start := 0
	for chain[start] != closing {
		start += 2
	}
	loop := append(slices.Clone(chain[start:]), closing)
	slices.Reverse(loop)
	return strings.Join(loop, " -> ")
}

// Fault is a broken invariant of hardware: a mistake in Starloom, never in what it runs. It
// is the value of the panic, the only one that leaves a phase of a Kernel.
type Fault struct {
	Path  string // of the component, or of one of its elements
	Cycle uint64
	Text  string // what does not hold, with its values
	Stack []byte // of the goroutine that found it, nil outside the phases
}

// Error returns "path: cycle n: text".
func (f *Fault) Error() string {
	if f.Cycle == CycleOfReset {
		return fmt.Sprintf("%s: last cycle of reset: %s", f.Path, f.Text)
	}
	return fmt.Sprintf("%s: cycle %d: %s", f.Path, f.Cycle, f.Text)
}

// Broken panics with a Fault of the current cycle.
func (c *Clock) Broken(path, format string, values ...any) {
	panic(&Fault{Path: path, Cycle: c.cycle, Text: fmt.Sprintf(format, values...)})
}

// broken panics with a Fault whose cycle the kernel knows.
func broken(path, format string, values ...any) {
	panic(&Fault{Path: path, Text: fmt.Sprintf(format, values...)})
}

func (k *Kernel) fault(c Component, value any) *Fault {
	f, ok := value.(*Fault)
	if !ok {
		f = &Fault{Path: c.Path(), Text: fmt.Sprint(value)}
	}
	f.Cycle, f.Stack = k.clock.cycle, debug.Stack()
	return f
}
