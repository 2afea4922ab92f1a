package variables

import (
	"cmp"
	"debug/dwarf"
	"fmt"
	"slices"
	"strings"

	"starloom/firmware/wasm/binary"
)

// names that identify the type of a state: the entry points of an image, the handlers of examples, the type of a
// handler's first argument, and the type's own name.
var (
	entryNames   = []string{"starloom_slot", "starloom_start"}
	handlerNames = []string{"on_slot", "on_start"}
	nicNames     = []string{"sl_nic", "Nic"}
	stateNames   = []string{"state_t", "State", "state"}
)

// sdkPrefixes begin the names of the SDK's functions.
var sdkPrefixes = []string{"sl_", "starloom_"}

// found is a candidate for the type of the state, with its rank.
type found struct {
	name  string
	entry *dwarf.Entry // struct, class or union
	bytes int64
	rank  int // the most likely first
	loose int // 1 for a type that is smaller than the state, otherwise 0
}

// Ranks of types. For a function inlined in an entry point, the depth is that of the inlined call.
const (
	rankHandler = 100 + iota
	rankNamed
	rankArgument
)

// Read finds the type of the state in debug information and returns its layout. The state of a processor has
// stateBytes bytes. Errors complete the sentence "the image ...".
func Read(data *dwarf.Data, stateBytes int) (*Layout, error) {
	if data == nil {
		return nil, ErrNoDebug
	}
	r := &reader{data: data, visits: visitsMax, bytes: stateBytes}
	at, err := r.find()
	if err != nil {
		return nil, err
	}
	r.layout = &Layout{Type: at.name, Bytes: stateBytes}
	r.visits, r.paths = visitsMax, map[string]bool{}
	if err := r.members("", at.entry, member{}); err != nil {
		return nil, fmt.Errorf("has debug information in which %s cannot be read: %w", at.name, err)
	}
	return r.layout, nil
}

// find returns the type of the state: the target of the second argument of a handler, whose first argument is the
// NIC.
func (r *reader) find() (best found, err error) {
	s := scan{reader: r, inlined: map[dwarf.Offset]int{}}
	if err := s.run(); err != nil {
		return best, fmt.Errorf("has invalid debug information: %w", err)
	}
	var types []found
	for _, t := range s.types {
		if depth, ok := s.inlined[t.function]; ok {
			t.rank = min(t.rank, depth)
		}
		if r.fits(&t.found) {
			types = append(types, t.found)
		}
	}
	if len(types) == 0 && s.declared != "" {
		return best, fmt.Errorf("has debug information in which %s is only declared; with -fstandalone-debug clang writes "+
			"its members", s.declared)
	}
	if len(types) == 0 {
		return best, fmt.Errorf("has debug information without a state of %d bytes: no function has the arguments "+
			"sl_nic * and a pointer to such a struct", r.bytes)
	}
	slices.SortStableFunc(types, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.loose, b.loose), cmp.Compare(a.rank, b.rank), cmp.Compare(b.bytes, a.bytes))
	})
	return types[0], nil
}

// fits reports whether a type has the size of the state: exactly, or less if it ends with an array of unknown length.
func (r *reader) fits(t *found) bool {
	if (t.bytes+7)/8*8 == int64(r.bytes) {
		return true
	}
	t.loose = 1
	return t.bytes < int64(r.bytes) && r.flexible(t.entry)
}

// scan passes once over all debug information.
type scan struct {
	*reader
	types    []candidate
	declared string               // a type without members that may be the type of the state, "" for none
	inlined  map[dwarf.Offset]int // functions inlined in entry points, and the depth of the outermost call
}

type candidate struct {
	found
	function dwarf.Offset
}

