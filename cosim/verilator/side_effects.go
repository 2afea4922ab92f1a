package verilator

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Verilator hoists calls out of expressions and executes the calls unconditionally. It passes an inout argument by
// reference instead of copying the argument, and gives every call of a function separate static variables.

// A touch records the reads and writes of a call or expression, except those of the call's own variables.
type touch struct {
	reads, writes map[*xmlNode]bool
	acts          bool // effects beyond variables: $finish, $random
}

func newTouch() *touch { return &touch{reads: map[*xmlNode]bool{}, writes: map[*xmlNode]bool{}} }

func (t *touch) changes() bool { return t.acts || len(t.writes) > 0 }

func (t *touch) add(other *touch) {
	maps.Copy(t.reads, other.reads)
	maps.Copy(t.writes, other.writes)
	t.acts = t.acts || other.acts
}

// meets reports whether the order of two operands matters: one operand writes a variable that the other uses, or both
// have effects beyond variables.
func (t *touch) meets(other *touch) bool {
	return meet(t.writes, other.reads) || meet(t.writes, other.writes) ||
		meet(t.reads, other.writes) || t.acts && other.acts
}

func meet(a, b map[*xmlNode]bool) bool {
	for v := range a {
		if b[v] {
			return true
		}
	}
	return false
}

var acting = map[string]bool{
	"finish": true, "stop": true, "rand": true, "urandomrange": true, "fopen": true, "fopenmcd": true, "fclose": true,
	"fgets": true, "fgetc": true,
	"fread": true, "fscanf": true, "sscanf": true, "fseek": true, "writemem": true, "systemt": true,
	"systemf": true, "dumpctl": true,
	"ucfunc": true, "ucstmt": true, "ccall": true, "methodcall": true, "cmethodhard": true,
}

type effects struct {
	*netlist
	names    map[string][]*xmlNode
	declared map[*xmlNode]map[string]*xmlNode // variables, functions and tasks, by scope
	named    map[string][]*xmlNode
	routines map[*xmlNode]*touch
	called   map[*xmlNode][]*xmlNode
	keeps    map[*xmlNode]map[*xmlNode]bool // static variables that a routine reads before writing
	reached  map[*xmlNode]bool              // functions and tasks that the circuit calls
	warn     func(node *xmlNode, code, text string)
}

func (n *netlist) effects(warn func(node *xmlNode, code, text string)) {
	e := &effects{
		netlist: n, names: map[string][]*xmlNode{}, named: map[string][]*xmlNode{},
		declared: map[*xmlNode]map[string]*xmlNode{}, routines: map[*xmlNode]*touch{},
		called: map[*xmlNode][]*xmlNode{}, keeps: map[*xmlNode]map[*xmlNode]bool{}, reached: map[*xmlNode]bool{}, warn: warn,
	}
	var calls, steps []*xmlNode
	n.root.each(func(node *xmlNode) {
		name := node.get("name")
		switch {
		case node.name == "var" || isRoutine(node):
			if e.declared[node.parent] == nil {
				e.declared[node.parent] = map[string]*xmlNode{}
			}
			e.declared[node.parent][name] = node
			if isRoutine(node) {
				e.named[name] = append(e.named[name], node)
			} else {
				e.names[name] = append(e.names[name], node)
			}
		case isCall(node):
			calls = append(calls, node)
		case node.name == "varref" && strings.HasPrefix(name, stepped):
			steps = append(steps, node)
		}
	})
	for _, call := range calls {
		if call.withinRoutine() == nil {
			e.reach(call)
		}
	}
	for _, call := range calls {
		if f := call.withinRoutine(); f == nil || e.reached[f] {
			e.call(call)
		}
	}
	for _, step := range steps {
		e.step(step)
	}
	for f := range e.reached {
		for v := range e.kept(f) {
			e.warn(v, static, fmt.Sprintf("%s of %s, which is not automatic, is read before it is written: it has the "+
				"value from the previous call (IEEE 1800-2017 13.3.1), but in Verilator each call has its own variable; "+
				"declare it outside",
				v.get("name"), f.get("name")))
		}
	}
}

// stepped is the prefix of the variables that Verilator adds for i++ in an expression. Verilator places the increment
// in an assignment before the expression.
const stepped = "__Vincrement"

func isCall(n *xmlNode) bool    { return n.name == "funcref" || n.name == "taskref" }
func isRoutine(n *xmlNode) bool { return n.name == "func" || n.name == "task" }

