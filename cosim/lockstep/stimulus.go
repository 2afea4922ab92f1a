package lockstep

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/bits"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/hw"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

// Stimulus holds the inputs of a model, cycle by cycle.
type Stimulus struct {
	Inputs []cosim.Port // of the model, without its clock
	Place  string       // where it comes from, for messages: a file, a component of a run
	words  int          // of a cycle
	rows   []uint64
	cycles []uint64 // of a run, by row, hw.CycleOfReset before it; nil: rows are numbered
}

func newStimulus(m *twin.Model) *Stimulus {
	s := &Stimulus{words: len(m.Inputs())}
	for _, p := range m.Ports() {
		if p.Input && !p.Clock {
			s.Inputs = append(s.Inputs, p)
		}
	}
	return s
}

// Cycles returns how long it is.
func (s *Stimulus) Cycles() int { return len(s.rows) / s.words }

func (s *Stimulus) row(cycle int) []uint64 { return s.rows[cycle*s.words:][:s.words] }

// cycleOf returns the cycle of the run from which a row comes, hw.CycleOfReset for one before
// cycle 0; the row's own number in a stimulus that was not recorded.
func (s *Stimulus) cycleOf(row uint64) uint64 {
	if s == nil || s.cycles == nil {
		return row
	}
	return s.cycles[row]
}

// drive is the stimulus for a run.
func (s *Stimulus) drive() drive {
	return func(cycle uint64, inputs []uint64) bool {
		if cycle >= uint64(s.Cycles()) {
			return false
		}
		copy(inputs, s.row(int(cycle)))
		return true
	}
}

func (s *Stimulus) with(rows []uint64) *Stimulus {
	return &Stimulus{Inputs: s.Inputs, Place: s.Place, words: s.words, rows: rows}
}

func (s *Stimulus) clone() *Stimulus { return s.with(slices.Clone(s.rows)) }
func (s *Stimulus) cut(cycles int)   { s.rows = s.rows[:min(len(s.rows), cycles*s.words)] }

func (s *Stimulus) slice(from, to int) *Stimulus {
	return s.with(slices.Clone(s.rows[from*s.words : to*s.words]))
}

func (s *Stimulus) without(from, to int) *Stimulus {
	return s.with(append(slices.Clone(s.rows[:from*s.words]), s.rows[to*s.words:]...))
}

func (s *Stimulus) ones() (count int) {
	for _, word := range s.rows {
		count += bits.OnesCount64(word)
	}
	return count
}

// mask clears what is above the ports' widths.
func (s *Stimulus) mask() {
	for cycle := range s.Cycles() {
		for _, p := range s.Inputs {
			if p.Bits%64 != 0 {
				s.row(cycle)[p.Word+p.Words()-1] &= 1<<(p.Bits%64) - 1
			}
		}
	}
}

// WriteCSV writes one line for each cycle: its number, then every input, bits as 0
// and 1, vectors in hexadecimal. ReadStimulus reads it.
func (s *Stimulus) WriteCSV(w io.Writer) error {
	b := bufio.NewWriter(w)
	switch first := slices.Index(s.cycles, 0); {
	case first < 0:
	case int(s.cycles[len(s.cycles)-1]) == len(s.cycles)-1-first:
		fmt.Fprintf(b, "# cycle %d here is cycle 0 of the run, for %s\n", first, s.Place)
	default:
		fmt.Fprintf(b, "# the cycles of the run in which inputs change, for %s\n", s.Place)
	}
	b.WriteString("cycle")
	for _, p := range s.Inputs {
		b.WriteString("," + p.Name)
	}
	for cycle := range s.Cycles() {
		b.WriteString("\n" + strconv.Itoa(cycle))
		for _, p := range s.Inputs {
			value := numberOf(s.row(cycle)[p.Word:][:p.Words()])
			if p.Bits == 1 {
				fmt.Fprintf(b, ",%d", value)
			} else {
				fmt.Fprintf(b, ",%#x", value)
			}
		}
	}
	b.WriteString("\n")
	return b.Flush()
}

// numberOf joins words, the low one first.
func numberOf(words []uint64) *big.Int {
	n := new(big.Int)
	for _, word := range slices.Backward(words) {
		n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(word))
	}
	return n
}

