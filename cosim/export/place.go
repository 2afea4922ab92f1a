package export

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"starloom/hw"
)

// place is a name of paths with its indices left out: group.nic.tx. Elements of a place form a grid.
type place struct {
	name     string
	count    int // elements along the place's own index, 0 without an index
	children []*place
	column   *column // nil if the place is only a scope
}

// column is the elements of a site, in the order of their indices.
type column struct {
	site    *hw.Site
	number  int    // of the site
	name    string // group_nic_tx
	indexes [][]int
	slot    []int // by element: its place among indexes
}

// step is a part of a path: a name, and its index or -1.
type step struct {
	name  string
	index int
}

func stepsOf(path string) (steps []step, err error) {
	for _, part := range strings.Split(path, ".") {
		name, rest, indexed := strings.Cut(part, "[")
		s := step{name, -1}
		if indexed {
			if s.index, err = strconv.Atoi(strings.TrimSuffix(rest, "]")); err != nil || s.index < 0 {
				return nil, fmt.Errorf("%s: %s is not a number, and generate blocks have numbers", path, part)
			}
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// lay places the elements of all sites in a tree of generate blocks. The first name of all paths is the instance of
// the top.
func (w *Wiring) lay() (root *place, columns []*column, err error) {
	root = &place{}
	for number, site := range w.Sites {
		c := &column{site: site, number: number}
		var at *place
		for element := range site.Elements {
			steps, err := stepsOf(site.Path(element))
			if err != nil {
				return nil, nil, err
			}
			root.name = steps[0].name
			var index []int
			at, index = root.descend(steps[1:])
			c.indexes = append(c.indexes, index)
			if element > 0 && at.column != c || element == 0 && at.column != nil {
				return nil, nil, fmt.Errorf("%s: it has the names of another kind of part", site.Path(element))
			}
			at.column = c
			if element == 0 {
				c.name = nameOf(steps[1:])
			}
		}
		columns = append(columns, c)
	}
	for _, c := range columns {
		if err := c.sort(); err != nil {
			return nil, nil, err
		}
	}
	return root, columns, root.check(1)
}

// keywords are words of Verilog and SystemVerilog that names of parts may be.
const keywords = " and assign begin bit buf byte case cell cover do edge else end event export fork for function if " +
	"import initial inout input inside int integer join local logic macromodule module nand new nor not or output packed " +
	"parameter primitive program property pulldown pullup real ref reg repeat rand release return sequence signed " +
	"small solve static strong string struct super supply0 supply1 table tagged task this time tran tri type union " +
	"unique use var vectored virtual void wait wand weak while wire with wor xnor xor "

// escaped is a name as Verilog writes it.
func escaped(name string) string {
	if strings.Contains(keywords, " "+name+" ") {
		return `\` + name + " "
	}
	return name
}

// escapedPath is the hierarchical name of a path.
func escapedPath(path string) string {
	parts := strings.Split(path, ".")
	for i, part := range parts {
		name, index, _ := strings.Cut(part, "[")
		if parts[i] = escaped(name); index != "" {
			parts[i] += "[" + index
		}
	}
	return strings.Join(parts, ".")
}

func nameOf(steps []step) string {
	var names []string
	for _, s := range steps {
		names = append(names, s.name)
	}
	return strings.Join(names, "_")
}

func (p *place) descend(steps []step) (at *place, index []int) {
	at = p
	for _, s := range steps {
		i := slices.IndexFunc(at.children, func(c *place) bool { return c.name == s.name && (c.count > 0) == (s.index >= 0) })
		if i < 0 {
			i = len(at.children)
			at.children = append(at.children, &place{name: s.name})
		}
		at = at.children[i]
		if s.index >= 0 {
			at.count = max(at.count, s.index+1)
			index = append(index, s.index)
		}
	}
	return at, index
}

func (c *column) sort() error {
	order := make([]int, len(c.indexes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return slices.Compare(c.indexes[a], c.indexes[b]) })
	c.slot = make([]int, len(order))
	for slot, element := range order {
		c.slot[element] = slot
		if slot > 0 && slices.Equal(c.indexes[element], c.indexes[order[slot-1]]) {
			return fmt.Errorf("%s: two elements have this path", c.site.Path(element))
		}
	}
	return nil
}

// check returns an error unless the elements of each place fill the grid of its indices.
func (p *place) check(grid int) error {
	if p.count > 0 {
		grid *= p.count
	}
	if p.column != nil && p.column.site.Elements != grid {
		return fmt.Errorf("%s: %d elements do not fill a grid of %d, so loops cannot generate them",
			p.column.site.Path(0), p.column.site.Elements, grid)
	}
	for _, child := range p.children {
		if err := child.check(grid); err != nil {
			return err
		}
	}
	return nil
}
