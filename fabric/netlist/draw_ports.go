package netlist

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

func (b *drawer) listPorts(n *node, first string) {
	if n.ports == nil && n.open == nil {
		return
	}
	p := &placed{node: n, name: first, listed: true}
	for _, name := range n.ports {
		b.namePort(p, n.place, name)
	}
	if n.kind == kindProcessor {
		b.openPorts(p)
	}
	n.listed, n.numbers = p.ports, p.numbers
}

func (p *placed) list() {
	p.named, p.listed = p.node.ports != nil, p.node.ports != nil
	p.ports, p.numbers = slices.Clone(p.node.listed), p.node.numbers
}

func (p *placed) numbered(name string) int {
	if i, ok := p.numbers[name]; ok {
		return i
	}
	return None
}

var portName = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*(\[[0-9]+\])*|[+-][A-Za-z0-9_]+)$`)

func (b *drawer) namePort(p *placed, place, name string) (port int) {
	if len(name) > nameMax || !portName.MatchString(name) {
		remedy := "write a word such as east, or a label such as +x"
		if !p.listed {
			remedy += ", or a number"
		}
		b.add(place, fmt.Sprintf("%q is not the name of a port", strict.Clip(name)), remedy)
		return None
	}
	for _, taken := range reserved {
		if name == taken {
			b.add(place, fmt.Sprintf("a port is named %s, like a part of each NIC", name), "rename it")
			return None
		}
	}
	if p.numbered(name) != None {
		b.add(place, fmt.Sprintf("%s has two ports %s", p.name, name), "rename one")
		return None
	}
	if p.numbers == nil {
		p.numbers = map[string]int{}
	}
	p.numbers[name] = len(p.ports)
	p.ports = append(p.ports, portOf{name: name, out: None, in: None})
	return len(p.ports) - 1
}

func (b *drawer) openPorts(p *placed) {
	for _, name := range p.open {
		i := p.numbered(name)
		switch {
		case i >= 0:
			p.ports[i].open = true
		case slices.Contains(p.node.ports, name):
		case p.vague:
		case p.ports == nil:
			b.add(p.node.place, fmt.Sprintf("%s has open ports, but lists no ports", p.name),
				"add ports: [...] with all of them")
			return
		default:
			b.add(p.node.place, fmt.Sprintf("%s has no port %s that could stay open", p.name, name),
				input.DidYouMean(name, p.node.ports, "name one of ports"))
		}
	}
}

// reserved lists the names of signals inside a processor in waveforms.
var reserved = []string{"tx", "rx", "credits", "port", "firmware", "held", "flags", "rx_port", "rx_status"}

func (b *drawer) port(p *placed, text, place string) (port int) {
	if number, err := parsePort(text); err == nil {
		most, _, remedy := b.portsMost()
		if p.kind == kindRouter {
			most, remedy = hw.RouterPortsMax, "use fewer"
		}
		switch {
		case p.named && int(number) >= len(p.ports) && p.vague:
			return None
		case p.named && int(number) >= len(p.ports):
			b.add(place,
				fmt.Sprintf("%s has %s, but this is port %d, counted from 0", p.name, traces.Plural(len(p.ports), "port", "ports"),
					number), "name one of them")
			return None
		case int(number) >= most:
			b.add(place, fmt.Sprintf("port %d of %s: a %s has at most %d ports", number, p.name, p.kind, most), remedy)
			return None
		}
		if b.grown += max(0, int(number)+1-len(p.ports)); b.grown > endsMax {
			b.addAlike("grown", place,
				fmt.Sprintf("with port %d of %s the netlist has more than %d ports", number, p.name, endsMax),
				"number the ports of a node from 0 on")
			return None
		}
		for len(p.ports) <= int(number) {
			p.ports = append(p.ports, portOf{out: None, in: None})
		}
		return int(number)
	}
	if i := p.numbered(text); i != None && text != "" {
		return i
	}
	switch {
	case p.listed && slices.Contains(p.node.ports, text):
	case p.vague:
		return None
	case p.listed:
		names := make([]string, len(p.ports))
		for i := range p.ports {
			names[i] = p.ports[i].name
		}
		b.add(place, fmt.Sprintf("%s has no port %s", p.name, text),
			input.DidYouMean(text, names, "its ports are "+strings.Join(names, ", ")))
		return None
	case len(p.ports) > 0 && !p.named:
		b.mix(p)
		return None
	}
	p.named = true
	return b.namePort(p, place, text)
}

func (b *drawer) portsMost() (most int, uses, remedy string) {
	if b.net.OnePort || b.net.Switch || b.keys["access"] {
		return portsMax, "one at a time", "use fewer"
	}
	return nic.LanesMax, "all at once", "use fewer, or access: one"
}

func parsePort(text string) (uint64, error) {
	if text == "" || text[0] < '0' || text[0] > '9' {
		return 0, strconv.ErrSyntax // a shared error: names need no allocation
	}
	return strconv.ParseUint(text, 10, 63)
}

func (b *drawer) mix(p *placed) {
	p.loose = true
	if !p.mixed {
		p.mixed, b.mixed = true, append(b.mixed, p)
	}
}

type useOf struct {
	place, port string
	named       bool
}

// tellMixed reports an error at each node with both styles of link ends: at the ends of the rarer style, or of the
// later style if both are equally frequent.
func (b *drawer) tellMixed() {
	if len(b.mixed) == 0 {
		return
	}
	uses := map[string][]useOf{}
	for _, p := range b.mixed {
		uses[p.name] = nil
	}
	for i := range b.Drawing.links {
		l := &b.Drawing.links[i]
		for k, end := range l.ends {
			names, err := expand(end)
			if err != nil {
				continue
			}
			for _, text := range names {
				name, port, _ := strings.Cut(text, ":")
				if all, mixed := uses[name]; mixed {
					_, err := strconv.ParseUint(port, 10, 63)
					uses[name] = append(all, useOf{l.places[k], port, port != "" && err != nil})
				}
			}
		}
	}
	for _, p := range b.mixed {
		all, names, first := uses[p.name], 0, ""
		for _, use := range all {
			if use.named {
				names++
			}
			if use.named && first == "" {
				first = use.port
			}
		}
		fewer := names < len(all)-names || 2*names == len(all) && !all[0].named
		for _, use := range all {
			switch {
			case use.named != fewer:
			case fewer:
				b.addAlike("mixed", use.place,
					fmt.Sprintf("the ports of %s have numbers, but this port is named %s", p.name, use.port),
					"write a number, or names for all of them")
			default:
				b.addAlike("mixed", use.place, fmt.Sprintf("the ports of %s have names", p.name),
					"write "+p.name+":"+first+", or another one")
			}
		}
	}
}
