package netlist

import (
	"fmt"
	"strconv"
	"strings"
)

// mix notes a node one of whose ports has a name while others have numbers. Links to it are not drawn any more.
func (b *drawer) mix(p *placed) {
	p.loose = true
	if !p.mixed {
		p.mixed, b.mixed = true, append(b.mixed, p)
	}
}

// useOf is an end of a link at a mixed node.
type useOf struct {
	place, port string
	named       bool
}

// tellMixed refuses ends of links that are not as the others of their node: those that are fewer, of as many the later ones.
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
				continue // it is told
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
				b.addAlike("mixed", use.place, fmt.Sprintf("the ports of %s have numbers, and this one is called %s", p.name, use.port),
					"write a number, or names for all of them")
			default:
				b.addAlike("mixed", use.place, fmt.Sprintf("the ports of %s have names", p.name), "write "+p.name+":"+first+", or another one")
			}
		}
	}
}
