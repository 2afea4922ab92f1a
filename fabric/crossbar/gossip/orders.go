// Package gossip computes permutation-driven gossip on a crossbar: V. De Florio and C. Blondia, "The Algorithm of
// Pipelined Gossiping". Every processor owns one value and sends it to all others. Processor i first receives i
// messages. It then sends in the order of its row of Orders and waits for each addressee. Finally it receives the
// other messages.
//
//	step        1   2   3   4   5   6   7
//	0           S1  S2  S3  R1  R2  R3  -      a run-table of N = 3:
//	1           R0  S3  S2  S0  R3  R2  -      Sent to, Received from,
//	2           -   R0  R1  S3  S0  S1  R3     ~ blocked, - idle
//	3           -   R1  R0  R2  S1  S0  S2
//	used slots  2   4   4   4   4   4   2      lambda = 7, mu = 24/7, epsilon = 6/7
//
// N is the largest id, at least 1, as in the paper; processors are 0 to N. Steps count from 1, columns from 0. The
// package runs neither hardware nor firmware.
package gossip

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"

	"starloom/traces/input"
)

// Orders are the sending orders of all processors. Row i holds the N addressees of processor i: every id from 0 to N
// except i, once. The rows are the permutations of Fig. 1.
type Orders [][]uint32

// Words for orders in a scenario.
const (
	WordIdentity     = "identity"      // orders of Identity
	WordPipelined    = "pipelined"     // orders of Pipelined
	WordSharedRandom = "shared-random" // orders of SharedRandom
	WordWorst        = "worst"         // orders of Worst
	WordOptimal      = "optimal"       // orders of Optimal
)

// Words returns the words that Named accepts.
func Words() []string {
	return []string{WordIdentity, WordPipelined, WordSharedRandom, WordWorst, WordOptimal}
}

// Named returns the orders with a name. Only WordSharedRandom uses the seed. The error is an *input.Error without a
// place for an unknown name, or an error of Optimal.
func Named(word string, N int, seed uint64) (Orders, error) {
	switch word {
	case WordIdentity:
		return Identity(N), nil
	case WordPipelined:
		return Pipelined(N), nil
	case WordSharedRandom:
		return SharedRandom(N, seed), nil
	case WordWorst:
		return Worst(N), nil
	case WordOptimal:
		return Optimal(N)
	}
	remedy := "give " + strings.Join(Words(), ", ") + " or a file of orders (.csv)"
	return nil,
		&input.Error{Reason: fmt.Sprintf("orders %q are unknown", word), Remedy: input.DidYouMean(word, Words(), remedy)}
}

// newOrders returns orders in which fill has filled each row i. fill appends N ids to an empty row.
func newOrders(N int, fill func(row []uint32, i int) []uint32) Orders {
	if N < 1 {
		panic(fmt.Sprintf("gossip: orders for N = %d; N must be 1 or more", N))
	}
	ids := make([]uint32, (N+1)*N)
	orders := make(Orders, N+1)
	for i := range orders {
		orders[i] = fill(ids[i*N:i*N:(i+1)*N], i)
	}
	return orders
}

func ascending(row []uint32, first, last int) []uint32 {
	for id := first; id <= last; id++ {
		row = append(row, uint32(id))
	}
	return row
}

func descending(row []uint32, first, last int) []uint32 {
	for id := first; id >= last; id-- {
		row = append(row, uint32(id))
	}
	return row
}

// Identity sends in the order of the ids: 0 .. i-1, i+1 .. N (section 3 of the paper).
func Identity(N int) Orders {
	return newOrders(N, func(row []uint32, i int) []uint32 {
		return ascending(ascending(row, 0, i-1), i+1, N)
	})
}

// Pipelined is the algorithm of pipelined gossiping: i+1 .. N, 0 .. i-1 (Eq. 17).
func Pipelined(N int) Orders {
	return newOrders(N, func(row []uint32, i int) []uint32 {
		return ascending(ascending(row, i+1, N), 0, i-1)
	})
}

// Worst permits one message per step: i-1 .. 0, N .. i+1.
func Worst(N int) Orders {
	return newOrders(N, func(row []uint32, i int) []uint32 {
		return descending(descending(row, i-1, 0), N, i+1)
	})
}

// Shared derives all rows from one order of the ids 0 to N: each processor omits its own id. The paper's random
// example has this form (section 4, Table 3).
func Shared(common []uint32) Orders {
	return newOrders(len(common)-1, func(row []uint32, i int) []uint32 {
		for _, id := range common {
			if id != uint32(i) {
				row = append(row, id)
			}
		}
		return row
	})
}

// SharedRandom is Shared with a uniformly random order, a function of N and the seed alone.
func SharedRandom(N int, seed uint64) Orders {
	common := ascending(nil, 0, N)
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(common), func(i, j int) { common[i], common[j] = common[j], common[i] })
	return Shared(common)
}

// N returns the largest id.
func (o Orders) N() int { return len(o) - 1 }

// ReadOrders reads a file of orders with Parse. Its errors are *input.Errors.
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
		" with every id from 0 to %d except i once", N+1, N, N)
}

// Parse parses orders of N+1 processors: comma-separated values without a header; row i contains the N addressees of
// processor i, in order. Its errors are *input.Errors with name, line and column.
func Parse(name string, data []byte, N int) (Orders, error) {
	reader := input.CSV(data)
	reader.FieldsPerRecord, reader.ReuseRecord, reader.TrimLeadingSpace = -1, true, true
	p := parser{reader: reader, name: name, N: N, seen: make([]int, N+1)}
	orders := newOrders(N, p.row)
	if record := p.read(N + 1); record != nil {
		p.fault(0, "the file has more rows than the %d processors", p.N+1)
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
	seen   []int // by id: 1 + last row with the id
	wrong  input.Errors
	over   bool // the end was reached
}

func (p *parser) fault(field int, format string, values ...any) {
	line, column := p.reader.FieldPos(field)
	p.wrong.Add(&input.Error{Place: fmt.Sprintf("%s:%d:%d", p.name, line, column), Reason: fmt.Sprintf(format, values...),
		Remedy: fileRemedy(p.N)})
}

// read returns the order of processor i, nil after the last order or after an error in the CSV.
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
		err = &input.Error{Place: p.name,
			Reason: fmt.Sprintf("the file ends after %d rows, but the network has %d "+
				"processors", i, p.N+1), Remedy: fileRemedy(p.N)}
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

// missing returns the smallest id missing in the order of processor i.
func (p *parser) missing(i int) int {
	for id, row := range p.seen {
		if row != i+1 && id != i {
			return id
		}
	}
	panic("gossip: no id is missing")
}

// Write writes orders in the format that Parse reads.
func (o Orders) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	var text []byte
	for _, row := range o {
		text = text[:0]
		for _, id := range row {
			text = append(strconv.AppendUint(text, uint64(id), 10), ',')
		}
		text[len(text)-1] = '\n'
		_, _ = out.Write(text) // Flush returns the first error
	}
	return out.Flush()
}
