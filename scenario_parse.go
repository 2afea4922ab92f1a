package starloom

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	yaml "go.yaml.in/yaml/v4"

	"starloom/fabric"
	"starloom/traces/input"
)

// scenarioBytesMax is the largest scenario file; longer permutations go into a
// file of their own.
const scenarioBytesMax = 64 << 20

// LoadScenario reads and checks the scenario file at path. Every error is an
// *InputError with file, line and column.
func LoadScenario(path string) (*Scenario, error) {
	data, err := input.Read(path, scenarioBytesMax)
	if err != nil {
		return nil, input.Unreadable(path, err, "give the path of a scenario, for example examples/pops-16x16.yaml")
	}
	return ParseScenario(path, data)
}

// ParseScenario reads and checks a scenario, YAML or JSON, at most 64 MiB. place is the
// file's path: it stands before errors, names the scenario unless it has a name, and paths
// in the scenario are relative to its folder. Bytes that are of no file have the place "":
// their paths are relative to the working folder. Every error is an *InputError.
func ParseScenario(place string, data []byte) (*Scenario, error) {
	if len(data) > scenarioBytesMax {
		return nil, &InputError{
			Place: place, Reason: fmt.Sprintf("larger than %d MiB", scenarioBytesMax>>20),
			Remedy: "put a long permutation into a file of its own: workload: {file: perm.csv}",
		}
	}
	if place == "" {
		place = "scenario"
	}
	root, err := parseDocument(place, data)
	if err != nil {
		return nil, err
	}
	s := DefaultScenario()
	s.Name = strings.TrimSuffix(filepath.Base(place), filepath.Ext(place))
	s.folder = filepath.Dir(place)
	s.places = map[string]string{}
	d := scenarioDecoder{file: place, scenario: s}
	if err := d.decode(root, reflect.ValueOf(s).Elem(), "", fieldLimits{}); err != nil {
		return nil, err
	}
	if err := d.readPermutationFile(); err != nil {
		return nil, err
	}
	if g := s.Workload.Gossip; g != nil && g.FromFile() {
		g.Path = s.resolve(g.Orders)
	}
	if g := s.Workload.Gossip; g != nil && g.ValuesFromFile() {
		g.ValuesPath = s.resolve(g.Values)
	}
	if err := s.check(d.entryPlace); err != nil {
		return nil, err
	}
	s.takeNeeds()
	return s, nil
}

// takeNeeds gives the keys that the file leaves open the values that the program needs. It does
// nothing to scenarios that are from no file.
func (s *Scenario) takeNeeds() {
	if _, parsed := s.places[""]; !parsed {
		return
	}
	var needs fabric.Needs
	if p := s.program(); p != nil {
		needs = p.Needs
	}
	usual := DefaultScenario()
	given := func(path string) bool { _, ok := s.places[path]; return ok }
	if !given("nic.rx_frames") {
		s.NIC.RXFrames = cmp.Or(needs.RxFrames, usual.NIC.RXFrames)
	}
	if !given("nic.tx_frames") {
		s.NIC.TXFrames = cmp.Or(needs.TxFrames, usual.NIC.TXFrames)
	}
	if !given("nic.payload_bytes") {
		s.NIC.PayloadBytes = cmp.Or(needs.PayloadBytes, usual.NIC.PayloadBytes)
	}
	if !given("stop.slots") {
		slots := uint64(needs.Slots)
		if g := s.Workload.Gossip; g != nil {
			slots *= uint64(g.Count())
		}
		s.Stop.Slots = uint32(min(cmp.Or(slots, uint64(usual.Stop.Slots)), SlotsMax))
	}
}