func (s *scan) run() error {
	entries := binary.EntriesOf(s.data)
	type open struct {
		entry      bool // in an entry point
		depth      int  // depth of inlined calls
		function   *dwarf.Entry
		parameters []dwarf.Offset
	}
	stack := []open{{}}
	for {
		e, err := entries.Next()
		if err != nil {
			return err
		}
		if e == nil {
			return nil
		}
		top := &stack[len(stack)-1]
		if e.Tag == 0 {
			if len(stack) > 1 {
				s.argument(top.function, top.parameters)
				stack = stack[:len(stack)-1]
			}
			continue
		}
		next := open{entry: top.entry, depth: top.depth}
		switch e.Tag {
		case dwarf.TagCompileUnit:
			stack = stack[:1]
			next = open{}
		case dwarf.TagSubprogram:
			name, _ := e.Val(dwarf.AttrName).(string)
			next = open{function: e, entry: slices.Contains(entryNames, name)}
		case dwarf.TagInlinedSubroutine:
			next.depth++
			if from, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok && top.entry {
				if depth, known := s.inlined[from]; !known || next.depth < depth {
					s.inlined[from] = next.depth
				}
			}
		case dwarf.TagFormalParameter:
			at, typed := e.Val(dwarf.AttrType).(dwarf.Offset)
			artificial, _ := e.Val(dwarf.AttrArtificial).(bool)
			if typed && !artificial && top.function != nil {
				top.parameters = append(top.parameters, at)
			}
		case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagTypedef:
			if name, _ := e.Val(dwarf.AttrName).(string); slices.Contains(stateNames, name) {
				s.add(e.Offset, 0, rankNamed)
			}
		}
		if e.Children {
			if stack = append(stack, next); len(stack) > nestedMax {
				return fmt.Errorf("more than %d nested entries", nestedMax)
			}
		}
	}
}

func (s *scan) argument(function *dwarf.Entry, parameters []dwarf.Offset) {
	if function == nil || len(parameters) < 2 {
		return
	}
	s.visits = visitsMax
	nic, ok := s.pointee(parameters[0])
	if !ok {
		return
	}
	if _, name, err := s.resolve(nic); err != nil || !slices.Contains(nicNames, name) {
		return
	}
	rank := rankArgument
	name, _ := function.Val(dwarf.AttrName).(string)
	switch {
	case slices.ContainsFunc(sdkPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }):
		return
	case slices.Contains(handlerNames, name):
		rank = rankHandler
	}
	if state, ok := s.pointee(parameters[1]); ok {
		s.add(state, function.Offset, rank)
	}
}

func (s *scan) add(at, function dwarf.Offset, rank int) {
	s.visits = visitsMax
	entry, name, err := s.resolve(at)
	if err != nil || !isStruct(entry) {
		return
	}
	if declared, _ := entry.Val(dwarf.AttrDeclaration).(bool); declared {
		s.declared = name
		return
	}
	bytes, ok := entry.Val(dwarf.AttrByteSize).(int64)
	if !ok || bytes < 0 || len(s.types) == typesMax || slices.ContainsFunc(s.types, func(t candidate) bool {
		return t.entry.Offset == entry.Offset && t.function == function
	}) {
		return
	}
	s.types = append(s.types, candidate{found{name: name, entry: entry, bytes: bytes, rank: rank}, function})
}

func isStruct(e *dwarf.Entry) bool {
	return e.Tag == dwarf.TagStructType || e.Tag == dwarf.TagClassType || e.Tag == dwarf.TagUnionType
}

// pointee returns the target type of a pointer or reference.
func (r *reader) pointee(at dwarf.Offset) (dwarf.Offset, bool) {
	e, _, err := r.resolve(at)
	if err != nil || e.Tag != dwarf.TagPointerType && e.Tag != dwarf.TagReferenceType {
		return 0, false
	}
	to, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	return to, ok
}

// resolve follows typedefs and qualifiers to a type. The name is the first on the way, "" for none.
func (r *reader) resolve(at dwarf.Offset) (e *dwarf.Entry, name string, err error) {
	for range chainMax {
		if e, err = r.entry(at); err != nil {
			return nil, "", err
		}
		if own, _ := e.Val(dwarf.AttrName).(string); name == "" {
			name = binary.Clip(strings.ToValidUTF8(own, "?"))
		}
		switch e.Tag {
		case dwarf.TagTypedef, dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType, dwarf.TagAtomicType,
			dwarf.TagImmutableType:
		default:
			return e, name, nil
		}
		to, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
		if !ok {
			return nil, "", fmt.Errorf("type %q has no target", name)
		}
		at = to
	}
	return nil, "", fmt.Errorf("type %q is a chain of more than %d types", name, chainMax)
}
