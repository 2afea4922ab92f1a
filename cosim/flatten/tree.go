package flatten

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
	"starloom/cosim/verilator"
)

// A node is one line of Verilator's tree dump:
//
//	1:2:2:2:1: ADD 0x55eea2897370 {c15dj} @dt=0x55eea2874390@(G/w4)  rest
//
// The last number is the number of the parent's operand. The node is this operand or, since operands may be lists,
// begins it.
type node struct {
	kind, id string
	loc      string // file, line and column: c15dj
	dtype    string
	width    string // width of the type: @(G/w4)
	rest     string
	operands [4][]*node
	parent   *node
}

func (n *node) one(operand int) *node {
	if len(n.operands[operand-1]) == 0 {
		return nil
	}
	return n.operands[operand-1][0]
}

func (n *node) each(do func(*node)) {
	do(n)
	for _, list := range n.operands {
		for _, child := range list {
			child.each(do)
		}
	}
}

func (n *node) outsideCalls(do func(*node)) {
	do(n)
	if n.kind == "EXPRSTMT" {
		return
	}
	for _, list := range n.operands {
		for _, child := range list {
			child.outsideCalls(do)
		}
	}
}

func (n *node) dropCasts() {
	for _, list := range n.operands {
		for i := range list {
			for list[i].kind == "CASTWRAP" {
				list[i] = list[i].one(1)
			}
			list[i].parent = n
			list[i].dropCasts()
		}
	}
}

// dropRoom removes the zeros that Verilator 5.032 adds above a vector if the source selects bits beyond the end of
// the vector. Those bits are X.
func (n *node) dropRoom() {
	n.each(func(n *node) {
		if from := n.one(1); n.kind == "SEL" && from != nil && from.kind == "EXTEND" && strings.Contains(n.rest, "decl[") {
			n.operands[0][0] = from.one(1)
			from.one(1).parent = n
		}
	})
}

// dropReals removes the values of real parameters. Constants derived from real parameters are folded. Any other
// reference to a real parameter has no bits and is rejected.
func (n *node) dropReals() {
	n.each(func(n *node) {
		if n.kind == "VAR" && strings.HasSuffix(n.width, "/d)") {
			n.operands[2] = nil
		}
	})
}

func (n *node) name() string {
	word, _, _ := strings.Cut(n.rest, " ")
	return word
}

var (
	nodeLine = regexp.MustCompile(`^ *((?:\d+:)+) (\w+) (0x[0-9a-f]+) (?:<e\d+>\S* ?)?\{([a-z]+\d+[a-z]+)\}` +
		`(?: u\d=\S+)*(?: @dt=(this|0x[0-9a-f]+)(@\([^)]*\))\S*)? *(.*)$`)
	nodeName    = regexp.MustCompile(`\([A-Z]+\)`) // node name in place of an address
	referenceTo = regexp.MustCompile(`VARSCOPE (0x[0-9a-f]+)`)
	variableOf  = regexp.MustCompile(`-> VAR (0x[0-9a-f]+)`)
	jumpTarget  = regexp.MustCompile(`-> JUMPBLOCK (0x[0-9a-f]+)`)
	typeWidth   = regexp.MustCompile(`@\((?:G/)?s?w(\d+)`)
	typeBelow   = regexp.MustCompile(`refdt=(0x[0-9a-f]+)`)
	arrayRange  = regexp.MustCompile(`\[(-?\d+):(-?\d+)\]$`)
	placeOf     = regexp.MustCompile(`^([a-z]+)(\d+)([a-z]+)$`)
)

type tree struct {
	*verilator.Flat
	nodes map[string]*node
	root  *node
	// tree before Verilator truncates indexes
	earlier *node
	source  *node // the tree before generate is resolved
	types   map[string]*dtype
	texts   map[string]source
	before  map[string]*node
	whole   map[string][]*node
	nested  map[string][]*node
}

type source struct {
	all   string
	lines []string
}

