package maps

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"starloom/cosim"
)

var (
	portNames      = regexp.MustCompile(`[a-z]+_[io]\b`)
	parameterNames = regexp.MustCompile(`\b[A-Z]+\b`)
)

// A condition is an entry of assume or compare that RTL of some kind may need.
type condition struct {
	output string // of compare; "" for assume
	text   string
	why    string
	usual  bool // stands in a map that is not tried
}

// contracts lists the conditions of neighbours by the ports that they name.
var contracts = []condition{
	{text: "$past(valid_i && !ready_o) -> valid_i && data_i == $past(data_i)", why: "an offer stays", usual: true},
	{text: "valid_i -> ready_o", why: "no word is offered to a full one"},
	{text: "ready_i -> valid_o", why: "no word is taken from an empty one"},
	{text: "push_i -> count_o < DEPTH || pop_i", why: "no push into a full one"},
	{text: "pop_i -> count_o != 0", why: "no pop of an empty one"},
	{text: "up_i -> down_i || count_o < MAX", why: "no step beyond the highest count"},
	{text: "down_i -> up_i || count_o != 0", why: "no step below 0"},
	{text: "take_i -> count_o != 0", why: "no take without a credit"},
	{text: "give_i <= DEPTH - count_o", why: "no more credits than places"},
	{text: "take_i -> grant_o != 0", why: "no take without a grant"},
	{text: "$past(1) || !valid_i", why: "no offer in the first cycle after a reset"},
	{output: "ready_o", text: "$past(1)", why: "ready rises a cycle after a reset"},
	{output: "data_o", text: "valid_o", why: "data count while valid is 1", usual: true},
	{output: "head_o", text: "count_o != 0", why: "the head of an empty one does not count"},
	{output: "data_o", text: "filled_o", why: "data count once the line is filled", usual: true},
	{output: "index_o", text: "grant_o != 0", why: "the index counts with a grant"},
	{output: "grant_o", text: "take_i != 0", why: "a grant shows while it is taken"},
}

// reliable returns the conditions whose ports a model has. Ports that drive the condition need a pin.
func (f *fit) reliable() (list []condition) {
	for _, c := range contracts {
		ok := c.output == "" || f.pins[c.output] != nil
		for _, name := range portNames.FindAllString(c.text, -1) {
			at := slices.IndexFunc(f.ports, func(p cosim.Port) bool { return p.Name == name })
			ok = ok && at >= 0 && (!f.ports[at].Input || f.pins[name] != nil)
		}
		for _, name := range parameterNames.FindAllString(c.text, -1) {
			_, has := f.parameters[name]
			ok = ok && has
		}
		if c.text == "filled_o" && f.parameters["RESET"] != 0 {
			ok = false
		}
		if strings.HasPrefix(c.text, "$past(1)") { // without a port of a FIFO in it
			ok = f.pins["valid_i"] != nil && f.pins["ready_o"] != nil
		}
		if ok {
			list = append(list, c)
		}
	}
	return list
}

// usual returns the mask of the conditions of a map that is not tried.
func usual(list []condition) (mask uint) {
	for i := range list {
		if list[i].usual {
			mask |= 1 << i
		}
	}
	return mask
}

// fixed returns the mask of the conditions without which an output has no meaning.
func fixed(list []condition) (mask uint) {
	for i := range list {
		if list[i].usual && list[i].output != "" {
			mask |= 1 << i
		}
	}
	return mask
}

func (g *Guess) writeConditions(b *strings.Builder, f *fit) {
	var assumed, reasons, compared, why []string
	for i, c := range f.conditions {
		switch {
		case g.relied>>i&1 == 0 || slices.Contains(g.dropped, c.output):
		case c.output == "":
			assumed, reasons = append(assumed, fmt.Sprintf("%q", c.text)), append(reasons, c.why)
		case g.late && (c.output == "data_o" || c.output == "head_o"):
		default:
			compared, why = append(compared, fmt.Sprintf("%s: %q", c.output, c.text)), append(why, c.why)
		}
	}
	if output, taken := f.registered(); g.late {
		compared, why = append(compared, fmt.Sprintf("%s: %q", output, taken)), append(why, "data of a read")
	}
	if assumed != nil {
		fmt.Fprintf(b, "assume: [%s]  # guess: %s\n", strings.Join(assumed, ", "), strings.Join(reasons, "; "))
	}
	if compared != nil {
		fmt.Fprintf(b, "compare: {%s}  # guess: %s\n", strings.Join(compared, ", "), strings.Join(why, "; "))
	}
}

// registered returns the output that a registered read shows a cycle late, and the condition of a read; "" for none.
func (f *fit) registered() (output, taken string) {
	switch {
	case f.pins["data_o"] != nil && f.pins["ready_i"] != nil && f.pins["valid_o"] != nil:
		return "data_o", "valid_o && ready_i"
	case f.pins["head_o"] != nil && f.pins["pop_i"] != nil:
		return "head_o", "pop_i && count_o != 0"
	}
	return "", ""
}
