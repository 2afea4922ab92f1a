package flatten

import (
	"fmt"
	"slices"
	"strings"
)

func (pr *printer) registerText() {
	var power strings.Builder
	for _, v := range pr.order {
		if len(v.registers) > 0 {
			name := v.printed
			if len(v.comb) > 0 {
				name = pr.nameOf(v.name + "_q")
				fmt.Fprintf(&pr.declare, "  reg %s%s;\n", vectorOf(v.what.bits), name)
				for _, r := range v.registers {
					bits := func(of string) string { return rangeText(of, v.what.bits, r.low, r.width) }
					fmt.Fprintf(&pr.body, "  assign %s = %s;\n", bits(v.printed), bits(name))
				}
			}
			for _, r := range v.registers {
				pr.oneRegister(v, name, r)
			}
			pr.powerText(&power, v, name)
		}
		if len(v.ports) > 0 {
			pr.memoryText(v)
			pr.powerText(&power, v, v.printed)
		}
	}
	if power.Len() > 0 {
		fmt.Fprintf(&pr.body, "`ifdef %s\n  initial begin\n%s  end\n`endif\n", DefinePowerOn, power.String())
	}
}

func (pr *printer) edgeText(e event) string {
	if e.falling {
		return "negedge " + pr.ref(e.e)
	}
	return "posedge " + pr.ref(e.e)
}

func (pr *printer) onText(e event) string {
	if e.falling {
		return "!" + pr.ref(e.e)
	}
	return pr.ref(e.e)
}

// oneRegister prints some bits of a register. A reset without a value for these bits only disables the clock.
func (pr *printer) oneRegister(v *variable, name string, r register) {
	bits := rangeText(name, v.what.bits, r.low, r.width)
	edges, next := pr.edgeText(r.clock), pr.ref(r.next)
	var body strings.Builder
	holds := slices.ContainsFunc(r.resets, func(x reset) bool { return x.value == nil })
	for _, x := range r.resets {
		if holds && x.value != nil && len(r.resets) > 1 {
			panic(pr.refuse(v.at, v.name+" reacts to one of its asynchronous resets but not to another",
				"reset it in both, or in neither"))
		}
		if x.value == nil {
			fmt.Fprintf(&body, "if (%s) begin end else ", pr.onText(x.event))
			continue
		}
		edges += " or " + pr.edgeText(x.event)
		fmt.Fprintf(&body, "if (%s) %s <= %s; else ", pr.onText(x.event), bits, literalText(x.value))
	}
	fmt.Fprintf(&pr.body, "  always @(%s) %s%s <= %s;\n", edges, body.String(), bits, next)
}

func (pr *printer) memoryText(v *variable) {
	clock := v.ports[0].clock
	var body strings.Builder
	for _, w := range v.ports {
		if w.clock != clock {
			panic(pr.refuse(v.at, v.name+" is written with several clocks", "prove the part of one clock"))
		}
		address := rangeText(v.printed+"["+pr.ref(w.address)+"]", v.what.element.bits, w.low, w.width)
		fmt.Fprintf(&body, "    if (%s) %s <= %s;\n", pr.ref(w.when), address, pr.ref(w.data))
	}
	fmt.Fprintf(&pr.body, "  always @(%s) begin\n%s  end\n", pr.edgeText(clock), body.String())
}

func (pr *printer) powerText(to *strings.Builder, v *variable, name string) {
	if v.power == nil {
		return
	}
	known := false
	word, count := v.what.bits, 1
	if v.memory {
		word, count = v.what.element.bits, v.what.elements
	}
	for i := range count {
		for _, p := range v.power.parts[v.power.at(i*word):] {
			low, end := max(p.low, i*word), min(p.end(), (i+1)*word)
			if low >= end {
				break
			}
			if !p.written || p.e.allUnknown() {
				continue
			}
			known = true
			of := name
			if v.memory {
				of = fmt.Sprintf("%s[%d]", name, i)
			}
			fmt.Fprintf(to, "    %s = %s;\n", rangeText(of, word, low-i*word, end-low),
				literalText(pr.g.slice(p.e, low-p.low, end-low)))
		}
	}
	if known {
		pr.drop(v.at, fmt.Sprintf("the value of %s at power-on%s", v.name, BeginsWithAny))
	}
}