// ReadStimulus reads the inputs of the map's model from a file.
//
// CSV: a line with names, then one for each cycle; values as 12, 0x1f or 0b101.
// Inputs without a column are 0. With a column cycle, lines may be left out: the
// inputs stay as they are.
//
// VCD: the first scope that has all inputs of the model by their names, or all pins
// of the map: the waveform of a testbench. If the scope has the clock, too, a cycle
// is what is there just before its rising edge, else one unit of time. X and Z are
// read as 0.
//
// Every error is an *InputError.
func ReadStimulus(m *pinmap.Map, path string) (*Stimulus, error) {
	model, err := m.NewModel()
	if err != nil {
		return nil, err
	}
	defer model.Close()
	s := newStimulus(model)
	if strings.EqualFold(filepath.Ext(path), ".vcd") {
		err = s.readVCD(path, m, model)
	} else {
		err = s.readCSV(path)
	}
	if err != nil {
		return nil, err
	}
	s.mask()
	switch {
	case s.Cycles() == 0:
		return nil, &cosim.InputError{Place: path, Reason: "there is no cycle in it", Remedy: "give at least one line for a cycle"}
	case model.Clocked() && !s.resets(model):
		return nil, &cosim.InputError{
			Place:  path,
			Reason: "reset is never on, so nothing can be compared",
			Remedy: "begin with a cycle with reset on",
		}
	}
	return s, nil
}

func (s *Stimulus) resets(m *twin.Model) bool {
	for cycle := range s.Cycles() {
		if s.row(cycle)[m.ResetWord()] != 0 {
			return true
		}
	}
	return false
}

func (s *Stimulus) tooLong(place string) error {
	if len(s.rows) <= stimulusWordsMax {
		return nil
	}
	return &cosim.InputError{
		Place:  place,
		Reason: fmt.Sprintf("more than %d cycles", stimulusWordsMax/s.words),
		Remedy: "give a shorter stimulus",
	}
}

func (s *Stimulus) readCSV(path string) error {
	file, err := input.Open(path)
	if err != nil {
		return &cosim.InputError{
			Place:  path,
			Reason: fmt.Sprintf("cannot be read: %v", cosim.Reason(err)),
			Remedy: "give a stimulus: CSV with the names of the inputs in its first line, or VCD",
		}
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment, r.ReuseRecord, r.TrimLeadingSpace = '#', true, true
	names, err := r.Read()
	if err != nil {
		return csvError(path, err)
	}
	columns, err := s.columns(path, names)
	if err != nil {
		return err
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return csvError(path, err)
		}
		row := make([]uint64, s.words)
		for i, text := range record {
			line, column := r.FieldPos(i)
			place := fmt.Sprintf("%s:%d:%d", path, line, column)
			if columns[i] == nil {
				if err := s.reach(place, text); err != nil {
					return err
				}
				continue
			}
			if err := parseValue(place, text, columns[i], row); err != nil {
				return err
			}
		}
		s.rows = append(s.rows, row...)
		if err := s.tooLong(path); err != nil {
			return err
		}
	}
}

func csvError(path string, err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return &cosim.InputError{
			Place:  fmt.Sprintf("%s:%d:%d", path, parse.Line, parse.Column),
			Reason: "not CSV: " + parse.Err.Error(),
			Remedy: "give every line as many values as the first one",
		}
	}
	if errors.Is(err, io.EOF) {
		return &cosim.InputError{Place: path, Reason: "the file is empty", Remedy: "begin with a line of the inputs' names"}
	}
	return &cosim.InputError{Place: path, Reason: fmt.Sprintf("cannot be read: %v", cosim.Reason(err)), Remedy: "give a CSV file"}
}

// columns finds the port of each column, nil for the cycle's number.
func (s *Stimulus) columns(path string, names []string) ([]*cosim.Port, error) {
	columns := make([]*cosim.Port, len(names))
	allowed := []string{"cycle"}
	for _, p := range s.Inputs {
		allowed = append(allowed, p.Name)
	}
	for i, name := range names {
		name = strings.TrimSpace(name)
		at := slices.Index(allowed, name)
		if at < 0 {
			return nil, &cosim.InputError{
				Place:  path + ":1:1",
				Reason: fmt.Sprintf("column %d is %q, which is not an input of the model", i+1, name),
				Remedy: input.RemedyOf(name, allowed),
			}
		}
		if slices.Contains(names[:i], name) {
			return nil, &cosim.InputError{Place: path + ":1:1", Reason: fmt.Sprintf("two columns are %s", name), Remedy: "delete one"}
		}
		if at > 0 {
			columns[i] = &s.Inputs[at-1]
		}
	}
	return columns, nil
}

