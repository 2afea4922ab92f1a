package prove

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/flatten"
	"starloom/cosim/goals"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

const (
	twinSide  = "starloom_twin_side" // the twin with the model's ports
	rtlSide   = "starloom_rtl_side"  // the RTL with ports p0, p1, ...
	miterName = "starloom_miter"     // both sides and the comparison
	clockName = "starloom_miter_time"
	// output of a twin in proofs, which is 1 if the inputs of this cycle obey the rules of neighbours
	keptName = "kept_o"
	onName   = "starloom_miter_on" // input that gates all outputs; without this input Yosys drops constant outputs
	wasReset = "was_reset"         // 1 in the first cycle and after a reset
)

type miterText struct {
	*pinmap.Wires
	m       *pinmap.Map
	terms   *pinmap.Terms
	clocked bool
	given   *twin.Given // the model if it is RTL; otherwise nil
	rules   bool        // the comparison stops when a neighbour breaks a rule
	after   []uint64    // the model's outputs after a reset
	goals   []goalNet   // assertions of the RTL's print that are goals
	keeps   bool        // the register kept is 1 while all assumptions of the map have held
	b       strings.Builder
}

// moduleSides returns wrappers of both sides. The wrappers make the miter independent of module and port names. The
// RTL is printed with its parameters.
func (t *miterText) moduleSides() (twinText, rtlText string) {
	if t.given != nil {
		return t.givenSide(), t.rtlSide()
	}
	twinPorts := t.Model
	if t.rules {
		twinPorts = append(slices.Clone(twinPorts), cosim.Port{Name: keptName, Bits: 1})
	}
	return sideText(twinSide, t.m.Model, t.m.Parameters.Verilog(), twinPorts,
			func(i int) string { return twinPorts[i].Name }),
		t.rtlSide()
}

// rtlSide returns the wrapper of the RTL. The nets of goals follow its ports.
func (t *miterText) rtlSide() string {
	ports := slices.Clone(t.RTL)
	for _, g := range t.goals {
		ports = append(ports, cosim.Port{Name: g.net, Bits: 1})
	}
	return sideText(rtlSide, t.m.Source.Top, nil, ports, rtlPort)
}

func rtlPort(i int) string { return fmt.Sprintf("p%d", i) }

func sideText(side, module string, params map[string]string, ports []cosim.Port, name func(i int) string) string {
	var b strings.Builder
	var declared, connected, values []string
	for i, p := range ports {
		direction := "output"
		if p.Input {
			direction = "input"
		}
		declared = append(declared, fmt.Sprintf("%s %s%s", direction, rangeText(p.Bits), name(i)))
		connected = append(connected, fmt.Sprintf(".\\%s (%s)", p.Name, name(i)))
	}
	for _, key := range slices.Sorted(maps.Keys(params)) {
		values = append(values, fmt.Sprintf(".\\%s (%s)", key, params[key]))
	}
	fmt.Fprintf(&b, "module %s(%s);\n  \\%s ", side, strings.Join(declared, ", "), module)
	if len(values) > 0 {
		fmt.Fprintf(&b, "#(%s) ", strings.Join(values, ", "))
	}
	fmt.Fprintf(&b, "side(%s);\nendmodule\n", strings.Join(connected, ", "))
	return b.String()
}

func rangeText(bits int) string {
	if bits == 1 {
		return ""
	}
	return fmt.Sprintf("[%d:0] ", bits-1)
}

// A compared bit is an output bit of both sides, or a limit of the map for the RTL's outputs.
type comparedBit struct {
	port, bit int // port of the model, and bit
	limit     *pinmap.Limit
}

func (t *miterText) write() (text string, bits []comparedBit) {
	w := &t.b
	declared := []string{"input " + clockName, "input " + onName}
	for i, p := range t.Model {
		if p.Input && !p.Clock {
			declared = append(declared, fmt.Sprintf("input %s%s", rangeText(p.Bits), inputName(i)))
		}
	}
	for port, p := range t.Model {
		if !p.Input && !t.Absent[port] {
			for bit := range p.Bits {
				bits = append(bits, comparedBit{port: port, bit: bit})
			}
		}
	}
	for i := range t.Limits {
		if l := &t.Limits[i]; !t.Model[l.Port].Input {
			bits = append(bits, comparedBit{port: l.Port, limit: l})
		}
	}
	for _, name := range []string{"bad", "wanted", "got", "counts"} {
		declared = append(declared, fmt.Sprintf("output [%d:0] %s", len(bits)-1, name))
	}
	declared = append(declared, t.goalPorts()...)
	declared = append(declared, "output comparable", "output steady")
	fmt.Fprintf(w, "module %s(%s);\n", miterName, strings.Join(declared, ", "))
	t.writeReset()
	t.writeSides()
	t.writeAssumed()
	t.writeOutputs(bits)
	t.writeSteady()
	t.writeGoals()
	fmt.Fprintf(w, "  assign counts = {%d{comparable}} & {%s};\n  assign bad = (wanted ^ got) & counts;\nendmodule\n",
		len(bits), t.counts(bits))
	return w.String(), bits
}

