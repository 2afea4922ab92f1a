package prove

import (
	"fmt"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/condition"
)

func (t *miterText) port(name string) int {
	return slices.IndexFunc(t.Model, func(p cosim.Port) bool { return p.Name == name })
}

func (t *miterText) sight(u condition.Use) string {
	port := t.port(u.Port.Name)
	switch {
	case u.Past:
		return fmt.Sprintf("past%d", port)
	case u.Port.Input:
		return t.driven(port)
	}
	return twinName(port)
}

func (t *miterText) conditions() (all []*condition.Condition) {
	all = append(all, t.terms.Assume...)
	for _, c := range t.terms.Compare {
		if c != nil {
			all = append(all, c)
		}
	}
	return all
}

func (t *miterText) usesPast() bool {
	return slices.ContainsFunc(t.conditions(), (*condition.Condition).UsesPast)
}

func (t *miterText) verilog(c *condition.Condition) string { return c.Verilog(t.sight, wasReset) }

func (t *miterText) writePast() {
	done := map[int]bool{}
	for _, c := range t.conditions() {
		for _, u := range c.Uses() {
			port := t.port(u.Port.Name)
			if !u.Past || done[port] {
				continue
			}
			done[port] = true
			now := t.sight(condition.Use{Port: u.Port})
			fmt.Fprintf(&t.b, "  reg %spast%d;\n  always @(posedge %s) past%d <= %s;\n", rangeText(u.Port.Bits),
				port, clockName, port, now)
		}
	}
}

// writeCounts writes a wire for every conditional output. The condition refers to the model's cycle, even for late
// RTL. After a reset, pending cycles with conditions on inputs do not count.
func (t *miterText) writeCounts() {
	w := &t.b
	for port, c := range t.terms.Compare {
		if c == nil {
			continue
		}
		now, late := t.verilog(c), max(t.Late[port], 0)
		if late == 0 {
			fmt.Fprintf(w, "  wire counts%d = %s;\n", port, now)
			continue
		}
		fmt.Fprintf(w, "  reg [%d:0] counting%d;\n", late-1, port)
		fmt.Fprintf(w, "  wire [%d:0] counted%d = %s ? {%d{%s}} : counting%d;\n", late-1, port, wasReset,
			late, t.afterReset(c), port)
		fmt.Fprintf(w, "  wire counts%d = counted%d[%d];\n", port, port, late-1)
		next := now
		if late > 1 {
			next = fmt.Sprintf("{counted%d[%d:0], %s}", port, late-2, now)
		}
		fmt.Fprintf(w, "  always @(posedge %s) counting%d <= %s;\n", clockName, port, next)
	}
}

func (t *miterText) afterReset(c *condition.Condition) string {
	if slices.ContainsFunc(c.Uses(), func(u condition.Use) bool { return u.Port.Input }) {
		return "1'b0"
	}
	return c.Verilog(func(u condition.Use) string {
		if u.Past {
			return t.sight(u)
		}
		return fmt.Sprintf("after%d", t.port(u.Port.Name))
	}, "1'b1")
}

func (t *miterText) counts(bits []comparedBit) string {
	var all []string
	for _, b := range slices.Backward(bits) {
		if b.limit == nil && t.terms.Compare[b.port] != nil {
			all = append(all, fmt.Sprintf("counts%d", b.port)+t.known(b))
		} else {
			all = append(all, "1'b1"+t.known(b))
		}
	}
	return strings.Join(all, ", ")
}
