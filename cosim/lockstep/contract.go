package lockstep

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/condition"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/hw"
)

// Contract records the assumptions and compare conditions of a check (see pinmap.Contract) and their effects on its
// inputs and outputs.
type Contract struct {
	Assumed []string `json:"assume"` // conditions on inputs, kept in all cycles without reset

	// Redrawn counts random input cycles that broke an assumption and were replaced. Reset counts the redrawn cycles
	// without a legal replacement, in which reset was asserted instead.
	Redrawn uint64 `json:"redrawn_cycles"`
	Reset   uint64 `json:"reset_cycles"`

	// Cycles counts the compared cycles. Compare lists the conditional outputs with their own counts.
	Cycles  uint64    `json:"compared_cycles"`
	Compare []Counted `json:"compare"`
}

// Counted is an output that is compared only while a condition holds.
type Counted struct {
	Output string `json:"output"`
	When   string `json:"when"`
	Cycles uint64 `json:"cycles"`
}

const redrawsMax = 300

// deadEndsMax is the number of cycles without legal inputs after which the check gives up, if no cycle has had legal
// inputs.
const deadEndsMax = 32

type contract struct {
	*pinmap.Terms
	pins   *pinmap.Map
	model  *twin.Model
	sight  *condition.Sight
	gates  []gate
	fit    func(inputs []uint64) // restricts inputs to the map's wiring
	before []uint64
	mask   []uint64 // output bits compared in this cycle
	met    bool
	held   []bool // by assumption: true after some drawn inputs met the assumption
	err    error
	counts bool // the report counts this run
	is     Contract
}

type gate struct {
	port    cosim.Port
	when    *condition.Condition
	line    []bool // for late RTL: true for each pending model cycle whose outputs are to be compared
	on      bool
	counted *Counted
}

func newContract(m *pinmap.Map, model *twin.Model, terms *pinmap.Terms, fit func(inputs []uint64),
	late []int) *contract {
	if len(terms.Assume) == 0 &&
		!slices.ContainsFunc(terms.Compare, func(c *condition.Condition) bool { return c != nil }) {
		return nil
	}
	c := &contract{Terms: terms, pins: m, model: model,
		sight: condition.NewSight(model.Inputs(), model.Outputs()), fit: fit}
	c.before, c.held = make([]uint64, len(model.Inputs())), make([]bool, len(terms.Assume))
	c.is.Assumed, c.is.Compare = []string{}, []Counted{}
	for _, a := range terms.Assume {
		c.is.Assumed = append(c.is.Assumed, a.Text)
	}
	for i, when := range terms.Compare {
		if when != nil {
			c.is.Compare = append(c.is.Compare, Counted{Output: model.Ports()[i].Name, When: when.Text})
			c.gates = append(c.gates, gate{port: model.Ports()[i], when: when, line: make([]bool, late[i])})
		}
	}
	for i := range c.gates {
		c.gates[i].counted = &c.is.Compare[i]
	}
	return c
}

func (c *contract) broken() int {
	return slices.IndexFunc(c.Assume, func(a *condition.Condition) bool { return !a.Holds(c.sight) })
}

func (c *contract) inReset() bool {
	return c.model.Clocked() && c.model.Inputs()[c.model.ResetWord()]&1 != 0
}

// brokenInReset reports whether an assumption about inputs alone is violated. During reset, only these assumptions
// apply.
func (c *contract) brokenInReset() bool {
	return slices.ContainsFunc(c.Assume, func(a *condition.Condition) bool { return a.OfInputs() && !a.Holds(c.sight) })
}

func (c *contract) respectInReset(redraw func(attempt int), inputs []uint64) {
	for attempt := 1; attempt < redrawsMax && c.brokenInReset(); attempt++ {
		redraw(attempt)
		inputs[c.model.ResetWord()] = 1
		c.fit(inputs)
	}
}