func inputName(port int) string                { return fmt.Sprintf("in%d", port) }
func twinName(port int) string                 { return fmt.Sprintf("twin%d", port) }
func rtlName(port int) string                  { return fmt.Sprintf("rtl%d", port) }
func (t *miterText) isReset(p cosim.Port) bool { return t.clocked && p.Input && p.Name == "reset" }

// writeReset asserts reset in the first cycle and leaves it free afterwards. RTL without a reset gets no later reset,
// and the comparison begins after the map's number of cycles.
func (t *miterText) writeReset() {
	w := &t.b
	now := "1'b0"
	if t.clocked {
		reset := slices.IndexFunc(t.Model, t.isReset)
		fmt.Fprintf(w, "  reg first = 1'b1;\n  always @(posedge %s) first <= 1'b0;\n", clockName)
		later, flushed := inputName(reset), "1'b1"
		if t.m.KeepsState() {
			later = "1'b0"
			if n := t.m.Timing.ResetCycles; n > 0 {
				flushed = fmt.Sprintf("off == 32'd%d", n)
				fmt.Fprintf(w, "  reg [31:0] off;\n  always @(posedge %s) off <= reset ? 32'd0 : %s ? off : off + 32'd1;\n",
					clockName, flushed)
			}
		}
		fmt.Fprintf(w, "  wire reset = %s | first;\n  assign comparable = !reset && allowed && %s && %s;\n", later, flushed,
			onName)
		now = "reset"
	} else {
		fmt.Fprint(w, "  assign comparable = allowed && "+onName+";\n")
	}
	if t.usesPast() || slices.Max(append([]int{0}, t.Late...)) > 0 {
		fmt.Fprintf(w, "  reg %s = 1'b1;\n  always @(posedge %s) %s <= %s;\n", wasReset, clockName, wasReset, now)
	}
}

func (t *miterText) writeSteady() {
	late := slices.Max(append([]int{0}, t.Late...))
	if late == 0 || !t.clocked {
		fmt.Fprint(&t.b, "  assign steady = comparable;\n")
		return
	}
	fmt.Fprintf(&t.b, "  reg [31:0] since;\n  always @(posedge %s) since <= reset ? 32'd0 : since == 32'd%d ? since : "+
		"since + 32'd1;\n", clockName, late)
	fmt.Fprintf(&t.b, "  assign steady = comparable && since == 32'd%d;\n", late)
}

func (t *miterText) driven(port int) string {
	switch p := t.Model[port]; {
	case p.Clock:
		return clockName
	case t.isReset(p):
		return "reset"
	}
	return inputName(port)
}

func (t *miterText) writeSides() {
	w := &t.b
	t.writeTwin("twin", twinName, t.driven)
	for i, p := range t.RTL {
		if !p.Input {
			fmt.Fprintf(w, "  wire %s%s;\n", rangeText(p.Bits), rtlName(i))
		}
	}
	t.writeGates()
	t.writePast()
	var connected []string
	for i, p := range t.RTL {
		from := rtlName(i)
		if p.Clock {
			from = clockName
		} else if p.Input {
			from = t.joined(t.Pins[i])
		}
		connected = append(connected, fmt.Sprintf("\n    .p%d(%s)", i, from))
	}
	for i := range t.goals {
		fmt.Fprintf(w, "  wire fails%d;\n", i)
		connected = append(connected, fmt.Sprintf("\n    .p%d(fails%d)", len(t.RTL)+i, i))
	}
	fmt.Fprintf(w, "  %s rtl(%s);\n", rtlSide, strings.Join(connected, ","))
}

func (t *miterText) writeTwin(instance string, output, input func(port int) string) {
	w := &t.b
	var connected []string
	for i, p := range t.Model {
		from := ""
		if p.Input {
			from = input(i)
		} else {
			from = output(i)
			fmt.Fprintf(w, "  wire %s%s;\n", rangeText(p.Bits), from)
		}
		connected = append(connected, fmt.Sprintf("\n    .\\%s (%s)", p.Name, from))
	}
	for i, p := range t.Model {
		if t.given != nil && !p.Input {
			fmt.Fprintf(w, "  wire %s%s;\n", rangeText(p.Bits), openName(output(i)))
			connected = append(connected, fmt.Sprintf("\n    .x%d(%s)", i, openName(output(i))))
		}
	}
	if t.rules {
		fmt.Fprintf(w, "  wire %s_kept;\n", instance)
		connected = append(connected, fmt.Sprintf("\n    .%s(%s_kept)", keptName, instance))
	}
	fmt.Fprintf(w, "  %s %s(%s);\n", twinSide, instance, strings.Join(connected, ","))
}

