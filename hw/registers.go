package hw

import "fmt"

// Registers declares the registers of a component once, at construction. Reset, saved state and traced signals follow
// from this declaration. A component embeds Registers for the methods Path, Reset, State and Probes; the component's
// phases access its own columns.
type Registers struct {
	path    string
	bank    Bank
	columns []Register
	wires   []Probed
	collect func()
	derive  func()
}

// Declaration is the argument of Declare.
type Declaration struct {
	Path string // "" for the bank's path
	Bank Bank   // names the elements of shown registers

	// registers in the order of the saved state; lists are columns of one table with equal lengths
	Registers []Register

	// Wires are shown before the registers.
	Wires []Probed

	// Collect fills registers that the component stores in another form, before they are saved. Derive computes
	// derived state after a reset and after a restore of all parts. Both may be nil.
	Collect, Derive func()
}

// Declare returns the registers of a component in their reset state. Derived state is missing until the complete
// component calls Reset.
func Declare(d Declaration) Registers {
	if d.Path == "" {
		d.Path = d.Bank.Path()
	}
	for _, c := range d.Registers {
		c.begin()
	}
	return Registers{path: d.Path, bank: d.Bank, columns: d.Registers, wires: d.Wires,
		collect: d.Collect, derive: d.Derive}
}

func (r *Registers) Path() string { return r.path }

// Reset puts every register into its reset state, at any time.
func (r *Registers) Reset() {
	for _, c := range r.columns {
		c.reset()
	}
	if r.derive != nil {
		r.derive()
	}
}

func (r *Registers) State(v *StateVisitor) {
	if v.Saving() && r.collect != nil {
		r.collect()
	}
	var rows []int // lengths of the lists read
	for _, c := range r.columns {
		c.visit(v, &rows)
	}
	v.Verify(func() error {
		for _, n := range rows {
			if n != rows[0] {
				return fmt.Errorf("columns of %d elements; they must be equal", rows)
			}
		}
		return nil
	})
	switch {
	case r.collect != nil: // the columns are copies
		v.AfterRestore(func() {
			if r.derive != nil {
				r.derive()
			}
		})
	case r.derive != nil:
		v.Derive(r.derive)
	}
}

func (r *Registers) Probes(yield func(Probe)) {
	for _, w := range r.wires {
		w.Probes(yield)
	}
	var shown []Register
	for _, c := range r.columns {
		if c.shown() {
			shown = append(shown, c)
		}
	}
	if len(shown) == 0 {
		return
	}
	for i := range r.bank.Size() {
		element := r.bank.Element(i)
		for _, c := range shown {
			yield(c.probe(element, i))
		}
	}
}

// Cells yields a probe of every register, even of one without Shown. The name of a probe consists of the component's
// path and the column. Lists, signed registers and components with Collect have no such probes.
func (r *Registers) Cells(yield func(Probe)) {
	if r.collect != nil {
		return
	}
	for _, c := range r.columns {
		c.each(r.path, yield)
	}
}

// Register is a column or a list of registers.
type Register interface {
	begin() // sets new, zeroed registers to their reset values
	each(path string, yield func(Probe))
	reset()
	visit(v *StateVisitor, rows *[]int)
	shown() bool
	probe(element string, i int) Probe
}

// RegisterColumn is a column whose length is a parameter.
type RegisterColumn[T Fixed] struct {
	name   string
	cells  []T
	resets []T
	checks []func(i int, value T) error
	bits   int
	states []string
}

// Column declares registers that reset to 0 and are not shown. checks validate the values of a restored state.
func Column[T Fixed](name string, cells []T, checks ...func(i int, value T) error) *RegisterColumn[T] {
	return &RegisterColumn[T]{name: name, cells: cells, checks: checks}
}

// ResetTo sets the reset values, repeated through the column.
func (c *RegisterColumn[T]) ResetTo(values ...T) *RegisterColumn[T] {
	c.resets = values
	return c
}

// Shown makes the registers visible as signals with a width of bits, one per element of the bank. states names the
// values of an enumeration.
func (c *RegisterColumn[T]) Shown(bits int, states ...string) *RegisterColumn[T] {
	c.bits, c.states = bits, states
	return c
}

func (c *RegisterColumn[T]) begin() {
	if len(c.resets) > 0 {
		c.reset()
	}
}

func (c *RegisterColumn[T]) reset() {
	if len(c.resets) == 0 {
		clear(c.cells)
		return
	}
	for done := copy(c.cells, c.resets); done < len(c.cells); done *= 2 { // done is a multiple of the repetition
		copy(c.cells[done:], c.cells[:done])
	}
}

func (c *RegisterColumn[T]) visit(v *StateVisitor, _ *[]int) {
	StateColumn(v, Future, c.name, c.cells, c.checks...)
}