// parseDocument returns the content of the one YAML document in data.
func parseDocument(place string, data []byte) (*yaml.Node, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, syntaxError(place, data, err)
	}
	var document, second yaml.Node
	err = loader.Load(&document)
	if err == nil && len(document.Content) == 0 {
		err = io.EOF
	}
	if err == nil && document.Content[0].Kind == yaml.ScalarNode && document.Content[0].ShortTag() == "!!null" {
		err = io.EOF
	}
	if errors.Is(err, io.EOF) {
		return nil, &InputError{
			Place: place + ":1:1", Reason: "the scenario is empty",
			Remedy: "start from examples/pops-16x16.yaml",
		}
	}
	if err != nil {
		return nil, syntaxError(place, data, err)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, &InputError{
			Place:  fmt.Sprintf("%s:%d:%d", place, second.Line, second.Column),
			Reason: "a second document starts here", Remedy: "write one scenario per file",
		}
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(place, data, err)
	}
	if err := refuseTags(place, document.Content[0]); err != nil {
		return nil, err
	}
	return document.Content[0], nil
}

// refuseTags refuses what is tagged as something else than a map, a list or a plain
// value: nobody would see to what the tag means.
func refuseTags(place string, root *yaml.Node) error {
	waiting := []*yaml.Node{root} // not by recursion: a document may be deep
	for len(waiting) > 0 {
		node := waiting[len(waiting)-1]
		waiting = append(waiting[:len(waiting)-1], node.Content...)
		tag := node.ShortTag()
		switch node.Kind {
		case yaml.MappingNode:
			if tag == "!!map" {
				continue
			}
		case yaml.SequenceNode:
			if tag == "!!seq" {
				continue
			}
		case yaml.ScalarNode:
			if slices.Contains(plainTags, tag) {
				continue
			}
		default:
			continue
		}
		return &InputError{
			Place:  fmt.Sprintf("%s:%d:%d", place, node.Line, node.Column),
			Reason: fmt.Sprintf("the tag %s means nothing here", clip(tag)), Remedy: "delete it",
		}
	}
	return nil
}

// plainTags are those of the values that YAML itself knows.
var plainTags = []string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!merge", "!!binary"}

// syntaxError turns an error of the YAML library into one with a place.
func syntaxError(place string, data []byte, err error) *InputError {
	reason := err.Error()
	var load *yaml.LoadError
	if errors.As(err, &load) {
		reason = load.Message
		if load.ContextMsg != "" {
			reason += " " + load.ContextMsg
		}
		line, column := load.Mark.Line, load.Mark.Column
		if line == 0 && load.Mark.Index > 0 && load.Mark.Index <= len(data) {
			// The reader, which finds bytes that are not UTF-8, counts bytes only.
			before := data[:load.Mark.Index]
			line = 1 + bytes.Count(before, []byte("\n"))
			column = len(before) - bytes.LastIndexByte(before, '\n')
		}
		if line > 0 {
			place = fmt.Sprintf("%s:%d:%d", place, line, max(column, 1))
		}
	}
	return &InputError{Place: place, Reason: "not YAML: " + reason, Remedy: "correct the syntax"}
}

// scenarioDecoder fills a Scenario from YAML nodes and notes where each value
// stands. It does not use the library's own decoding, which coerces and knows no
// columns. Nothing here recurses deeper than the types do, so anchors that
// refer to themselves are harmless.
type scenarioDecoder struct {
	file       string
	scenario   *Scenario
	entryPlace func(i int) string // where entry i of the permutation stands
}

var permutationType = reflect.TypeFor[Permutation]()