// reach repeats the last line until a cycle is the next one.
func (s *Stimulus) reach(place, text string) error {
	cycle, err := strconv.ParseUint(text, 10, 63)
	if err != nil || cycle < uint64(s.Cycles()) {
		return &cosim.InputError{Place: place, Reason: fmt.Sprintf("cycle %q", text), Remedy: fmt.Sprintf("give at least %d", s.Cycles())}
	}
	if cycle > uint64(stimulusWordsMax/s.words) {
		return &cosim.InputError{
			Place:  place,
			Reason: fmt.Sprintf("cycle %d is too late", cycle),
			Remedy: fmt.Sprintf("give at most %d", stimulusWordsMax/s.words),
		}
	}
	if s.Cycles() == 0 && cycle > 0 {
		return &cosim.InputError{Place: place, Reason: fmt.Sprintf("the first cycle is %d", cycle), Remedy: "begin with cycle 0"}
	}
	for uint64(s.Cycles()) < cycle {
		s.rows = append(s.rows, s.row(s.Cycles()-1)...)
	}
	return nil
}

// parseValue puts a number into the words of a port.
func parseValue(place, text string, p *cosim.Port, row []uint64) error {
	value, ok := new(big.Int).SetString(text, 0)
	if !ok || value.Sign() < 0 || value.BitLen() > p.Bits {
		return &cosim.InputError{
			Place:  place,
			Reason: fmt.Sprintf("%q is not a value of %s, which has %s", text, p.Name, cosim.BitsText(p.Bits)),
			Remedy: fmt.Sprintf("write a number from 0 to %s, as 1, 0x1 or 0b1", maxText(p.Bits)),
		}
	}
	for w, rest := 0, value; w < p.Words(); w++ {
		row[p.Word+w] = new(big.Int).And(rest, new(big.Int).SetUint64(^uint64(0))).Uint64()
		rest = new(big.Int).Rsh(rest, 64)
	}
	return nil
}

// maxText is the largest value of a number of bits; of more than 16 in hexadecimal.
func maxText(width int) string {
	largest := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(width)), big.NewInt(1))
	if width > 16 {
		return fmt.Sprintf("%#x", largest)
	}
	return largest.String()
}

// vcdInput is where bits of an input come from.
type vcdInput struct {
	name      string
	high, low int // -1: all bits
	inverted  bool
	net       vcd.NetID
	bits      int
	to        int // bit in the row
}

// readVCD samples a waveform.
func (s *Stimulus) readVCD(path string, m *pinmap.Map, model *twin.Model) error {
	r, err := vcd.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	v, err := s.findVCDInputs(path, r.Header(), m, model)
	if err != nil {
		return err
	}
	nets := []vcd.NetID{}
	for _, in := range v.inputs {
		nets = append(nets, in.net)
	}
	if v.clocked {
		nets = append(nets, v.clock)
	}
	if err := r.Watch(nets); err != nil {
		return err
	}
	now, high := make([]uint64, s.words), false
	changed := false
	for first := true; r.Next(); first = false {
		if !v.clocked && !first {
			for time := r.Time(); time < r.NextTime(); time++ {
				s.rows = append(s.rows, now...)
				if err := s.tooLong(path); err != nil {
					return err
				}
			}
		}
		nets, err := r.Step()
		if err != nil {
			return err
		}
		changed = len(nets) > 0
		if v.clocked {
			value := r.Value(v.clock)
			rises := value.Known() && value.Value[0]&1 != 0
			if rises && !high {
				s.rows = append(s.rows, now...)
			}
			high = rises
		}
		for _, in := range v.inputs {
			value := r.Value(in.net)
			for bit := range in.bits {
				at := in.low + bit
				one := value.Value[at>>6] &^ value.Unknown[at>>6] >> (at & 63) & 1
				if in.inverted && value.Unknown[at>>6]>>(at&63)&1 == 0 {
					one ^= 1
				}
				hw.PutBits(now, in.to+bit, 1, one)
			}
		}
		if err := s.tooLong(path); err != nil {
			return err
		}
	}
	if !v.clocked && changed { // else it was only the end of the last cycle
		s.rows = append(s.rows, now...)
	}
	return r.Err()
}

type vcdInputs struct {
	inputs  []vcdInput
	clocked bool
	clock   vcd.NetID
}

