// Package hw is the foundation of all fabrics. It contains the clock, the kernel with its three phases, wires,
// passive star couplers, buses and fibres, and functions that name, observe, save and restore them. It does not
// depend on fabrics or frames.
//
//	         Drive                Settle               Latch
//	registers -----> wires (Light) -----> wires (Light) -----> registers
//	transmitters             StarCouplers         Fibre, receivers
//	     ^                                    |          |
//	     |                        Probes sample here     |
//	     +-----------------------------------------------+
//	                     next cycle (Clock)
//
// A Kernel runs the phases over all components and shards. It skips cycles in which all components are quiet. Workers
// distribute the shards over the cores. StateVisitor saves and restores registers. A component declares its registers
// once, for reset, saved state and probes (Registers). It declares its ports once, for RTL that replaces the
// component or runs beside it (Site).
package hw

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
)

// Clock is the global cycle counter and the only time base. The counter is constant during a cycle; the kernel
// advances it after Latch.
type Clock struct{ cycle uint64 }

// CycleOfReset is the clock's value in the last cycle of reset. This cycle has no number. The next value is 0, modulo
// 2^64.
const CycleOfReset = ^uint64(0)

// Cycle returns the number of the current cycle, starting at 0.
func (c *Clock) Cycle() uint64 { return c.cycle }

// Wire is a bank of wires. Two banks are the same only if they are identical; the path is a name.
type Wire interface{ Path() string }

// Component is a part of a kernel. Its interfaces determine the phases that the kernel calls: Driver, Combinational,
// Latcher. The kernel calls each phase method once per cycle and shard, concurrently; the method must access only the
// state of its shard.
type Component interface {
	Stateful
	// Reset puts every register into its reset state.
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

// Quiet is a component that can predict inactivity. A kernel skips cycles only if all its components are Quiet.
type Quiet interface {
	Component
	// QuietFor returns a number of cycles, at most limit, from the current cycle on. During these cycles the
	// component's wires and registers do not change unless its inputs change; only functions of the clock may change.
	// The result 0 is always correct. Call QuietFor between Latch and Drive.
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
// The rank of a combinational component is the length of the longest chain of combinational components before it. A
// phase does not read data that the same phase writes, so results do not depend on the order of components or shards.
// A component that panics in a phase panics with a *Fault.
type Kernel struct {
	clock   Clock
	workers *Workers
	shards  []Shard

	components []Component
	built      bool
	drive      drivePhase
	settle     []settlePhase // combinational components by rank
	latch      latchPhase

	seen  func()  // seen, unless nil, is called when the wires of a cycle are final
	quiet []Quiet // all components, or empty if one is not Quiet
	busy  int     // index in quiet of the last busy component, which is queried first
}

// NewKernel returns an empty kernel. The caller closes workers.
func NewKernel(workers *Workers, shards []Shard) *Kernel {
	return &Kernel{workers: workers, shards: shards}
}

// Path returns the kernel's path in saved states.
func (k *Kernel) Path() string { return "kernel" }

// Clock returns the clock shared by the components.
func (k *Kernel) Clock() *Clock { return &k.clock }

// Cycle returns the number of the current cycle.
func (k *Kernel) Cycle() uint64 { return k.clock.cycle }

// Shards returns the shards of the machine.
func (k *Kernel) Shards() []Shard { return k.shards }

// Workers returns the pool that runs the phases. Between cycles the machine may run its own tasks in this pool.
func (k *Kernel) Workers() *Workers { return k.workers }

// Add adds components. It panics after Build.
func (k *Kernel) Add(components ...Component) {
	if k.built {
		panic("hw: Kernel.Add after Build")
	}
	k.components = append(k.components, components...)
}

// Build fixes the order of the phases. It returns an error, with all paths involved, if two components have the same
// path, a wire has two drivers, a wire is read but not driven, or there is a combinational loop.
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

// DriveAndSettle runs the first two phases. Afterwards all wires are final for this cycle, and the registers still
// hold their values.
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

// Watch calls seen in every cycle when its wires are final. A watched kernel is never quiet.
func (k *Kernel) Watch(seen func()) { k.seen = seen }

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

// QuietFor returns a number of cycles without activity, at most limit, from the current cycle on. It returns 0 if a
// component is not Quiet. Call QuietFor between Latch and DriveAndSettle, before new inputs.
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

// Skip advances the clock over cycles that QuietFor has found inactive.
func (k *Kernel) Skip(cycles uint64) { k.clock.cycle += cycles }

func (k *Kernel) Reset() {
	for _, c := range k.components {
		c.Reset()
	}
	k.clock.cycle = 0
}

// BeforeCycle0 sets the clock of a kernel in the reset state to CycleOfReset. The next Latch loads the registers for
// cycle 0.
func (k *Kernel) BeforeCycle0() { k.clock.cycle = CycleOfReset }

func (k *Kernel) State(v *StateVisitor) {
	StateScalar(v, Future, "cycle", &k.clock.cycle)
	for _, c := range k.components {
		v.Within(c)
	}
}

// Probes yields the signals of all components in the order of their paths.
func (k *Kernel) Probes(yield func(Probe)) {
	for _, c := range k.components {
		if p, ok := c.(Probed); ok {
			p.Probes(yield)
		}
	}
}

// Cells yields the registers of all components with declared registers (Registers).
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

// wireGraph maps wires to drivers, and paths to wires, during Build.
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
			return fmt.Errorf("kernel: %s reads wire %s, which has no driver", c.Path(), w.Path())
		}
	}
	return nil
}

// ranks groups combinational components by rank. It returns an error for a loop.
func (g *wireGraph) ranks(components []Combinational) ([][]Combinational, error) {
	combinational := map[Component]Combinational{}
	for _, c := range components {
		combinational[c] = c
	}
	const visiting = -1
	rank := map[Component]int{}
	var chain []string // component, wire, component, wire, ...: from reader to driver
	var visit func(c Combinational) error
	visit = func(c Combinational) error {
		if r, ok := rank[c]; ok {
			if r != visiting {
				return nil
			}
			return fmt.Errorf("kernel: combinational loop: %s; add a register to it", loopPath(chain, c.Path()))
		}
		rank[c] = visiting
		own := 0
		for _, w := range c.Inputs() {
			// A component's registered output starts no chain.
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

// loopPath extracts the loop from the chain of visits, in signal direction.
func loopPath(chain []string, closing string) string {
	start := 0
	for chain[start] != closing {
		start += 2
	}
	loop := append(slices.Clone(chain[start:]), closing)
	slices.Reverse(loop)
	return strings.Join(loop, " -> ")
}

// Fault is the panic value for a broken invariant of the hardware: a bug in Starloom, not in the simulated system.
// The phases of a Kernel panic only with a Fault.
type Fault struct {
	Path  string // path of the component or element
	Cycle uint64
	Text  string // the violated condition, with values
	Stack []byte // stack of the panicking goroutine; nil outside the phases
}

// Error returns "path: cycle n: text".
func (f *Fault) Error() string {
	if f.Cycle == CycleOfReset {
		return fmt.Sprintf("%s: last cycle of reset: %s", f.Path, f.Text)
	}
	return fmt.Sprintf("%s: cycle %d: %s", f.Path, f.Cycle, f.Text)
}

// Broken panics with a Fault in the current cycle.
func (c *Clock) Broken(path, format string, values ...any) {
	panic(&Fault{Path: path, Cycle: c.cycle, Text: fmt.Sprintf(format, values...)})
}

// broken panics with a Fault; the kernel adds the cycle.
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
