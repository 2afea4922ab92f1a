package traffic

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces/input"
)

// Draws holds the packets of all sources, a function of specification, seed and source. A source numbers its packets
// from 0. The time of each packet follows from that of the previous packet.
type Draws struct {
	arrivals arrivals
	pattern  pattern
	sizes    []uint64 // a 32-bit draw below entry i selects frames[i]
	frames   []uint8
	stream   hw.Stream

	// packets of a file, in place of the fields above; source i has rows[first[i]:first[i+1]]
	rows  []row
	first []uint32
}

type row struct {
	at          uint32 // earliest slot in which the packet is offered
	before      uint32 // number of cycles from the packet's creation to the beginning of that slot
	destination uint32
	size        uint8
}

// NewDraws returns the packets of a run. slotCycles converts the cycles of files to slots.
func NewDraws(s *Spec, processors int, seed uint64, slotCycles int) *Draws {
	d := &Draws{stream: hw.NewStream(seed, hw.PurposeTraffic)}
	if s.Arrivals == fabric.ArrivalsFile {
		d.sort(s.Rows, processors, uint64(slotCycles))
		return d
	}
	d.arrivals = newArrivals(s, d.stream)
	d.pattern = newPattern(s, processors, seed, d.stream)
	all, sum := 0.0, 0.0
	for _, size := range s.Size {
		all += size.Share()
	}
	for _, size := range s.Size {
		sum += size.Share()
		d.sizes, d.frames = append(d.sizes, share(sum/all)), append(d.frames, uint8(size.Frames))
	}
	return d
}

func (d *Draws) sort(rows []fabric.TrafficRow, processors int, slotCycles uint64) {
	d.first = make([]uint32, processors+1)
	for i := range rows {
		d.first[rows[i].Source+1]++
	}
	for i := range processors {
		d.first[i+1] += d.first[i]
	}
	d.rows = make([]row, len(rows))
	place := append([]uint32(nil), d.first...)
	for i := range rows {
		r := &rows[i]
		at := begins(r, slotCycles)
		d.rows[place[r.Source]] = row{uint32(min(at, never)), uint32(at*slotCycles - r.Created), r.Destination, r.Size}
		place[r.Source]++
	}
}

func begins(r *fabric.TrafficRow, slotCycles uint64) uint64 {
	return (r.Created + slotCycles - 1) / slotCycles
}

// First returns the slot in which a source creates packet 0, or never for a source without packets.
func (d *Draws) First(source uint32) uint32 {
	switch {
	case d.first != nil:
		return d.row(source, 0).at
	case d.pattern.silent(source):
		return never
	}
	return d.arrivals.first(source)
}

// Next returns the slot in which a source creates packet number, at least 1. at is the slot of the previous packet.
func (d *Draws) Next(source, number, at uint32) uint32 {
	if d.first != nil {
		return d.row(source, number).at
	}
	return d.arrivals.next(source, number, at)
}

// Packet returns the destination of a packet and its number of frames.
func (d *Draws) Packet(source, number uint32) (destination uint32, size uint8) {
	if d.first != nil {
		r := d.row(source, number)
		return r.destination, r.size
	}
	size = d.frames[0]
	if len(d.sizes) > 1 {
		drawn := uint64(d.stream.Draw(source, number, drawSize))
		k := 0
		for k < len(d.sizes)-1 && drawn >= d.sizes[k] {
			k++
		}
		size = d.frames[k]
	}
	return d.pattern.destination(source, number), size
}

func (d *Draws) before(source, number uint32) uint32 {
	if d.first == nil {
		return 0
	}
	return d.row(source, number).before
}

// row returns a row of the file. A number without a row comes from the state of another run.
func (d *Draws) row(source, number uint32) row {
	if number >= d.first[source+1]-d.first[source] {
		return row{at: never, size: 1}
	}
	return d.rows[d.first[source]+number]
}

const fileBytesMax = 1 << 30

var columns = [...]struct{ name, other string }{{"source", "src"}, {"destination", "dest"},
	{"size", "size"}, {"created", "ctime"}}