// decode fills v, which is at path, from node.
func (d *scenarioDecoder) decode(node *yaml.Node, v reflect.Value, path string, limits fieldLimits) error {
	d.scenario.places[path] = d.place(node)
	node = target(node)
	if v.Type() == permutationType {
		return d.decodePermutation(node, v.Addr().Interface().(*Permutation), path)
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.decode(node, v.Elem(), path, limits)
	case reflect.Struct:
		if short, ok := v.Interface().(fabric.Shorthand); ok && node.Kind == yaml.ScalarNode {
			key, _ := short.Short()
			field := fieldOf(v.Type(), key)
			return d.decode(node, v.Field(field.index), path, field.limits)
		}
		return d.decodeStruct(node, v, path)
	case reflect.Map:
		return d.decodeParams(node, v, path)
	case reflect.Slice:
		if node.Kind != yaml.SequenceNode {
			return d.wrong(node, path, "a list: [...]")
		}
		v.Set(reflect.MakeSlice(v.Type(), len(node.Content), len(node.Content)))
		for i, entry := range node.Content {
			if err := d.decode(entry, v.Index(i), fmt.Sprintf("%s[%d]", path, i), fieldLimits{}); err != nil {
				return err
			}
		}
	case reflect.String:
		if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!str" {
			return d.wrong(node, path, "a text")
		}
		v.SetString(node.Value)
	case reflect.Bool:
		if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!bool" || (node.Value != "true" && node.Value != "false") {
			return d.wrong(node, path, "true or false")
		}
		v.SetBool(node.Value == "true")
	case reflect.Float64:
		value, err := d.fraction(node, path, limits.span(v.Type()))
		if err != nil {
			return err
		}
		v.SetFloat(value)
	default:
		number, err := d.integer(node, path, limits.span(v.Type()))
		if err != nil {
			return err
		}
		if v.CanUint() {
			v.SetUint(number.magnitude)
		} else {
			v.SetInt(number.int64())
		}
	}
	if reason, remedy := limits.refuse(v); reason != "" {
		return d.refuse(node, path+" "+reason, remedy)
	}
	return nil
}

func (d *scenarioDecoder) decodeStruct(node *yaml.Node, v reflect.Value, path string) error {
	fields := structFields(v.Type())
	if node.Kind != yaml.MappingNode {
		example := "an object: {}"
		if len(fields) > 0 {
			example = fmt.Sprintf("an object: {%s: ...}", fields[0].key)
		}
		return d.wrong(node, path, example)
	}
	where := path
	if where == "" {
		where = "the scenario"
	}
	if path == "fabric" && len(node.Content) > 2 {
		return d.refuse(node.Content[2],
			fmt.Sprintf("two fabrics: %s and %s", node.Content[0].Value, node.Content[2].Value),
			"a scenario has exactly one; delete the other")
	}
	seen := map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		keyNode, valueNode := node.Content[i], node.Content[i+1]
		key, err := d.key(keyNode, where, seen)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(fields, func(f structField) bool { return f.key == key })
		if at < 0 {
			return d.refuse(keyNode, fmt.Sprintf("unknown key %q in %s", key, where), allowedKeys(key, fields))
		}
		field := fields[at]
		if err := d.decode(valueNode, v.Field(field.index), join(path, key), field.limits); err != nil {
			return err
		}
	}
	for _, field := range fields {
		if _, ok := seen[field.key]; field.limits.required && !ok {
			return d.refuse(node, fmt.Sprintf("missing key %q in %s", field.key, where),
				fmt.Sprintf("add %q (%s)", field.key, field.limits.description))
		}
	}
	return nil
}

// key returns a key that is a text and was not seen before in this object.
func (d *scenarioDecoder) key(node *yaml.Node, where string, seen map[string]string) (string, error) {
	place := d.place(node)
	node = target(node)
	if node.Kind != yaml.ScalarNode {
		return "", d.refuse(node, fmt.Sprintf("a key of %s is %s", where, describe(node)), "write a name as key")
	}
	if strings.ContainsFunc(node.Value, unicode.IsControl) {
		return "", d.refuse(node, fmt.Sprintf("the key %q of %s has control characters", clip(node.Value), where), "write a name in one line as key")
	}
	if before, ok := seen[node.Value]; ok {
		return "", &InputError{
			Place: place, Reason: fmt.Sprintf("key %q is given twice in %s, first at %s", node.Value, where, before),
			Remedy: "delete one",
		}
	}
	seen[node.Value] = place
	return node.Value, nil
}

func (d *scenarioDecoder) decodeParams(node *yaml.Node, v reflect.Value, path string) error {
	if node.Kind != yaml.MappingNode {
		return d.wrong(node, path, "an object: {name: integer}")
	}
	params := make(map[string]int64, len(node.Content)/2)
	seen := map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, err := d.key(node.Content[i], path, seen)
		if err != nil {
			return err
		}
		at := join(path, key)
		d.scenario.places[at] = d.place(node.Content[i+1])
		allowed := paramSpan
		if path == "firmware.cpu.cost" {
			allowed = costSpan(key)
		}
		number, err := d.integer(target(node.Content[i+1]), at, allowed)
		if err != nil {
			return err
		}
		params[key] = number.int64()
	}
	v.Set(reflect.ValueOf(params))
	return nil
}

