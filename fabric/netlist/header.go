package netlist

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"starloom/traces/input"
)

// identifier is a name as a word of C: p[3] is P3, row[2].p[3] is ROW2_P3, a port +x is PLUS_X.
func identifier(name string) string {
	word := strings.NewReplacer("[", "", "]", "", ".", "_", "+", "PLUS_", "-", "MINUS_", "^", "_").Replace(strings.ReplaceAll(name, "][", "_"))
	return strings.ToUpper(word)
}

// WriteHeader writes what firmware in C may call by name: the hash, and the numbers of processors, of ports with
// names, of stars and buses, and of the first outputs of crossbars.
func (n *Net) WriteHeader(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "/* The network %s. Written by `starloom netlist header`: change the drawing instead. */\n"+
		"#ifndef STARLOOM_NET_H\n#define STARLOOM_NET_H\n\n#define NET_HASH 0x%08xu\n#define NET_PROCESSORS %d\n#define NET_PORTS %d\n#define NET_MEDIA %d\n",
		n.Name, n.Hash(), len(n.Processors), n.ports, len(n.Media))
	names := map[string]string{"NET_HASH": "hash", "NET_PROCESSORS": "processors", "NET_PORTS": "ports", "NET_MEDIA": "media"}
	var clash error
	define := func(name string, number int) {
		word := "NET_" + identifier(name)
		if other, taken := names[word]; taken && clash == nil {
			clash = &input.Error{Place: "fabric.netlist", Reason: fmt.Sprintf("%s and %s are both %s in C", other, name, word), Remedy: "rename one"}
		}
		names[word] = name
		fmt.Fprintf(b, "#define %s %d\n", word, number)
	}
	fmt.Fprint(b, "\n/* Processors, and their ports. */\n")
	for i := range n.Processors {
		p := &n.Processors[i]
		define(n.node(p.Path), i)
		for k := range p.Ports {
			if n.named(p) {
				define(n.node(p.Path)+"."+n.portText(p, k), k)
			}
		}
	}
	fmt.Fprint(b, "\n/* Media that are nodes; of a crossbar its first output. */\n")
	for i := range n.Media {
		if x := n.crossbarOf(i); x != nil && i == x.First {
			define(n.node(x.Head), i)
		} else if n.Media[i].Star || n.Media[i].Bus {
			define(n.node(n.Media[i].Path), i)
		}
	}
	fmt.Fprint(b, "\n#endif\n")
	if clash != nil {
		return clash
	}
	return b.Flush()
}