// optional are the other columns that a file may have.
var optional = [...]struct {
	name, other, remedy string
	read                func(row *fabric.TrafficRow, text string) (ok bool)
}{
	{"id", "pid", "give a number", func(row *fabric.TrafficRow, text string) bool {
		id, err := strconv.ParseUint(text, 10, 64)
		row.ID = id
		return err == nil
	}},
	{"choice", "", fmt.Sprintf("give up to %d numbers from 0 to %d with points between them, or nothing", hw.ChoicesMax,
		1<<hw.ChoiceBits-1), readChoice},
	{"via", "", "give the number of a processor, or nothing", func(row *fabric.TrafficRow, text string) bool {
		if text == "" {
			return true
		}
		node, err := strconv.ParseUint(text, 10, 31)
		row.Via = uint32(node + 1)
		return err == nil
	}},
}

// classColumns are the columns of classes. Only classes read them, because they may mean something else in another
// file.
var classColumns = [...]struct {
	name string
	read func(of *fabric.TrafficRowClass, text string)
}{
	{"class", func(of *fabric.TrafficRowClass, text string) { of.Name = strings.Clone(text) }},
	{"type", func(of *fabric.TrafficRowClass, text string) {
		number := slices.Index(fabric.TrafficTypes(), text)
		if n, err := strconv.ParseUint(text, 10, 8); err == nil && number < 0 && n < fabric.TrafficTypeCount {
			number = int(n+1) % fabric.TrafficTypeCount
		}
		of.Type = fabric.TrafficType(number) // no type for other words
	}},
	{"request", func(of *fabric.TrafficRowClass, text string) {
		if text != "" && text != "-1" {
			id, err := strconv.ParseUint(text, 10, 63)
			if of.Request = id + 1; err != nil {
				of.Request = math.MaxUint64
			}
		}
	}},
}

// ReadFile reads the packets of a file, in order of time, and their classes, as in fabric.Traffic. It returns an error
// for an unreadable file or an invalid row.
func ReadFile(path string) (rows []fabric.TrafficRow, classes []fabric.TrafficRowClass, err error) {
	data, err := input.Read(path, fileBytesMax)
	if err != nil {
		return nil, nil, input.Unreadable(path, err, "give a CSV file with columns source, destination, size and created, "+
			"relative to the scenario's folder")
	}
	return ParseFile(path, data)
}

// ParseFile parses the content of a file as ReadFile does.
func ParseFile(path string, data []byte) (rows []fabric.TrafficRow, classes []fabric.TrafficRowClass, err error) {
	var at [len(columns)]int
	var of [len(optional)]int          // number of each optional column, -1 if the file has none
	var ofClass [len(classColumns)]int // likewise
	classed := false
	rows = make([]fabric.TrafficRow, 0, bytes.Count(data, []byte{'\n'}))
	err = input.Table(path, data, "write one row for each packet, with as many fields as the header row",
		func(head []string) (err error) {
			for i, c := range optional {
				of[i] = slices.IndexFunc(head, func(name string) bool { return name == c.name || name == c.other })
			}
			for i, c := range classColumns {
				ofClass[i] = slices.Index(head, c.name)
				classed = classed || ofClass[i] >= 0
			}
			at, err = find(path, head)
			return err
		}, func(line int, record []string) error {
			row, err := readRow(path, line, record, at)
			row.Line, row.ID = uint32(line), uint64(len(rows))
			rows = append(rows, row)
			last := &rows[len(rows)-1] // the address of row would make each row an allocation
			for i, column := range of {
				if err != nil || column < 0 {
					continue
				}
				if text := record[column]; !optional[i].read(last, text) {
					err = input.Mistake(fmt.Sprintf("%s:%d:1", path, line),
						fmt.Sprintf("%s is %q", optional[i].name, input.Clip(text)), optional[i].remedy)
				}
			}
			if classed {
				classes = append(classes, classOf(record, &ofClass))
				last.Class = uint32(len(classes))
			}
			return err
		})
	if err != nil {
		return nil, nil, err
	}
	if len(rows) == 0 {
		return nil, nil, input.Mistake(path, "the file has no packets", "give one row for each packet")
	}
	sort(rows)
	return rows, classes, nil
}