func (d *scenarioDecoder) decodePermutation(node *yaml.Node, p *Permutation, path string) error {
	const wants = "random, identity, reverse, all or a list of destinations: [1, 0, 2]"
	switch {
	case node.Kind == yaml.SequenceNode:
		p.Kind, p.List = PermutationList, make([]uint32, len(node.Content))
		d.entryPlace = func(i int) string { return d.place(node.Content[i]) }
		for i, entry := range node.Content {
			number, err := d.integer(target(entry), fmt.Sprintf("%s[%d]", path, i), span{max: destinationMax})
			if err != nil {
				return err
			}
			p.List[i] = uint32(number.magnitude)
		}
		return nil
	case node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str":
		p.Kind, p.List = node.Value, nil
		if !slices.Contains(permutationRules, node.Value) {
			remedy := input.DidYouMean(node.Value, permutationRules, "allowed are "+wants)
			return d.refuse(node, fmt.Sprintf("%s is %q", path, clip(node.Value)), remedy)
		}
		return nil
	}
	return d.wrong(node, path, wants)
}

// destinationMax is the largest destination of any fabric: the last two numbers
// of the 32-bit address are reserved.
const destinationMax = math.MaxUint32 - 2

// readPermutationFile replaces workload.file by the permutation in that file.
func (d *scenarioDecoder) readPermutationFile() error {
	s := d.scenario
	if s.Workload.File == "" {
		return nil
	}
	place := s.Place("workload.file")
	if _, both := s.places["workload.permutation"]; both {
		return &InputError{Place: place, Reason: "workload has both permutation and file", Remedy: "delete one"}
	}
	// How long the file may be is known of a network that is right.
	if err := s.checkRanges(reflect.ValueOf(&s.Fabric).Elem(), "fabric"); err != nil {
		return err
	}
	if err := s.checkFabric(); err != nil {
		return err
	}
	path := s.resolve(s.Workload.File)
	data, err := input.Read(path, int64(s.Processors()+2)*16)
	if err != nil {
		return &InputError{
			Place: place, Reason: fmt.Sprintf("%s cannot be read: %v", path, input.WithoutPath(err)),
			Remedy: "give a file with one destination per line for each processor of this fabric, relative to the scenario's folder",
		}
	}
	list, firstLine, err := parsePermutation(path, data)
	if err != nil {
		return err
	}
	s.Workload.Permutation = Permutation{Kind: PermutationList, List: list}
	s.places["workload.permutation"] = path
	d.entryPlace = func(i int) string { return fmt.Sprintf("%s:%d:1", path, firstLine+i) }
	return nil
}

// parsePermutation reads one destination per line and returns the list and the
// line of its first entry. A first line that does not start with a digit is a
// header. Blank lines are allowed at the end only.
func parsePermutation(path string, data []byte) (list []uint32, firstLine int, err error) {
	text := strings.TrimPrefix(string(data), "\uFEFF") // spreadsheets write a byte order mark
	lines := strings.Split(strings.TrimRight(text, " \t\r\n"), "\n")
	firstLine = 1
	if first := strings.TrimSpace(lines[0]); first != "" && (first[0] < '0' || first[0] > '9') && first[0] != '-' && first[0] != '+' {
		firstLine, lines = 2, lines[1:]
	}
	list = make([]uint32, 0, len(lines))
	for i, line := range lines {
		text := strings.TrimSpace(line)
		value, err := strconv.ParseUint(text, 10, 32)
		if err != nil || value > destinationMax {
			return nil, 0, &InputError{
				Place: fmt.Sprintf("%s:%d:1", path, firstLine+i), Reason: fmt.Sprintf("%q is not a destination", clip(text)),
				Remedy: "write one processor number per line, 0 or more",
			}
		}
		list = append(list, uint32(value))
	}
	return list, firstLine, nil
}

