package export

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"starloom/hw"
)

// place is the common path of some elements, without indices: group.nic.tx. The elements of a place form a grid. The
// grid may have holes if the last name of the path has no index.
type place struct {
	name     string
	count    int // range of the index of the place's last name; 0 without an index
	children []*place
	column   *column // nil if the place is only a scope
	views    []*view
}

// view is a name of some bits of a port in waveforms, at the place of the name.
type view struct {
	points
	column *column
	port   int
	name   string
	hw.View
}

// points are the elements of a grid: their indices, and the number of each element.
type points struct {
	indexes [][]int
	slots   []int
	grid    []int // ranges of the indices
	holes   bool  // the elements do not fill the grid
}

// column holds the elements of a site at one place.
type column struct {
	site     *hw.Site
	name     string // group_nic_tx
	elements []int  // of the site
	points
	slot map[int]int // position of an element in ascending order of the indices, by element of the site
}

// step is a component of a path: a name and its index, or -1 for no index.
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
				return nil, fmt.Errorf("%s: %s has no numeric index, which generate blocks require", path, part)
			}
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// lay arranges the elements of all sites in a tree of generate blocks. All paths begin with the same name, which
// names the instance of the top. of returns the column of each element, by site.
func (w *Wiring) lay() (root *place, columns []*column, of [][]*column, err error) {
	root, of = &place{}, make([][]*column, len(w.Sites))
	for number, site := range w.Sites {
		for element := range site.Elements {
			steps, err := stepsOf(site.Path(element))
			if err != nil {
				return nil, nil, nil, err
			}
			root.name = steps[0].name
			at, index := root.descend(steps[1:])
			if at.column == nil {
				at.column = &column{site: site, name: nameOf(steps[1:]), slot: map[int]int{}}
				columns = append(columns, at.column)
			}
			if at.column.site != site {
				return nil, nil, nil, fmt.Errorf("%s: another kind of part has the same path without indices", site.Path(element))
			}
			at.column.elements, at.column.indexes = append(at.column.elements, element), append(at.column.indexes, index)
			of[number] = append(of[number], at.column)
		}
	}
	for _, c := range columns {
		if err := c.sort(); err != nil {
			return nil, nil, nil, err
		}
	}
	return root, columns, of, nil
}

// show adds the views of an output to the tree. known reports whether waveforms have a signal with a given path. show
// returns the signals that the views show.
func (p *place) show(c *column, port int, shown hw.View, known func(path string) bool) (signals []Signal, err error) {
	v := &view{column: c, port: port, View: shown}
	var at *place
	for _, element := range c.elements {
		for lane := range max(1, shown.Lanes) {
			path := hw.Join(c.site.Path(element), strings.Replace(shown.Name, "*", strconv.Itoa(lane), 1))
			if !known(path) {
				continue
			}
			steps, err := stepsOf(path)
			if err != nil {
				return nil, err
			}
			last := len(steps) - 1
			v.name = steps[last].name
			var index []int
			at, index = p.descend(steps[1:last])
			v.indexes, v.slots = append(v.indexes, index), append(v.slots, c.slot[element]*max(1, shown.Lanes)+lane)
			signals = append(signals, Signal{path, shown.Bits})
		}
	}
	if at != nil {
		at.views = append(at.views, v)
	}
	return signals, nil
}

// keywords lists keywords of Verilog and SystemVerilog that may be names of parts.
const keywords = " and assign begin bit buf byte case cell cover do edge else end event export fork for function if " +
	"import initial inout input inside int " +
	"integer join local logic macromodule module nand new nor not or output packed " +
	"parameter primitive program property pulldown pullup real ref reg repeat rand release return sequence signed " +
	"small solve static strong string struct super supply0 supply1 table tagged task this time tran tri type union " +
	"unique use var vectored virtual void wait wand weak while wire with wor xnor xor "

// escaped returns a name in Verilog's syntax. A keyword becomes an escaped identifier.
func escaped(name string) string {
	if strings.Contains(keywords, " "+name+" ") {
		return `\` + name + " "
	}
	return name
}

// escapedPath returns the hierarchical name of a path in Verilog's syntax.
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
	c.slots = make([]int, len(order))
	for slot, i := range order {
		c.slot[c.elements[i]], c.slots[i] = slot, slot
		if slot > 0 && slices.Equal(c.indexes[i], c.indexes[order[slot-1]]) {
			return fmt.Errorf("%s: two elements have this path", c.site.Path(c.elements[i]))
		}
	}
	return nil
}

// check sets the grids of all columns. It returns an error for a grid with holes if the last name of the path has an
// index, because the generate loop would also generate the missing elements. A grid with holes and more than slotsMax
// points is an error too.
func (p *place) check(grid []int) error {
	if p.count > 0 {
		grid = append(slices.Clone(grid), p.count)
	}
	lays := func(points *points, path string) error {
		all := points.lay(grid)
		if points.holes && (p.count > 0 || all > slotsMax) {
			return fmt.Errorf("%s: %d elements do not fill a grid of %d, so loops cannot generate them", path,
				len(points.slots), all)
		}
		return nil
	}
	if c := p.column; c != nil {
		if err := lays(&c.points, c.site.Path(c.elements[0])); err != nil {
			return err
		}
	}
	for _, v := range p.views {
		if err := lays(&v.points, hw.Join(v.column.site.Path(v.column.elements[0]), v.Name)); err != nil {
			return err
		}
		if first := p.views[0]; v.holes != first.holes || v.holes && v.table() != first.table() {
			return fmt.Errorf("%s: %s and %s are not signals of the same elements", v.column.site.Path(v.column.elements[0]),
				v.Name, first.Name)
		}
	}
	for _, child := range p.children {
		if err := child.check(grid); err != nil {
			return err
		}
	}
	return nil
}

// lay sets the grid. It returns the number of points.
func (p *points) lay(grid []int) (all int) {
	all = 1
	for _, count := range grid {
		all *= count
	}
	p.grid, p.holes = grid, len(p.slots) != all
	return all
}

// slotsMax is the maximum number of points of a grid with holes. Its slots form a constant of 16 bits per point.
const slotsMax = 1 << 12

// table returns the constant that holds the slot of each point of a grid with holes, 65535 for a hole.
func (p *points) table() string {
	all := 1
	for _, count := range p.grid {
		all *= count
	}
	values := make([]string, all)
	for i := range values {
		values[i] = "16'd65535"
	}
	for i, index := range p.indexes {
		at := 0
		for k, own := range index {
			at = at*p.grid[k] + own
		}
		values[at] = fmt.Sprintf("16'd%d", p.slots[i])
	}
	return fmt.Sprintf("localparam [%d:0] %%s = %s;", 16*all-1, together(values))
}