func (n *xmlNode) withinRoutine() *xmlNode {
	for n != nil && !isRoutine(n) {
		n = n.parent
	}
	return n
}

func (e *effects) reach(call *xmlNode) {
	for _, f := range e.routinesOf(call) {
		if e.reached[f] {
			continue
		}
		e.reached[f] = true
		f.each(func(below *xmlNode) {
			if isCall(below) {
				e.reach(below)
			}
		})
	}
}

// routinesOf returns the function or task in the nearest enclosing scope of a call. If no such scope declares the
// name, routinesOf returns all functions and tasks of that name.
func (e *effects) routinesOf(call *xmlNode) []*xmlNode {
	known, ok := e.called[call]
	if !ok {
		known = e.look(call)
		e.called[call] = known
	}
	return known
}

func (e *effects) look(call *xmlNode) []*xmlNode {
	if before := strings.TrimRight(e.before(call), " \t\r\n"); !strings.HasSuffix(before, "::") &&
		!strings.HasSuffix(before, ".") {
		for scope := call.parent; scope != nil; scope = scope.parent {
			if f := e.declared[scope][call.get("name")]; f != nil && isRoutine(f) {
				return []*xmlNode{f}
			}
		}
	}
	return e.named[call.get("name")]
}

// variables returns the variable in the nearest enclosing scope of a reference. If no such scope declares the name,
// variables returns all variables of that name.
func (e *effects) variables(ref *xmlNode) []*xmlNode {
	for scope := ref.parent; scope != nil && ref.name == "varref"; scope = scope.parent {
		v := e.declared[scope][ref.get("name")]
		if v == nil {
			continue
		}
		if isRoutine(v) {
			v = v.children[0]
		}
		return []*xmlNode{v}
	}
	return e.names[ref.get("name")]
}

func (e *effects) touches(of *xmlNode) *touch {
	t := newTouch()
	of.each(func(node *xmlNode) {
		switch {
		case node.name == "varref" || node.name == "varxref":
			reads, writes := e.uses(node)
			for _, v := range e.variables(node) {
				if reads {
					t.reads[v] = true
				}
				if writes {
					t.writes[v] = true
				}
			}
		case isCall(node):
			t.add(e.callee(node))
		case acting[node.name]:
			t.acts = true
		}
	})
	return t
}

func (e *effects) callee(call *xmlNode) *touch {
	t := newTouch()
	for _, f := range e.routinesOf(call) {
		t.add(e.routine(f))
	}
	return t
}

// routine returns the effects of a function or task beyond its own variables. Own variables that keep values between
// calls are included.
func (e *effects) routine(f *xmlNode) *touch {
	if known := e.routines[f]; known != nil {
		return known
	}
	e.routines[f] = newTouch() // an entry for recursion
	t := newTouch()
	all, kept := e.touches(f), e.kept(f)
	own := func(v *xmlNode) bool { return v.withinRoutine() == f && !kept[v] }
	for v := range all.reads {
		if !own(v) {
			t.reads[v] = true
		}
	}
	for v := range all.writes {
		if !own(v) {
			t.writes[v] = true
		}
	}
	t.acts = all.acts
	e.routines[f] = t
	return t
}

var selections = map[string]bool{"sel": true, "arraysel": true, "structsel": true, "slicesel": true, "wordsel": true}

func (e *effects) uses(ref *xmlNode) (reads, writes bool) {
	for below, above := ref, ref.parent; above != nil; below, above = above, above.parent {
		last := above.children[len(above.children)-1]
		switch {
		case selections[above.name]:
			if above.children[0] != below {
				return true, false
			}
		case above.name == "concat", above.name == "streaml", above.name == "streamr":
		case strings.HasPrefix(above.name, "assign"), above.name == "contassign":
			return last != below, last == below
		case above.name == "arg":
			direction := e.formal(above).get("dir")
			return direction != "output", direction != "input" && direction != ""
		default:
			return true, false
		}
	}
	return true, false
}

func (e *effects) formal(arg *xmlNode) *xmlNode {
	at := 0
	for _, other := range arg.parent.children {
		if other == arg {
			break
		}
		if other.name == "arg" {
			at++
		}
	}
	for _, f := range e.routinesOf(arg.parent) {
		for i, v := range f.children {
			if v.name != "var" || v.get("dir") == "" || i == 0 && f.name == "func" {
				continue
			}
			if at == 0 && arg.get("name") == "" || arg.get("name") != "" && arg.get("name") == v.get("name") {
				return v
			}
			at--
		}
	}
	return &xmlNode{}
}