// findVCDInputs looks for a scope with the names of the model, or of the RTL.
func (s *Stimulus) findVCDInputs(path string, header *vcd.Header, m *pinmap.Map, model *twin.Model) (*vcdInputs, error) {
	ours := vcdNames(m, s.Inputs, false)
	pins := vcdNames(m, s.Inputs, true)
	scopes := map[string]map[string]vcd.Var{}
	var order []string
	for _, v := range header.Vars {
		scope, name := "", v.Path
		if dot := strings.LastIndexByte(v.Path, '.'); dot >= 0 {
			scope, name = v.Path[:dot], v.Path[dot+1:]
		}
		if scopes[scope] == nil {
			scopes[scope] = map[string]vcd.Var{}
			order = append(order, scope)
		}
		scopes[scope][name] = v
	}
	for _, scope := range order {
		for _, wanted := range []struct {
			inputs []vcdInput
			clock  string
		}{{ours, "clock"}, {pins, m.Clock}} {
			if inputs := s.matchVCD(scopes[scope], wanted.inputs, m.FoldsCase()); inputs != nil {
				clock, clocked := scopes[scope][wanted.clock]
				if !clocked && m.FoldsCase() {
					clock, clocked = scopes[scope][strings.ToLower(wanted.clock)]
				}
				return &vcdInputs{inputs, clocked && clock.Bits == 1 && model.Clocked(), clock.Net}, nil
			}
		}
	}
	var names []string
	for _, in := range ours {
		names = append(names, in.name)
	}
	return nil, &cosim.InputError{
		Place:  path,
		Reason: fmt.Sprintf("no scope has all of %s, nor all pins of the map", strings.Join(names, ", ")),
		Remedy: "give a waveform of the model or of the RTL; `starloom trace info --signals` lists what is in it",
	}
}

// vcdNames says where the bits of all inputs come from: from the ports themselves, or
// from pins. It is nil if an input has none.
func vcdNames(m *pinmap.Map, inputs []cosim.Port, pins bool) (all []vcdInput) {
	for _, p := range inputs {
		texts := []string{p.Name}
		if pins {
			texts = m.PinsOf(p.Name)
		}
		if len(texts) == 0 {
			return nil
		}
		for _, text := range texts {
			pin, ok := pinmap.ParsePin(text)
			if !ok {
				return nil
			}
			all = append(all, vcdInput{name: pin.Name, high: pin.High, low: pin.Low, inverted: pin.Inverted})
		}
	}
	return all
}

// partsOf are the vectors of at most 64 bits that a waveform of lockstep has in the place of
// a wider one (Waves.WriteVCD), the highest first, or else the input itself.
func partsOf(scope map[string]vcd.Var, in vcdInput) (parts []vcdInput) {
	if _, whole := scope[in.name]; whole || in.high >= 0 {
		return []vcdInput{in}
	}
	for low, bits := 0, 64; bits == 64; low += 64 {
		part := in
		for ; bits > 0; bits-- {
			part.name = partName(in.name, low, bits)
			if _, ok := scope[part.name]; ok {
				parts = append(parts, part)
				break
			}
		}
	}
	if parts == nil {
		return []vcdInput{in}
	}
	slices.Reverse(parts)
	return parts
}

// matchVCD finds the nets of inputs in a scope, nil if one is missing or has another
// width.
func (s *Stimulus) matchVCD(scope map[string]vcd.Var, wanted []vcdInput, fold bool) []vcdInput {
	var inputs []vcdInput
	for _, in := range wanted {
		inputs = append(inputs, partsOf(scope, in)...)
	}
	next := 0
	for _, p := range s.Inputs {
		left := p.Bits
		for ; left > 0 && next < len(inputs); next++ {
			in := &inputs[next]
			v, ok := scope[in.name]
			if !ok && fold { // GHDL's own waveforms are in lower case
				v, ok = scope[strings.ToLower(in.name)]
			}
			if !ok || v.Kind != vcd.KindBits {
				return nil
			}
			if in.high < 0 {
				in.high, in.low = v.Bits-1, 0
			}
			in.net, in.bits = v.Net, in.high-in.low+1
			if left -= in.bits; left < 0 || in.high >= v.Bits || in.bits < 1 {
				return nil
			}
			in.to = 64*p.Word + left
		}
		if left != 0 {
			return nil
		}
	}
	if next != len(inputs) || len(inputs) == 0 {
		return nil
	}
	return inputs
}