func readTree(f *verilator.Flat) (*tree, error) {
	t := &tree{Flat: f, nodes: map[string]*node{}, before: map[string]*node{}, types: map[string]*dtype{},
		texts: map[string]source{}}
	var err error
	if t.earlier, err = readNodes(f.Whole, t.before); err != nil {
		return nil, err
	}
	t.earlier.dropCasts()
	t.earlier.dropRoom()
	if t.source, err = readNodes(f.Early, map[string]*node{}); err != nil {
		return nil, err
	}
	if t.root, err = readNodes(f.Tree, t.nodes); err != nil {
		return nil, err
	}
	t.root.dropReals()
	t.root.dropRoom()
	return t, nil
}

func readNodes(text []byte, nodes map[string]*node) (*node, error) {
	text = nodeName.ReplaceAllFunc(text, func(name []byte) []byte { return fmt.Appendf(nil, "0x%x", name[1:len(name)-1]) })
	root := &node{kind: "NETLIST"}
	path := []*node{root}
	for i, line := range bytes.Split(text, []byte("\n")) {
		if i < 2 || len(line) == 0 || line[0] == '\t' {
			continue
		}
		found := nodeLine.FindSubmatch(line)
		if found == nil {
			return nil, fmt.Errorf("line %d of verilator's tree is not a node: %.100s", i+1, line)
		}
		numbers := bytes.Count(found[1], []byte(":"))
		operand := found[1][len(found[1])-2] - '0'
		if numbers > len(path) || operand < 1 || operand > 4 {
			return nil, fmt.Errorf("line %d of verilator's tree has no place: %.100s", i+1, line)
		}
		above := path[numbers-1]
		n := &node{
			kind: string(found[2]), id: string(found[3]), loc: string(found[4]),
			dtype: string(found[5]), width: string(found[6]), rest: string(found[7]), parent: above,
		}
		if n.dtype == "this" {
			n.dtype = n.id
			n.rest = string(line[bytes.Index(line, []byte("@dt=")):])
		}
		above.operands[operand-1] = append(above.operands[operand-1], n)
		path = append(path[:numbers], n)
		nodes[n.id] = n
	}
	root.asBefore()
	return root, nil
}

func (t *tree) place(n *node) string {
	file, line, column := t.position(n)
	return fmt.Sprintf("%s:%d:%d", file, line, column)
}

func (t *tree) position(n *node) (file string, line, column int) {
	found := placeOf.FindStringSubmatch(n.loc)
	if found == nil {
		return "", 0, 0
	}
	line, _ = strconv.Atoi(found[2])
	for _, c := range found[3] {
		column = column*26 + int(c-'a')
	}
	return t.Files[found[1]], line, column
}

var firstWord = regexp.MustCompile(`^\$?\w+`)

// word returns the source word at a node. The tree does not distinguish case from casez, $readmemh from $readmemb, or
// assert from assume.
func (t *tree) word(n *node) string { return firstWord.FindString(t.after(n)) }

func (t *tree) after(n *node) string {
	file, line, column := t.position(n)
	of, ok := t.texts[file]
	if !ok {
		if text, err := t.Text(file); err == nil {
			of.all = string(text)
			for line := range strings.Lines(of.all) {
				of.lines = append(of.lines, line)
			}
		}
		t.texts[file] = of
	}
	if line < 1 || line > len(of.lines) || column < 1 || column > len(of.lines[line-1]) {
		return ""
	}
	rest := 0
	for _, later := range of.lines[line:] {
		rest += len(later)
	}
	return of.all[len(of.all)-rest-len(of.lines[line-1])+column-1:]
}

// A dtype is the bit layout of a type. All values are vectors, with element 0 of an array or the last member of a
// structure at the low end.
type dtype struct {
	bits     int
	elements int
	upward   bool // the leftmost element is the lowest: [0:3]
	element  *dtype
	members  map[string]member
}

// along reports whether arrays have equal directions in all dimensions, so that their vectors correspond.
func (d *dtype) along(other *dtype) bool {
	if d.element == nil || other.element == nil {
		return true
	}
	return (d.upward == other.upward || d.elements == 1) && d.element.along(other.element)
}