// respect redraws random inputs until the inputs meet all assumptions. If redrawsMax attempts fail, respect asserts
// reset instead. It returns false, with c.err set, if the model has no reset or no cycle ever met the assumptions.
func (c *contract) respect(redraw func(attempt int), cycle uint64, inputs []uint64) (ok bool) {
	if len(c.Assume) == 0 {
		return true
	}
	if c.inReset() {
		c.respectInReset(redraw, inputs)
		return true
	}
	for attempt := range redrawsMax {
		if attempt > 0 {
			redraw(attempt)
		}
		c.fit(inputs)
		_ = c.model.Settle()
		at := c.broken()
		if at < 0 {
			if c.met = true; attempt > 0 && c.counts {
				c.is.Redrawn++
			}
			return true
		}
		for i := range at {
			c.held[i] = true
		}
	}
	if c.counts {
		c.is.Redrawn, c.is.Reset = c.is.Redrawn+1, c.is.Reset+1
	}
	if !c.model.Clocked() || !c.met && c.is.Reset >= deadEndsMax {
		c.err = c.unsatisfiable(cycle)
		return false
	}
	inputs[c.model.ResetWord()] = 1
	return true
}

func (c *contract) unsatisfiable(cycle uint64) error {
	at := max(slices.Index(c.held, false), 0)
	reason := fmt.Sprintf("no inputs were found that meet %q, and no earlier cycle met all conditions of "+
		"assume", c.Assume[at].Text)
	if c.met {
		reason = fmt.Sprintf("no inputs were found in cycle %d that meet %q and all other conditions of assume",
			cycle, c.Assume[at].Text)
	}
	return &cosim.InputError{
		Place:  c.pins.Place(c.pins.AssumeKey(at)),
		Reason: fmt.Sprintf("%s: %d were tried for each cycle", reason, redrawsMax),
		Remedy: "if such inputs exist, rewrite the condition, or give the inputs with --stimulus FILE",
	}
}

func (c *contract) breaks(s *Stimulus, row uint64, at int) error {
	where := fmt.Sprintf("in cycle %d", s.cycleOf(row))
	if s.cycleOf(row) == hw.CycleOfReset {
		where = fmt.Sprintf("in cycle %d of the reset before the run", row)
	}
	return &cosim.InputError{
		Place: s.Place,
		Reason: fmt.Sprintf("%s the inputs break an assumption of %s: %s", where,
			cmp.Or(c.pins.Place(c.pins.AssumeKey(at)), "the map"), c.Assume[at].Text),
		Remedy: "give inputs that meet it, or delete it from assume if the RTL must tolerate such inputs",
	}
}

// weigh derives c.mask, the mask of the output bits to compare in a settled cycle, from all by clearing the outputs
// whose condition is false. If asked is set, weigh first checks the assumptions. A violated assumption stops the run;
// for given inputs, it is an error.
func (c *contract) weigh(cycle uint64, all []uint64, asked bool, s *Stimulus) (stop bool, err error) {
	if c == nil {
		return false, nil
	}
	if asked {
		if at := c.broken(); at >= 0 {
			if !c.counts { // nothing is reported while a case is shrunk
				return true, nil
			}
			return true, c.breaks(s, cycle, at)
		}
	}
	if !c.counts && c.inReset() && c.brokenInReset() {
		return true, nil
	}
	c.mask = append(c.mask[:0], all...)
	for i := range c.gates {
		g := &c.gates[i]
		g.on = g.when.Holds(c.sight)
		if len(g.line) > 0 {
			at := cycle % uint64(len(g.line))
			g.line[at], g.on = g.on, g.line[at]
		}
		if !g.on {
			clear(c.mask[g.port.Word:][:g.port.Words()])
		}
	}
	return false, nil
}

func (c *contract) count() {
	if c == nil || !c.counts {
		return
	}
	c.is.Cycles++
	for i := range c.gates {
		if c.gates[i].on {
			c.gates[i].counted.Cycles++
		}
	}
}

func (c *contract) begin(counts bool) {
	if c != nil {
		c.counts = counts
		c.sight.Reset()
	}
}

func (c *contract) next() {
	if c != nil {
		c.sight.Next()
	}
}

func (c *contract) linesOf() (lines [][]bool) {
	for i := 0; c != nil && i < len(c.gates); i++ {
		lines = append(lines, slices.Clone(c.gates[i].line))
	}
	return lines
}

func (c *contract) resume(lines [][]bool, reset bool) {
	if c == nil {
		return
	}
	if c.sight.Reset(); !reset {
		c.sight.Next() // conditions may refer to ports of the previous cycle
	}
	for i, line := range lines {
		copy(c.gates[i].line, line)
	}
}

