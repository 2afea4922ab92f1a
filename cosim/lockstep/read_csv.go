package lockstep

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

// ReadStimulus reads the inputs of the map's model from a file or, for "-", from standard input. The file may be
// compressed with gzip.
//
// CSV: a header of input names, then one line per cycle; values are written as 12, 0x1f or 0b101. Inputs without a
// column are 0. With a column cycle, lines may be omitted: the inputs then keep their values.
//
// VCD or FST: the first scope that contains all inputs of the model, or all pins of the map as in a testbench. If the
// scope has the clock, a row is sampled just before each rising edge, otherwise once per unit of time. X and Z are
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
	stream, err := input.OpenStream(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	if strings.EqualFold(filepath.Ext(path), ".vcd") || vcd.IsWaveform(stream.Peek()) {
		err = s.readVCD(stream, m, model)
	} else {
		err = s.readCSV(stream)
	}
	if err != nil {
		return nil, err
	}
	s.mask()
	switch {
	case s.Cycles() == 0:
		return nil, &cosim.InputError{Place: path, Reason: "there is no cycle in it", Remedy: "give at least one line for " +
			"a cycle"}
	case model.Clocked() && !s.resets(model):
		return nil, &cosim.InputError{
			Place:  path,
			Reason: "reset is never active, so no output can be compared",
			Remedy: "begin with a cycle in which reset is active",
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

func unreadable(path string, err error) error {
	var known *input.Error
	if errors.As(err, &known) {
		return known
	}
	return &cosim.InputError{
		Place:  path,
		Reason: fmt.Sprintf("cannot be read: %v", cosim.Reason(err)),
		Remedy: "give a stimulus: CSV with the names of the inputs in its first line, VCD or FST, or - for standard input",
	}
}

func (s *Stimulus) readCSV(stream *input.Stream) error {
	path := stream.Name
	defer stream.Close()
	r := csv.NewReader(stream)
	r.Comment, r.ReuseRecord, r.TrimLeadingSpace = '#', true, true
	names, err := r.Read()
	if err != nil {
		return csvError(path, err)
	}
	if e := input.Separator(path+":1:1", names); e != nil {
		return e
	}
	columns, err := s.columns(path, names)
	if err != nil {
		return err
	}
	for wrong := new(input.Errors); ; {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return wrong.Err()
		}
		if errors.Is(err, csv.ErrFieldCount) {
			wrong.Add(csvError(path, err))
			continue
		}
		if err != nil {
			return csvError(path, err)
		}
		row := make([]uint64, s.words)
		for i, text := range record {
			line, column := r.FieldPos(i)
			place := fmt.Sprintf("%s:%d:%d", path, line, column)
			if columns[i] == nil {
				err = s.reach(place, text)
			} else {
				err = parseValue(place, text, columns[i], row)
			}
			if err != nil {
				wrong.Add(err)
			}
		}
		s.rows = append(s.rows, row...)
		if err := s.tooLong(path); err != nil {
			return err
		}
	}
}

func csvError(path string, err error) error {
	var known *input.Error
	if errors.As(err, &known) {
		return known
	}
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return &cosim.InputError{
			Place:  fmt.Sprintf("%s:%d:%d", path, parse.Line, parse.Column),
			Reason: "not CSV: " + parse.Err.Error(),
			Remedy: "give every line as many values as the first line",
		}
	}
	if errors.Is(err, io.EOF) {
		return &cosim.InputError{Place: path, Reason: "the file is empty",
			Remedy: "begin with a line of input names"}
	}
	return &cosim.InputError{Place: path, Reason: fmt.Sprintf("cannot be read: %v", cosim.Reason(err)),
		Remedy: "give a CSV file"}
}

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
			return nil,
				&cosim.InputError{Place: path + ":1:1", Reason: fmt.Sprintf("two columns are %s", name), Remedy: "delete one"}
		}
		if at > 0 {
			columns[i] = &s.Inputs[at-1]
		}
	}
	return columns, nil
}

func (s *Stimulus) reach(place, text string) error {
	cycle, err := strconv.ParseUint(text, 10, 63)
	if err != nil || cycle < uint64(s.Cycles()) {
		return &cosim.InputError{Place: place, Reason: fmt.Sprintf("cycle %q", text),
			Remedy: fmt.Sprintf("give at least %d", s.Cycles())}
	}
	if cycle > uint64(stimulusWordsMax/s.words) {
		return &cosim.InputError{
			Place:  place,
			Reason: fmt.Sprintf("cycle %d is too late", cycle),
			Remedy: fmt.Sprintf("give at most %d", stimulusWordsMax/s.words),
		}
	}
	if s.Cycles() == 0 && cycle > 0 {
		return &cosim.InputError{Place: place, Reason: fmt.Sprintf("the first cycle is %d", cycle),
			Remedy: "begin with cycle 0"}
	}
	for uint64(s.Cycles()) < cycle {
		s.rows = append(s.rows, s.row(s.Cycles()-1)...)
	}
	return nil
}

func parseValue(place, text string, p *cosim.Port, row []uint64) error {
	value, ok := new(big.Int).SetString(text, 0)
	if !ok || value.Sign() < 0 || value.BitLen() > p.Bits {
		remedy := fmt.Sprintf("write a number from 0 to %s, such as 1, 0x1 or 0b1", maxText(p.Bits))
		if value, is := new(big.Int).SetString(text, 16); is && !ok && value.Sign() >= 0 && value.BitLen() <= p.Bits {
			remedy += ": write hexadecimal numbers, as in drawings, with 0x: 0x" + text
		}
		return &cosim.InputError{Place: place,
			Reason: fmt.Sprintf("%q is not a value of %s, which has %s", text, p.Name, cosim.BitsText(p.Bits)), Remedy: remedy}
	}
	for w, rest := 0, value; w < p.Words(); w++ {
		row[p.Word+w] = new(big.Int).And(rest, new(big.Int).SetUint64(^uint64(0))).Uint64()
		rest = new(big.Int).Rsh(rest, 64)
	}
	return nil
}

func maxText(width int) string {
	largest := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(width)), big.NewInt(1))
	if width > 16 {
		return fmt.Sprintf("%#x", largest)
	}
	return largest.String()
}

// FirstReset returns the first cycle of a stimulus, CSV, VCD or FST, in which reset is on, or 0 without a clock.
func FirstReset(m *pinmap.Map, path string) (int, error) {
	s, err := ReadStimulus(m, path)
	if err != nil {
		return 0, err
	}
	model, err := m.NewModel()
	if err != nil {
		return 0, err
	}
	defer model.Close()
	for cycle := range s.Cycles() {
		if model.Clocked() && s.row(cycle)[model.ResetWord()] != 0 {
			return cycle, nil
		}
	}
	return 0, nil
}
