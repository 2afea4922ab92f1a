package goals

import (
	"fmt"
	"slices"
	"strings"

	"starloom/cosim"
)

// CutName is the port of the top module that stands for a port of an instance taken out.
func CutName(instance, port string) string { return "cut_" + instance + "_" + port }

// Cut takes an instance out of the top module of a preprocessed text. Each input of the instance becomes an output of
// the top, except connections to clock; each output becomes an input. ports are those of the instance's module.
//
// Errors are an *InputError: the instance is not written once in the top module, or its pins cannot be read.
func Cut(text, top, instance string, ports []cosim.Port, clock string) (string, error) {
	c := &cutter{r: &reader{lex(text)}, instance: instance, top: top}
	begin, end := c.module()
	if begin < 0 {
		return "", &cosim.InputError{Place: "--top", Reason: "the text has no module " + top, Remedy: "name it in sources"}
	}
	at := c.find(begin, end)
	if at < 0 {
		return "", &cosim.InputError{Place: c.r.tokens[begin].place(),
			Reason: fmt.Sprintf("module %s has no single instance %s of its own", top, instance),
			Remedy: "name an instance that is written once in the top module, outside of generate loops"}
	}
	pins, err := c.pins(at, ports)
	if err != nil {
		return "", err
	}
	var names, declared, body []string
	for _, p := range ports {
		pin := pins[p.Name]
		if pin == "" || p.Input && pin == clock {
			continue
		}
		name := CutName(instance, p.Name)
		direction, assigned := "input", pin+" = "+name
		if p.Input {
			direction, assigned = "output", name+" = "+pin
		}
		names = append(names, name)
		declared = append(declared, fmt.Sprintf("%s wire [%d:0] %s", direction, p.Bits-1, name))
		body = append(body, "assign "+assigned+";")
	}
	edits, err := c.header(begin, names, declared)
	if err != nil {
		return "", err
	}
	first, last := c.r.tokens[c.head(at, begin)].at, c.r.tokens[c.r.semicolon(at)].end()
	edits = append(edits, edit{first, last, strings.Join(body, " ")})
	return (&Text{source: text}).edited(edits), nil
}

type cutter struct {
	r             *reader
	top, instance string
}

// module returns the tokens module and endmodule of the top, -1 for none.
func (c *cutter) module() (begin, end int) {
	for begin = range c.r.tokens {
		if c.r.text(begin) != "module" {
			continue
		}
		name := begin + 1
		for c.r.text(name) == "automatic" || c.r.text(name) == "static" {
			name++
		}
		if c.r.text(name) == c.top {
			for end = name; end < len(c.r.tokens) && c.r.text(end) != "endmodule"; end++ {
			}
			return name, end
		}
	}
	return -1, -1
}

// head returns the name of the module of an instance: MODULE [#(...)] NAME (...); -1 for none.
func (c *cutter) head(at, begin int) int {
	if c.r.text(at-1) == ")" {
		first := at - 2
		for first > begin && (c.r.text(first) != "(" || c.r.closing(first) != at-1) {
			first--
		}
		if at = first - 1; c.r.text(at) != "#" {
			return -1
		}
	}
	if at--; at <= begin || !cosim.IsIdentifier(c.r.text(at)) || slices.Contains(closers, c.r.text(at)) {
		return -1
	}
	return at
}

// find returns the name of the instance, -1 if there is none or several, or it is inside a generate block.
func (c *cutter) find(begin, end int) (at int) {
	at = -1
	depth := 0
	for i := begin; i < end; i++ {
		switch word := c.r.text(i); {
		case word == "begin":
			depth++
		case word == "end":
			depth--
		case word == c.instance && c.r.text(i+1) == "(" && c.head(i, begin) >= 0:
			if at >= 0 || depth > 0 || c.r.text(c.r.closing(i+1)+1) != ";" {
				return -1
			}
			at = i
		}
	}
	return at
}

// pins returns the text of each connected pin.
func (c *cutter) pins(at int, ports []cosim.Port) (map[string]string, error) {
	pins := map[string]string{}
	r := &reader{c.r.inside(at + 1)}
	position := 0
	for i := 0; i < len(r.tokens); {
		end := i
		for ; end < len(r.tokens) && r.text(end) != ","; end++ {
			if slices.Contains([]string{"(", "[", "{"}, r.text(end)) {
				end = r.closing(end)
			}
		}
		switch one := r.tokens[i:end]; {
		case len(one) == 0:
		case one[0].text != ".":
			if position < len(ports) {
				pins[ports[position].Name] = joined(one)
			}
		case len(one) == 2 && one[1].text == "*":
			for _, p := range ports {
				if _, given := pins[p.Name]; !given {
					pins[p.Name] = p.Name
				}
			}
		case len(one) == 2:
			pins[one[1].text] = one[1].text
		case len(one) > 3 && one[2].text == "(":
			pins[one[1].text] = joined(one[3 : len(one)-1])
		default:
			return nil, &cosim.InputError{Place: one[0].place(), Reason: "a pin of " + c.instance + " that cannot be read",
				Remedy: "write .PORT(EXPRESSION)"}
		}
		position++
		i = end + 1
	}
	return pins, nil
}

// header adds ports to the list of the top module.
func (c *cutter) header(name int, names, declared []string) ([]edit, error) {
	open := name + 1
	for ; c.r.text(open) == "import"; open = c.r.semicolon(open) + 1 {
	}
	if c.r.text(open) == "#" {
		open = c.r.closing(open+1) + 1
	}
	if c.r.text(open) != "(" {
		return nil, &cosim.InputError{Place: c.r.tokens[name].place(), Reason: "module " + c.top + " has no list of ports",
			Remedy: "give it one"}
	}
	list, closing := c.r.inside(open), c.r.closing(open)
	ansi := slices.ContainsFunc(list, func(t token) bool { return t.text == "input" || t.text == "output" })
	added, after := declared, ""
	if len(list) > 0 && !ansi { // the declarations follow the list
		added, after = names, " "+strings.Join(declared, "; ")+";"
	}
	text := strings.Join(added, ", ")
	if len(list) > 0 {
		text = ", " + text
	}
	end := c.r.tokens[c.r.semicolon(closing)].end()
	edits := []edit{{c.r.tokens[closing].at, c.r.tokens[closing].at, text}}
	if after != "" {
		edits = append(edits, edit{end, end, after})
	}
	return edits, nil
}