func (t *miterText) joined(bits []pinmap.Bit) string {
	var all []string
	for _, b := range slices.Backward(bits) {
		all = append(all, t.bitText(b))
	}
	return "{" + strings.Join(all, ", ") + "}"
}

func (t *miterText) bitText(b pinmap.Bit) (text string) {
	switch b.Origin {
	case pinmap.Constant:
		text = "1'b0"
	case pinmap.OfModel:
		text = bitText(t.driven(b.Port), b.Bit, t.Model[b.Port].Bits)
	case pinmap.OfRTL:
		text = bitText(rtlName(b.Port), b.Bit, t.RTL[b.Port].Bits)
	case pinmap.OfGate:
		text = fmt.Sprintf("gate%d", b.Port)
	}
	if b.Inverted {
		text = "~" + text
	}
	return text
}

func (t *miterText) writeGates() {
	for i, g := range t.Gates {
		operation, none := "|", "1'b0"
		if g.And {
			operation, none = "&", "1'b1"
		}
		text := none
		if len(g.Inputs) > 0 {
			text = operation + t.joined(g.Inputs)
		}
		fmt.Fprintf(&t.b, "  wire gate%d = %s;\n", i, text)
	}
}

// writeAssumed disables the comparison from the first cycle in which inputs violate the map's limits, the map's
// assumptions or the rules of neighbours.
func (t *miterText) writeAssumed() {
	w := &t.b
	var all []string
	for _, l := range t.Limits {
		if t.Model[l.Port].Input {
			all = append(all, fmt.Sprintf("%s == %s", t.bitText(l.Is), t.bitText(l.Must)))
		}
	}
	always := "1'b1" // the limits hold during reset, too
	for _, c := range t.terms.Assume {
		if all = append(all, t.verilog(c)); c.OfInputs() {
			always += " && (" + t.verilog(c) + ")"
		}
	}
	if t.rules {
		all = append(all, "twin_kept")
	}
	if len(all) == 0 {
		fmt.Fprint(w, "  wire allowed = 1'b1;\n")
		return
	}
	now := "(" + strings.Join(all, ") && (") + ")"
	if t.keeps = t.clocked; t.clocked {
		fmt.Fprintf(w, "  reg kept = 1'b1;\n  wire allowed = kept && %s && (reset || %s);\n  always @(posedge %s) kept <= "+
			"allowed;\n",
			always, now, clockName)
	} else {
		fmt.Fprintf(w, "  wire allowed = %s;\n", now)
	}
}

func bitText(name string, bit, of int) string {
	if of == 1 {
		return name
	}
	return fmt.Sprintf("%s[%d]", name, bit)
}

// writeOutputs aligns both sides as lockstep does. The twin's outputs are delayed for late RTL; outputs of early RTL
// are delayed by one cycle.
func (t *miterText) writeOutputs(bits []comparedBit) {
	w := &t.b
	var wanted, got []string
	late := false
	for port, p := range t.Model {
		if p.Input || t.Absent[port] {
			continue
		}
		outputs := t.Ports[port]
		late = late || t.Late[port] > 0
		name := t.Model[port].Name
		fmt.Fprintf(w, "  // %s\n", name)
		width := rangeText(t.Model[port].Bits)
		model, rtl := twinName(port), fmt.Sprintf("got%d", port)
		fmt.Fprintf(w, "  wire %s%s = %s;\n", width, rtl, t.joined(outputs))
		switch n := t.Late[port]; {
		case n < 0:
			fmt.Fprintf(w, "  reg %searly%d;\n  always @(posedge %s) early%d <= reset ? %s : %s;\n",
				width, port, clockName, port, t.resetValue(port), rtl)
			rtl = fmt.Sprintf("early%d", port)
		case n > 0:
			model = t.writeLine(port, n, "line", model, fmt.Sprintf("after%d", port))
		}
		t.writeOpen(port)
		wanted, got = append(wanted, model), append(got, rtl)
	}
	if late {
		t.writeAfterReset()
	}
	t.writeCounts()
	for _, b := range bits {
		if b.limit != nil {
			wanted, got = append(wanted, t.bitText(b.limit.Must)), append(got, t.bitText(b.limit.Is))
		}
	}
	slices.Reverse(wanted)
	slices.Reverse(got)
	for _, side := range []struct {
		name string
		bits []string
	}{{"wanted", wanted}, {"got", got}} {
		fmt.Fprintf(w, "  assign %s = {%s} & {%d{%s}};\n", side.name, strings.Join(side.bits, ", "), len(bits), onName)
	}
}