type member struct {
	low  int
	what *dtype
}

func (t *tree) typeOf(at *node, id string) *dtype {
	if known, ok := t.types[id]; ok {
		return known
	}
	n := t.nodes[id]
	if n == nil {
		panic(t.refuse(at, "of a type that Verilator does not list", "declare it as a vector"))
	}
	d := &dtype{}
	t.types[id] = d
	below := func() *dtype {
		if n.dtype != n.id && n.dtype != "" {
			return t.typeOf(at, n.dtype)
		}
		if found := typeBelow.FindStringSubmatch(n.rest); found != nil {
			return t.typeOf(at, found[1])
		}
		panic(t.refuse(at, "of the type "+strings.ToLower(n.kind), "declare it as a vector"))
	}
	switch n.kind {
	case "UNPACKARRAYDTYPE":
		span := arrayRange.FindStringSubmatch(strings.TrimSpace(n.rest))
		if span == nil {
			panic(t.refuse(at, "an array without bounds", "give it constant bounds"))
		}
		left, _ := strconv.Atoi(span[1])
		right, _ := strconv.Atoi(span[2])
		d.element, d.elements = below(), max(left-right, right-left)+1
		d.bits, d.upward = d.elements*d.element.bits, left < right
	case "STRUCTDTYPE", "UNIONDTYPE":
		t.structure(at, n, d)
	case "REFDTYPE", "CONSTDTYPE", "ENUMDTYPE", "PARAMTYPEDTYPE", "MEMBERDTYPE":
		*d = *below()
	case "BASICDTYPE", "PACKARRAYDTYPE":
		switch word := strings.Fields(n.rest)[1]; word {
		case "real", "double", "string", "chandle", "event", "shortreal", "realtime":
			d.members = map[string]member{word: {}} // the type has no bits, and its use is rejected
			return d
		}
		width := typeWidth.FindStringSubmatch(n.rest)
		if width == nil {
			panic(t.refuse(at, "of a type without a width", "declare it as a vector"))
		}
		d.bits, _ = strconv.Atoi(width[1])
	case "IFACEREFDTYPE", "VOIDDTYPE":
	default:
		panic(t.refuse(at, "of the type "+strings.ToLower(strings.TrimSuffix(n.kind, "DTYPE")),
			"declare it as a vector or a fixed array"))
	}
	return d
}

func (t *tree) structure(at, n *node, d *dtype) {
	if strings.Contains(n.rest, "[PACKED]") {
		d.bits, _ = strconv.Atoi(typeWidth.FindStringSubmatch(n.rest)[1])
		return
	}
	if n.kind == "UNIONDTYPE" {
		panic(t.refuse(at, "an unpacked union", "write `union packed`"))
	}
	d.members = map[string]member{}
	for _, m := range n.operands[0] {
		what := t.typeOf(at, m.id)
		d.members[firstMember(m)] = member{d.bits, what}
		d.bits += what.bits
	}
}

func firstMember(m *node) string {
	if _, name, ok := strings.Cut(m.rest, " name="); ok { // form of Verilator 5.048
		return strings.TrimSpace(name)
	}
	_, after, _ := strings.Cut(m.rest, ")")
	words := strings.Fields(after)
	if len(words) == 0 {
		return ""
	}
	kind := slices.Contains([]string{"ref", "enum"}, words[0]) || strings.HasPrefix(words[0], "u[") ||
		strings.HasPrefix(words[0], "p[")
	// 5.032 adds the word member
	if kind || words[0] == "member" && len(words) > 1 && !strings.HasPrefix(words[1], "refdt=") {
		words = words[1:]
	}
	return words[0]
}

// refuse returns an error as a panic value for callers. Print recovers the error.
func (t *tree) refuse(n *node, reason, remedy string) *cosim.InputError {
	return &cosim.InputError{Place: t.place(n), Reason: reason, Remedy: remedy}
}