// number is an integer of a scenario: a sign and a magnitude, since seeds use
// all 64 bits and parameters have a sign.
type number struct {
	negative  bool
	magnitude uint64
}

func (n number) int64() int64 {
	if n.negative {
		return -int64(n.magnitude)
	}
	return int64(n.magnitude)
}

// integer reads an integer in span. Quoted numbers, fractions, underscores and
// leading zeros (octal in YAML 1.1, decimal in 1.2) are refused: none of them
// means the same to every reader.
func (d *scenarioDecoder) integer(node *yaml.Node, path string, allowed span) (number, error) {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!int" || quoted(node) {
		if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!float" && plainInteger(node.Value) {
			// Too large for the library: it falls back to a float.
			return number{}, d.refuse(node, fmt.Sprintf("%s is %s", path, clip(node.Value)), allowed.allowed())
		}
		return number{}, d.wrong(node, path, "an integer: "+allowed.String())
	}
	text := node.Value
	n := number{negative: strings.HasPrefix(text, "-")}
	text = strings.TrimPrefix(text, "-")
	base := 10
	switch {
	case strings.HasPrefix(text, "0x"):
		base, text = 16, text[2:]
	case strings.HasPrefix(text, "0o"):
		base, text = 8, text[2:]
	case len(text) > 1 && text[0] == '0', !plainInteger(text):
		return number{}, d.refuse(node, fmt.Sprintf("%s is %s, which not every YAML reader takes for the same number", path, clip(node.Value)),
			"write it in plain decimal digits")
	}
	magnitude, err := strconv.ParseUint(text, base, 64)
	n.magnitude = magnitude
	n.negative = n.negative && magnitude != 0
	if err != nil || !allowed.contains(n) {
		return number{}, d.refuse(node, fmt.Sprintf("%s is %s", path, clip(node.Value)), allowed.allowed())
	}
	return n, nil
}

// fraction reads a number in span, which may have a fraction.
func (d *scenarioDecoder) fraction(node *yaml.Node, path string, allowed span) (float64, error) {
	tag := node.ShortTag()
	value, err := strconv.ParseFloat(node.Value, 64)
	if node.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" || quoted(node) || err != nil || strings.ContainsAny(node.Value, "_xX") {
		return 0, d.wrong(node, path, "a number: "+allowed.String())
	}
	return value, nil
}

func quoted(node *yaml.Node) bool {
	return node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
}

func plainInteger(text string) bool {
	text = strings.TrimPrefix(text, "-")
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// place returns file:line:column of a node.
func (d *scenarioDecoder) place(node *yaml.Node) string {
	return fmt.Sprintf("%s:%d:%d", d.file, node.Line, node.Column)
}

func (d *scenarioDecoder) refuse(node *yaml.Node, reason, remedy string) error {
	return &InputError{Place: d.place(node), Reason: reason, Remedy: remedy}
}

// wrong refuses a value of the wrong type.
func (d *scenarioDecoder) wrong(node *yaml.Node, path, wants string) error {
	if path == "" {
		path = "the scenario"
	}
	return d.refuse(node, path+" is "+describe(node), "write "+wants)
}

// target returns the node that an alias stands for.
func target(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode && node.Alias != nil {
		return node.Alias
	}
	return node
}

// describe names what a node holds, for "x is ...".
func describe(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "an object"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		switch {
		case node.ShortTag() == "!!null":
			return "empty"
		case node.ShortTag() == "!!str", quoted(node):
			return fmt.Sprintf("the text %q", clip(node.Value))
		}
		return clip(node.Value)
	}
	return "no value"
}

// clip shortens what is quoted in an error.
func clip(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// allowedKeys is the remedy for an unknown key.
func allowedKeys(key string, fields []structField) string {
	if len(fields) == 0 {
		return "delete it: no keys are allowed here"
	}
	keys := make([]string, len(fields))
	for i := range fields {
		keys[i] = fields[i].key
	}
	remedy := "allowed are " + strings.Join(keys, ", ")
	if len(keys) == 1 {
		remedy = "allowed is " + keys[0]
	}
	return input.DidYouMean(key, keys, remedy)
}