// writeLine delays an output of the twin by n cycles. A reset fills the delay line with the output's value after a
// reset, for inputs of 0.
func (t *miterText) writeLine(port, n int, name, from, after string) string {
	w := &t.b
	width := rangeText(t.Model[port].Bits)
	var stages []string
	for i := range n {
		stages = append(stages, fmt.Sprintf("%s%d_%d", name, port, i))
		fmt.Fprintf(w, "  reg %s%s;\n  wire %s%s_now = %s ? %s : %s;\n", width, stages[i], width, stages[i],
			wasReset, after, stages[i])
	}
	fmt.Fprintf(w, "  always @(posedge %s) begin\n    %s <= %s;\n", clockName, stages[0], from)
	for i := 1; i < n; i++ {
		fmt.Fprintf(w, "    %s <= %s_now;\n", stages[i], stages[i-1])
	}
	fmt.Fprint(w, "  end\n")
	return stages[n-1] + "_now"
}

// writeAfterReset instantiates a second twin that is always in reset, with all other inputs 0 as in lockstep. The
// second twin supplies the values after a reset.
func (t *miterText) writeAfterReset() {
	t.writeTwin("after_reset", func(port int) string { return fmt.Sprintf("after%d", port) }, func(port int) string {
		switch p := t.Model[port]; {
		case p.Clock:
			return clockName
		case t.isReset(p):
			return "1'b1"
		default:
			return fmt.Sprintf("%d'b0", p.Bits)
		}
	})
}

func (t *miterText) resetValue(port int) string {
	p := t.Model[port]
	var b strings.Builder
	fmt.Fprintf(&b, "%d'b", p.Bits)
	for bit := p.Bits - 1; bit >= 0; bit-- {
		fmt.Fprint(&b, t.after[p.Word+bit/64]>>(bit%64)&1)
	}
	return b.String()
}

func (t *miterText) goalPorts() []string {
	if len(t.goals) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("output [%d:0] fails", len(t.goals)-1), "output goals_count", "output goals_begin",
		"output goals_obeyed"}
}

// writeGoals writes the outputs of goals. A goal counts from the cycle after its past values exist, while all
// assumptions of the RTL and of the map have held.
func (t *miterText) writeGoals() {
	if len(t.goals) == 0 {
		return
	}
	w := &t.b
	most := 1
	for _, g := range t.goals {
		most = max(most, g.after)
	}
	age := func(after int) string { return "1'b1" }
	if t.clocked {
		fmt.Fprintf(w, "  reg [%d:0] age = 0;\n  always @(posedge %s) age <= {age, 1'b1};\n", most, clockName)
		age = func(after int) string { return fmt.Sprintf("age[%d]", after) }
	}
	broken, nets := []string{"1'b0"}, []string{"1'b0"}
	for i, g := range t.goals {
		if g.assumed() {
			nets = append(nets, fmt.Sprintf("fails%d", i))
			broken = append(broken, fmt.Sprintf("fails%d && %s", i, age(g.after)))
		}
	}
	fmt.Fprintf(w, "  wire obeyed = allowed && !(%s);\n", strings.Join(broken, " || "))
	begin := onName
	if t.clocked {
		fmt.Fprintf(w, "  reg obeys = 1'b1;\n  always @(posedge %s) obeys <= obeys && obeyed;\n", clockName)
		begin += " && obeys"
	}
	if t.keeps {
		begin += " && kept"
	}
	fmt.Fprintf(w, "  assign goals_begin = %s && %s;\n  assign goals_count = goals_begin && obeyed;\n"+
		"  assign goals_obeyed = !(%s) && %s;\n", begin, age(0), strings.Join(nets, " || "), onName)
	for i, g := range t.goals {
		fmt.Fprintf(w, "  assign fails[%d] = fails%d && goals_count && %s;\n", i, i, age(g.after))
	}
}

// A goalNet is an assertion of the print that is a goal of the source, in one instance of its module.
type goalNet struct {
	goal         int // number in the text
	when         bool
	kind         string
	after        int
	net          string
	scope, clock string
}

func goalsOf(text *goals.Text, m *flatten.Module) (all []goalNet) {
	for _, a := range m.Assertions {
		if i, when, ok := goals.Marked(a.Text); ok {
			g := &text.Goals[i]
			all = append(all, goalNet{i, when, g.Kind, g.After, a.Net, a.Scope, a.Clock})
		}
	}
	return all
}

func (g *goalNet) assumed() bool { return g.kind == goals.Assume }
