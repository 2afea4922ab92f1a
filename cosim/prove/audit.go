package prove

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type netlist struct {
	Modules map[string]struct {
		Ports map[string]netPort
		Cells map[string]struct {
			Type       string
			Parameters map[string]any
			Directions map[string]string `json:"port_directions"`
			Connected  map[string][]any  `json:"connections"`
		}
	}
}

type netPort struct {
	Direction string
	Bits      []any
}

func shorted(ports map[string]netPort) error {
	owner := map[string]string{}
	for _, name := range sortedKeys(ports) {
		if ports[name].Direction != "input" {
			continue
		}
		for _, b := range ports[name].Bits {
			_, constant := b.(string)
			if other := owner[fmt.Sprint(b)]; constant || other != "" {
				return refuse("input %s is also driven by the design", name)
			}
			owner[fmt.Sprint(b)] = name
		}
	}
	return nil
}

// audit rejects cells that a one-clock and-inverter graph misrepresents: additional clocks and edges, a clock used as
// data, tri-states, unmapped memory, and divisions without a defined result. A print guards its divisions.
func audit(text []byte, side, clock string, guarded bool) error {
	var n netlist
	if err := json.Unmarshal(text, &n); err != nil {
		return fmt.Errorf("Yosys' netlist: %w", err)
	}
	m, ok := n.Modules[side]
	if !ok {
		return fmt.Errorf("Yosys' netlist lacks %s", side)
	}
	tick := ""
	for name, p := range m.Ports {
		if name == clock && len(p.Bits) == 1 {
			tick = fmt.Sprint(p.Bits[0])
		}
	}
	if err := shorted(m.Ports); err != nil {
		return err
	}
	for name, p := range m.Ports {
		if p.Direction != "input" && tick != "" &&
			slices.ContainsFunc(p.Bits, func(b any) bool { return fmt.Sprint(b) == tick }) {
			return refuse("output %s is the clock: only registers can be clocked", name)
		}
	}
	for _, name := range sortedKeys(m.Cells) {
		c := m.Cells[name]
		where := cellName(name)
		if reason := unknownCell(c.Type, c.Connected["B"], guarded); reason != "" {
			return refuse("%s (%s) %s", where, strings.TrimPrefix(c.Type, "$"), reason)
		}
		for _, port := range sortedKeys(c.Connected) {
			for _, b := range c.Connected[port] {
				isClock := tick != "" && fmt.Sprint(b) == tick
				switch {
				case port == "CLK" && !isClock:
					return refuse("register %s has its own clock: the design may have only one clock, with no logic between it and "+
						"the "+
						"registers", where)
				case port == "CLK" && !positive(c.Parameters["CLK_POLARITY"]):
					return refuse("register %s is clocked by the falling edge: a cycle has only the rising edge", where)
				case port != "CLK" && isClock:
					return refuse("%s (%s) takes the clock as data", where, strings.TrimPrefix(c.Type, "$"))
				}
			}
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func cellName(name string) string {
	if at := strings.IndexByte(name, '$'); at == 0 {
		if parts := strings.Split(name, "$"); len(parts) > 2 {
			return parts[len(parts)-2]
		}
	}
	return strings.TrimPrefix(name, "side.")
}

func positive(value any) bool {
	switch v := value.(type) {
	case float64:
		return v == 1
	case string:
		n, err := strconv.ParseUint(v, 2, 64)
		return err == nil && n == 1
	}
	return false
}

// unknownCell returns the problem of a cell, "" for none. divisor is the cell's second input. guarded means that the
// divisor is nonzero.
func unknownCell(kind string, divisor []any, guarded bool) string {
	constant := func() bool {
		one := false
		for _, b := range divisor {
			text, ok := b.(string)
			if !ok || text != "0" && text != "1" {
				return false
			}
			one = one || text == "1"
		}
		return one
	}
	switch {
	case !strings.HasPrefix(kind, "$"):
		return "has no body"
	case slices.Contains([]string{"$div", "$mod", "$divfloor", "$modfloor"}, kind):
		if !guarded && !constant() {
			return "divides by a value that may be 0, for which Verilog defines no result"
		}
	case kind == "$pow", kind == "$tribuf", kind == "$anyinit", kind == "$anyconst",
		kind == "$allconst", kind == "$allseq",
		strings.HasPrefix(kind, "$mem"), strings.HasPrefix(kind, "$fsm"), strings.HasPrefix(kind, "$spec"),
		kind == "$print", kind == "$initstate":
		return "is not supported in a proof"
	}
	return ""
}
