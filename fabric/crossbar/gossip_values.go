package crossbar

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces/input"
)

const (
	valuesKey = "workload.gossip.values"
	faultyKey = "workload.gossip.faulty"
	faultKey  = "workload.gossip.fault"
)

// valuesOf reads the file of values; nil means random values. remedy describes the file.
func valuesOf(w *fabric.Gossip, bytesMax int64, remedy string) (rows []valueRow, path string, err error) {
	path = w.ValuesPath
	switch {
	case path != "":
	case w.ValuesFromFile():
		path = w.Values
	case w.Values == "" || w.Values == fabric.ValuesRandom:
		return nil, "", nil
	default:
		return nil, "",
			&input.Error{Place: valuesKey, Reason: fmt.Sprintf("there are no values %q", w.Values),
				Remedy: "write random, or the path of a file.csv"}
	}
	data, err := input.Read(path, bytesMax)
	if err != nil {
		return nil, path, input.Unreadable(path, err, remedy)
	}
	rows, err = readValues(path, data, remedy)
	return rows, path, err
}

type valueRow struct {
	line   int
	values []int64
}

func readValues(name string, data []byte, remedy string) (rows []valueRow, err error) {
	reader := input.CSV(data)
	reader.FieldsPerRecord, reader.ReuseRecord, reader.TrimLeadingSpace, reader.Comment = -1, true, true, '#'
	wrong := &input.Errors{}
	for {
		record, err := reader.Read()
		if err == io.EOF {
			return rows, wrong.Err()
		}
		if err != nil {
			fault := input.NotCSV(name, err, remedy)
			fault.Reason = "this is not comma-separated text: " + fault.Reason
			wrong.Add(fault)
			return nil, wrong.Err()
		}
		line, column := reader.FieldPos(0)
		if e := input.Separator(fmt.Sprintf("%s:%d:%d", name, line, column), record); e != nil {
			return nil, e
		}
		row := valueRow{line, make([]int64, len(record))}
		for i, text := range record {
			if row.values[i], err = strconv.ParseInt(strings.TrimSpace(text), 10, 64); err != nil {
				line, column := reader.FieldPos(i)
				wrong.Add(&input.Error{Place: fmt.Sprintf("%s:%d:%d", name, line, column),
					Reason: wrong.Quote(text) + " is not a 64-bit integer", Remedy: remedy})
			}
		}
		rows = append(rows, row)
	}
}

func (x Network) param(name string, open, low, high int64) (int, error) {
	value, given := x.params[name]
	if !given {
		return int(open), nil
	}
	if value < low || value > high {
		return 0, &input.Error{Place: "firmware.params." + name, Reason: fmt.Sprintf("%s is %d", name, value),
			Remedy: fmt.Sprintf("allowed: %d to %d", low, high)}
	}
	return int(value), nil
}

// draws is the source of random numbers of an application, in slot 1; orders use slot 0.
type draws struct {
	stream hw.Stream
	next   uint32
}

func newDraws(seed uint64) *draws { return &draws{stream: hw.NewStream(seed, hw.PurposeWorkload)} }

func (d *draws) bits32() uint32 {
	d.next++
	return d.stream.Draw(d.next-1, 1, 0)
}

func (d *draws) below(bound uint32) uint32 { return hw.Below(d.bits32(), bound) }

func (d *draws) int64() int64 { return int64(uint64(d.bits32())<<32 | uint64(d.bits32())) }

// outside draws a number below low or above high, low <= high. If no such number exists, it draws any number.
func (d *draws) outside(low, high int64) int64 {
	below, above := uint64(low)-1<<63, math.MaxInt64-uint64(high)
	value := uint64(d.int64())
	if below+above == 0 {
		return int64(value)
	}
	if value %= below + above; value < below {
		return math.MinInt64 + int64(value)
	}
	return high + 1 + int64(value-below)
}