// kept returns the variables, except arguments, that a static function or task reads before it writes them. Writing a
// part of a variable counts as writing the whole variable. A loop is assumed to run at least once.
func (e *effects) kept(f *xmlNode) map[*xmlNode]bool {
	if known, ok := e.keeps[f]; ok {
		return known
	}
	kept := map[*xmlNode]bool{}
	e.keeps[f] = kept
	written := map[*xmlNode]bool{}
	for i, v := range f.children {
		if v.name == "var" && v.get("dir") == "input" || v.name == "var" && v.get("dir") != "" &&
			!(i == 0 && f.name == "func") {
			written[v] = true
		}
	}
	e.readFirst(f.children, written, func(v *xmlNode) {
		if v.withinRoutine() == f && v.get("param") != "true" && v.get("localparam") != "true" && !e.automatic(v, f) {
			kept[v] = true
		}
	})
	return kept
}

// readFirst calls found for each variable that statements read before every path has written the variable. It reports
// whether the path ends within the statements.
func (e *effects) readFirst(statements []*xmlNode, written map[*xmlNode]bool, found func(v *xmlNode)) (leaves bool) {
	for _, s := range statements {
		switch s.name {
		case "begin", "while", "jumpblock":
			leaves = e.readFirst(s.children, written, found) && s.name == "begin"
		case "if":
			e.readsIn(s.children[0], written, found)
			ways := make([][]*xmlNode, 2)
			for i, way := range s.children[1:] {
				ways[min(i, 1)] = []*xmlNode{way}
			}
			leaves = e.either(ways, written, found)
		case "case":
			e.readsIn(s.children[0], written, found)
			leaves = e.either(e.ways(s), written, found)
		case "jumpgo":
			leaves = true
		case "var":
		default:
			e.readsIn(s, written, found)
		}
		if leaves {
			return true
		}
	}
	return false
}

func (e *effects) readsIn(node *xmlNode, written map[*xmlNode]bool, found func(v *xmlNode)) {
	var after []*xmlNode
	node.each(func(ref *xmlNode) {
		if ref.name != "varref" {
			return
		}
		reads, writes := e.uses(ref)
		for _, v := range e.variables(ref) {
			if reads && !written[v] {
				found(v)
			}
			if writes {
				after = append(after, v)
			}
		}
	})
	for _, v := range after {
		written[v] = true
	}
}

// either handles alternative paths. A variable counts as written if all paths that reach the end write the variable.
func (e *effects) either(ways [][]*xmlNode, written map[*xmlNode]bool, found func(v *xmlNode)) (leaves bool) {
	var all map[*xmlNode]bool
	for _, way := range ways {
		own := maps.Clone(written)
		if e.readFirst(way, own, found) {
			continue
		}
		if all == nil {
			all = own
		}
		maps.DeleteFunc(all, func(v *xmlNode, _ bool) bool { return !own[v] })
	}
	maps.Copy(written, all)
	return all == nil
}

// ways returns the bodies of a case. It adds an empty body if it is possible that no item matches.
func (e *effects) ways(s *xmlNode) (ways [][]*xmlNode) {
	subject := s.children[0]
	for strings.HasPrefix(subject.name, "extend") {
		subject = subject.children[0]
	}
	bits, _, _ := e.shape(subject.get("dtype_id"))
	left := 1 << min(bits, 30)
	for _, item := range s.children[1:] {
		body := slices.DeleteFunc(slices.Clone(item.children), isValue)
		if left -= len(item.children) - len(body); len(body) == len(item.children) {
			left = 0
		}
		ways = append(ways, body)
	}
	if left > 0 {
		ways = append(ways, nil)
	}
	return ways
}

func isValue(n *xmlNode) bool { return n.get("dtype_id") != "" && !strings.HasPrefix(n.name, "assign") }

func (e *effects) call(call *xmlNode) {
	e.aliases(call)
	if does := e.touches(call); does.changes() {
		e.placed(call, does, call.get("name")+" writes more than its own variables")
	}
}