func classOf(record []string, columns *[len(classColumns)]int) (of fabric.TrafficRowClass) {
	for i, column := range columns {
		if column >= 0 {
			classColumns[i].read(&of, record[column])
		}
	}
	return of
}

// sort orders rows by creation, then by source.
func sort(rows []fabric.TrafficRow) {
	sorted := true
	for i := 1; i < len(rows) && sorted; i++ {
		a, b := &rows[i-1], &rows[i]
		sorted = a.Created < b.Created || a.Created == b.Created && a.Source <= b.Source
	}
	if sorted {
		return
	}
	hw.SortByKey(rows, func(r *fabric.TrafficRow) uint32 { return r.Source })
	hw.SortByKey(rows, func(r *fabric.TrafficRow) uint32 { return uint32(r.Created) })
	hw.SortByKey(rows, func(r *fabric.TrafficRow) uint32 { return uint32(r.Created >> 32) })
}

// Move puts a packet of a file into another slot.
type Move struct {
	ID   uint64 // fabric.TrafficRow.ID
	Slot uint32 // slot or tick whose first cycle creates the packet
}

// Moved returns the packets of a file with some of them in other slots of each cycles, in order of time. unknown is the
// number of a move whose packet is not in the file, len(moves) if all are.
func Moved(rows []fabric.TrafficRow, moves []Move, each uint64) (moved []fabric.TrafficRow, unknown int) {
	moved = slices.Clone(rows)
	for i, m := range moves {
		k := slices.IndexFunc(moved, func(r fabric.TrafficRow) bool { return r.ID == m.ID })
		if k < 0 {
			return nil, i
		}
		moved[k].Created = uint64(m.Slot) * each
	}
	sort(moved)
	return moved, len(moves)
}

func readRow(path string, line int, record []string, at [len(columns)]int) (row fabric.TrafficRow, err error) {
	place := func() string { return fmt.Sprintf("%s:%d:1", path, line) }
	wrong, values := &input.Errors{}, [len(columns)]uint64{}
	for i, column := range at {
		limit := [...]uint64{1<<31 - 1, 1<<31 - 1, sizeMax, 1 << 62}[i]
		value, err := strconv.ParseUint(record[column], 10, 64)
		if err != nil || value > limit || i == 2 && value == 0 {
			wrong.Take(input.Mistake(place(), fmt.Sprintf("%s is %q", columns[i].name, input.Clip(record[column])),
				fmt.Sprintf("allowed: %d to %d", map[bool]int{true: 1}[i == 2], limit)))
		}
		values[i] = value
	}
	row = fabric.TrafficRow{Source: uint32(values[0]), Destination: uint32(values[1]),
		Size: uint8(values[2]), Created: values[3]}
	return row, wrong.Err()
}

// readChoice reads the draws of a packet, such as 1.0.3; an empty text has none.
func readChoice(row *fabric.TrafficRow, text string) (ok bool) {
	for i, field := range strings.Split(text, ".") {
		drawn, err := strconv.ParseUint(field, 10, hw.ChoiceBits)
		if text != "" && (err != nil || i >= hw.ChoicesMax) {
			return false
		}
		row.Choice |= drawn << (hw.ChoiceBits * i)
	}
	return true
}

func find(path string, head []string) (at [len(columns)]int, err error) {
	for i, c := range columns {
		if at[i] = slices.IndexFunc(head, func(name string) bool { return name == c.name || name == c.other }); at[i] < 0 {
			names := c.name
			if c.other != c.name {
				names += " or " + c.other
			}
			return at, input.Mistake(path+":1:1", "there is no column "+names,
				"give a header row with source,destination,size,created, or src,dest,size,ctime; other columns are ignored")
		}
	}
	return at, nil
}
