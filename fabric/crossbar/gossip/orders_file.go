package gossip

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"starloom/traces/input"
)

// ReadOrders reads a file of orders as Parse does. Errors are *input.Error.
func ReadOrders(path string, N int) (Orders, error) {
	const idBytesMax = 16 // an id, its comma and some blanks
	data, err := input.Read(path, 4096+idBytesMax*int64(N+1)*int64(N))
	if err != nil {
		return nil, input.Unreadable(path, err, fileRemedy(N))
	}
	return Parse(path, data, N)
}

func fileRemedy(N int) string {
	return fmt.Sprintf("give %d rows of %d ids, comma-separated, without a header: row i is the order of processor i,"+
		" with every id from 0 to %d but i once", N+1, N, N)
}

// Parse reads orders of N+1 processors: comma-separated values without a header, row i the
// N ids to which processor i sends, in its order. The name stands in errors, which are
// *input.Error with line and column.
func Parse(name string, data []byte, N int) (Orders, error) {
	reader := input.CSV(data)
	reader.FieldsPerRecord, reader.ReuseRecord, reader.TrimLeadingSpace = -1, true, true
	p := parser{reader: reader, name: name, N: N, seen: make([]int, N+1)}
	orders := newOrders(N, p.row)
	if record := p.read(N + 1); record != nil {
		p.fault(0, "there are more rows than the %d processors", p.N+1)
	}
	if err := p.wrong.Err(); err != nil {
		return nil, err
	}
	return orders, nil
}

type parser struct {
	reader *csv.Reader
	name   string
	N      int
	seen   []int // by id: 1 + the row that has named it last
	wrong  input.Errors
	over   bool // there is nothing more to read
}

func (p *parser) fault(field int, format string, values ...any) {
	line, column := p.reader.FieldPos(field)
	p.wrong.Add(&input.Error{Place: fmt.Sprintf("%s:%d:%d", p.name, line, column), Reason: fmt.Sprintf(format, values...), Remedy: fileRemedy(p.N)})
}

// read returns the order of processor i, nil after the last one and after what is not CSV.
func (p *parser) read(i int) []string {
	if p.over {
		return nil
	}
	record, err := p.reader.Read()
	if err == nil {
		line, column := p.reader.FieldPos(0)
		e := input.Separator(fmt.Sprintf("%s:%d:%d", p.name, line, column), record)
		if e == nil {
			return record
		}
		err = e
	} else if err != io.EOF {
		fault := input.NotCSV(p.name, err, fileRemedy(p.N))
		fault.Reason = "this is not comma-separated text: " + fault.Reason
		err = fault
	} else if i <= p.N {
		err = &input.Error{Place: p.name, Reason: fmt.Sprintf("the file ends after %d rows; there are %d processors", i, p.N+1), Remedy: fileRemedy(p.N)}
	}
	if p.over = true; err != io.EOF {
		p.wrong.Add(err)
	}
	return nil
}

func (p *parser) row(row []uint32, i int) []uint32 {
	record := p.read(i)
	if record == nil {
		return row
	}
	for field, text := range record {
		if field == p.N {
			p.fault(field, "the order of processor %d has %d ids", i, len(record))
			return row
		}
		id, err := strconv.ParseUint(strings.TrimSpace(text), 10, 32)
		switch {
		case err != nil || id > uint64(p.N):
			p.fault(field, "%s is not the id of a processor", p.wrong.Quote(text))
			return row
		case id == uint64(i):
			p.fault(field, "processor %d sends to itself", i)
			return row
		case p.seen[id] == i+1:
			p.fault(field, "the order of processor %d has %d twice", i, id)
			return row
		}
		p.seen[id] = i + 1
		row = append(row, uint32(id))
	}
	if len(row) < p.N {
		p.fault(len(row)-1, "the order of processor %d ends after %d ids; %d is missing", i, len(row), p.missing(i))
	}
	return row
}

// missing is the smallest id that the order of processor i has not.
func (p *parser) missing(i int) int {
	for id, row := range p.seen {
		if row != i+1 && id != i {
			return id
		}
	}
	panic("gossip: no id is missing")
}

// Write writes orders as a file that Parse reads.
func (o Orders) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	var text []byte
	for _, row := range o {
		text = text[:0]
		for _, id := range row {
			text = append(strconv.AppendUint(text, uint64(id), 10), ',')
		}
		text[len(text)-1] = '\n'
		_, _ = out.Write(text) // the first error stays until Flush
	}
	return out.Flush()
}