func (c *contract) failure() error {
	if c == nil {
		return nil
	}
	return c.err
}

// resetAll ends a cycle with reset on. It also decides the pending cycles of late RTL. In these cycles, a condition
// on inputs counts as false.
func (c *contract) resetAll() {
	if c == nil {
		return
	}
	c.sight.Reset()
	for i := range c.gates {
		if g := &c.gates[i]; len(g.line) > 0 {
			ofInputs := slices.ContainsFunc(g.when.Uses(), func(u condition.Use) bool { return u.Port.Input })
			holds := !ofInputs && g.when.Holds(c.sight)
			for k := range g.line {
				g.line[k] = holds
			}
		}
	}
}

func (c *contract) never() (names []string) {
	for _, g := range c.gates {
		if g.counted.Cycles == 0 {
			names = append(names, g.port.Name)
		}
	}
	return names
}

func (c *contract) neverCompared(name string) error {
	key := "compare." + name
	for written := range c.pins.Compare {
		if written == name || written+"_o" == name {
			key = "compare." + written
		}
	}
	when := c.is.Compare[slices.IndexFunc(c.is.Compare, func(o Counted) bool { return o.Output == name })].When
	return &cosim.InputError{
		Place: c.pins.Place(key),
		Reason: fmt.Sprintf("%s did not count in any of %s, so it was never compared: %s", name,
			cosim.Count(c.is.Cycles, "cycle"), when),
		Remedy: fmt.Sprintf("correct the condition, give inputs that satisfy it, or leave the output out: absent: [%s]",
			name),
	}
}

// Clone returns a copy to which other contracts can be added.
func (c *Contract) Clone() *Contract {
	if c == nil {
		return nil
	}
	all := *c
	all.Compare = slices.Clone(c.Compare)
	return &all
}

// Add adds the counts of another check of the same map.
func (c *Contract) Add(other *Contract) {
	if c == nil {
		return
	}
	c.Redrawn, c.Reset, c.Cycles = c.Redrawn+other.Redrawn, c.Reset+other.Reset, c.Cycles+other.Cycles
	for i := range c.Compare {
		c.Compare[i].Cycles += other.Compare[i].Cycles
	}
}

// Lines describes the contract: a line for the assumptions and one for each conditional output.
func (c *Contract) Lines() (lines []string) {
	if c == nil {
		return nil
	}
	if len(c.Assumed) > 0 {
		line := "assumed of the inputs: " + strings.Join(c.Assumed, "; ")
		if c.Redrawn > 0 {
			line += fmt.Sprintf(" (%s drawn again", cosim.Count(c.Redrawn, "cycle"))
			if c.Reset > 0 {
				line += fmt.Sprintf(", %s of them reset instead", cosim.Count(c.Reset, "cycle"))
			}
			line += ")"
		}
		lines = append(lines, line)
	}
	for _, o := range c.Compare {
		lines = append(lines,
			fmt.Sprintf("%s counted in %s of %s: when %s", o.Output, cosim.Digits(o.Cycles),
				cosim.Count(c.Cycles, "cycle"), o.When))
	}
	return lines
}

// extend appends random inputs without reset to a stimulus that begins after a reset. It stops early if no legal
// inputs are found. The model runs in parallel, since assumptions may depend on the model's outputs.
func (c *contract) extend(s *Stimulus, schedule *twin.Schedule, cycles uint64, initial []byte) {
	_ = c.model.Restore(initial)
	c.begin(false)
	inputs := c.model.Inputs()
	step := func() {
		_ = c.model.Settle()
		c.next()
		c.model.Latch()
	}
	for row := range s.Cycles() {
		copy(inputs, s.row(row))
		step()
	}
	for cycle := range cycles {
		copy(c.before, inputs)
		c.model.Stimulate(schedule, cycle, inputs)
		inputs[c.model.ResetWord()] = 0
		redraw := func(attempt int) { c.model.Redraw(schedule, cycle, attempt, inputs, c.before) }
		if !c.respect(redraw, cycle, inputs) || inputs[c.model.ResetWord()] != 0 {
			break
		}
		s.rows = append(s.rows, inputs...)
		step()
	}
	s.mask()
}