func (e *effects) step(ref *xmlNode) {
	v := e.variables(ref)[0]
	var made []*xmlNode
	v.parent.each(func(s *xmlNode) {
		if s.name != "assign" || len(made) > 0 {
			return
		}
		if to := s.children[len(s.children)-1]; to.name == "varref" && to.get("name") == v.get("name") {
			beside := s.parent.children[slices.Index(s.parent.children, s):]
			made = beside[:min(2, len(beside))]
		}
	})
	does := newTouch()
	for _, s := range made {
		if slices.Contains(s.children, ref) {
			return
		}
		does.add(e.touches(s))
	}
	e.placed(ref, does, "the variable changes here")
}

func (e *effects) placed(node *xmlNode, does *touch, what string) {
	open := func(text string) {
		e.warn(node, effect, fmt.Sprintf("%s, %s; write it as a preceding statement, or make it a task that is called in "+
			"an if",
			what, text))
	}
	for below, above := node, node.parent; above != nil; below, above = above, above.parent {
		last := above.children[len(above.children)-1]
		switch {
		case above.name == "cond" && above.children[0] != below && !strings.HasPrefix(e.after(above), "?") &&
			!strings.HasPrefix(e.after(above), "`"):
			open("and is called in one branch of an if that Verilator turns into ?:, which calls both")
			return
		case e.leavesOut(above, below):
			open("and is called only if its operand is evaluated (IEEE 1800-2017 11.4.7, 11.4.11), while Verilator always " +
				"calls it")
			return
		case above.name == "caseitem" && isValue(below):
			open("and is called only if no earlier item matches (IEEE 1800-2017 12.5), while Verilator always calls it")
			return
		case above.name == "case" && above.children[0] == below:
			open("and is called once (IEEE 1800-2017 12.5), while Verilator may call it for each item")
			return
		case strings.HasPrefix(above.name, "assign"), above.name == "contassign":
			if last != below && does.meets(e.indexes(last)) {
				open("and the target of the assignment depends on it: the order is undefined")
			}
			return
		case statementNodes[above.name]:
			return
		default:
			for _, beside := range above.children {
				if beside != below && does.meets(e.touches(beside)) {
					open("and another operand depends on it: the order is undefined (IEEE 1800-2017 11.3.5)")
					return
				}
			}
		}
	}
}

// leavesOut reports whether an operator may skip an operand. Such an operand is a result of ?:, or the second operand
// of && and similar operators, which the tree shows as bitwise operators. Verilator may have swapped a constant to
// the front.
func (e *effects) leavesOut(operator, operand *xmlNode) bool {
	second := operator.children[0] != operand
	switch operator.name {
	case "cond":
		return second
	case "and", "or", "logand", "logor", "logif":
		text := e.after(operator)
		// or a macro
		if !strings.HasPrefix(text, "&&") && !strings.HasPrefix(text, "||") && !strings.HasPrefix(text, "->") &&
			!strings.HasPrefix(text, "`") {
			return false
		}
		return second && (operator.children[0].name != "const" || len(e.before(operand)) > len(e.before(operator)))
	}
	return false
}

var statementNodes = map[string]bool{
	"if": true, "while": true, "case": true, "caseitem": true, "jumpblock": true, "begin": true,
	"always": true, "initial": true, "final": true, "stmtexpr": true, "func": true, "task": true, "module": true,
}

func (e *effects) indexes(target *xmlNode) *touch {
	t := newTouch()
	target.each(func(node *xmlNode) {
		if selections[node.name] {
			for _, index := range node.children[1:] {
				t.add(e.touches(index))
			}
		}
	})
	return t
}

func (e *effects) aliases(call *xmlNode) {
	var formals []string
	var actuals []*touch
	for _, arg := range call.children {
		if arg.name == "arg" {
			formals, actuals = append(formals, e.formal(arg).get("dir")), append(actuals, e.touches(arg))
		}
	}
	for i, actual := range actuals {
		if formals[i] == "ref" {
			e.warn(call, byReference, fmt.Sprintf("a ref argument of %s: Verilator may pass an earlier value of the variable, "+
				"and combinational logic may not settle; write inout", call.get("name")))
			return
		}
		if formals[i] != "inout" {
			continue
		}
		does := e.callee(call)
		for k, other := range actuals {
			if k != i && formals[k] != "input" {
				does.add(other)
			}
		}
		if meet(actual.writes, does.reads) || meet(actual.writes, does.writes) {
			e.warn(call, copied, fmt.Sprintf("an inout argument of %s is copied in and out (IEEE 1800-2017 13.5.1): the "+
				"same variable is another argument or is used inside, and Verilator has one variable for both; "+
				"give the argument a variable of its own", call.get("name")))
			return
		}
	}
}