func (c *RegisterColumn[T]) shown() bool { return c.bits > 0 }

func (c *RegisterColumn[T]) probe(element string, i int) Probe {
	path := element + "." + c.name
	p, ok := c.view(path, i, c.bits)
	if !ok {
		panic(fmt.Sprintf("hw: %s: signed registers cannot be shown", path))
	}
	return p
}

// view returns a probe of one register; with bits 0, the probe has the width of the register's type. ok is false for
// signed registers.
func (c *RegisterColumn[T]) view(path string, i, bits int) (p Probe, ok bool) {
	width := func(all int) int {
		if bits > 0 {
			return bits
		}
		return all
	}
	switch cells := any(c.cells).(type) {
	case []uint8:
		p = NewProbe(path, width(8), cells, i)
	case []uint16:
		p = NewProbe(path, width(16), cells, i)
	case []uint32:
		p = NewProbe(path, width(32), cells, i)
	case []uint64:
		p = NewProbe(path, width(64), cells, i)
	default:
		return p, false
	}
	p.States = c.states
	return p, true
}

func (c *RegisterColumn[T]) each(path string, yield func(Probe)) {
	for i := range c.cells {
		name := path + "." + c.name
		if len(c.cells) > 1 {
			name = fmt.Sprintf("%s[%d]", name, i)
		}
		if p, ok := c.view(name, i, c.bits); ok {
			yield(p)
		}
	}
}

type registerList[T Fixed] struct {
	name   string
	list   *[]T
	checks []func(i int, value T) error
}

// List declares a variable number of registers, 0 after reset.
func List[T Fixed](name string, list *[]T, checks ...func(i int, value T) error) Register {
	return &registerList[T]{name, list, checks}
}

func (l *registerList[T]) begin() {}
func (l *registerList[T]) reset() { *l.list = (*l.list)[:0] }

func (l *registerList[T]) visit(v *StateVisitor, rows *[]int) {
	if v.snapshot != nil {
		snapshotList(v.snapshot, v.snapshot.class(v.prefix, l.name, Future), l.list)
		return
	}
	if v.Saving() {
		saveList(v, l.name, *l.list)
		return
	}
	if values, ok := readColumn(v, l.name, -1, l.checks); ok {
		*rows = append(*rows, len(values))
		v.assign = append(v.assign, func() { *l.list = append((*l.list)[:0], values...) })
	}
}

func (l *registerList[T]) each(string, func(Probe)) {}
func (l *registerList[T]) shown() bool              { return false }
func (l *registerList[T]) probe(string, int) Probe  { panic("hw: a list is not shown") }

// Probe is a view of one element of a column: a signal for traces. A Probe is valid while the component keeps its
// columns; the components of this module never replace them.
type Probe struct {
	Path    string
	Bits    int      // 1..64
	States  []string // names of the values 0, 1, ... of an enumeration, or nil
	Decimal bool     // displayed in decimal

	// exactly one is set; a switch over four pointers is as fast as an unsafe load, and it is checked
	p8   *uint8
	p16  *uint16
	p32  *uint32
	p64  *uint64
	view func() uint64 // computes a signal that is not a register
}

// Probed is a component with signals. Probes yields each signal once, in an order that the component's parameters
// determine.
type Probed interface {
	Probes(yield func(Probe))
}

// NewProbe returns a probe of column[index]. bits is 1 to the width of T.
func NewProbe[T uint8 | uint16 | uint32 | uint64](path string, bits int, column []T, index int) Probe {
	return ProbeOf(path, bits, &column[index])
}

// ProbeOf returns a probe of one register. The register must not move.
func ProbeOf[T uint8 | uint16 | uint32 | uint64](path string, bits int, register *T) Probe {
	p := Probe{Path: path, Bits: bits}
	width := 0
	switch element := any(register).(type) {
	case *uint8:
		p.p8, width = element, 8
	case *uint16:
		p.p16, width = element, 16
	case *uint32:
		p.p32, width = element, 32
	case *uint64:
		p.p64, width = element, 64
	}
	if bits < 1 || bits > width {
		panic(fmt.Sprintf("hw: probe %s of %d bits on a column of %d bits", path, bits, width))
	}
	return p
}

// ViewProbe returns a probe with the value of view.
func ViewProbe(path string, bits int, view func() uint64) Probe {
	return Probe{Path: path, Bits: bits, view: view}
}

// Value returns the current value. Call it between DriveAndSettle and Latch.
func (p *Probe) Value() uint64 {
	switch {
	case p.p64 != nil:
		return *p.p64
	case p.p8 != nil:
		return uint64(*p.p8)
	case p.p16 != nil:
		return uint64(*p.p16)
	case p.p32 != nil:
		return uint64(*p.p32)
	default:
		return p.view()
	}
}
