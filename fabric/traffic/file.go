package traffic

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"starloom/fabric"
	"starloom/traces/input"
)

// fileBytesMax is the largest file of packets.
const fileBytesMax = 1 << 30

// columns are what is read of a file, under either of their names: those of a file of packets, or of BookSim's.
var columns = [...]struct{ name, other string }{{"source", "src"}, {"destination", "dest"}, {"size", "size"}, {"created", "ctime"}}

const rowsRemedy = "write one row for each packet, with as many fields as the head"

// ReadFile reads the packets of a file, in order of time.
func ReadFile(path string) ([]fabric.TrafficRow, error) {
	data, err := input.Read(path, fileBytesMax)
	if err != nil {
		return nil, input.Unreadable(path, err, "give a CSV file with columns source, destination, size and created, relative to the scenario's folder")
	}
	return ParseFile(path, data)
}

// ParseFile is ReadFile of what stands in a file.
func ParseFile(path string, data []byte) ([]fabric.TrafficRow, error) {
	in := input.CSV(data)
	in.ReuseRecord, in.TrimLeadingSpace = true, true
	head, err := in.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, input.NotCSV(path, err, rowsRemedy)
	}
	at, err := find(path, head)
	if err != nil {
		return nil, err
	}
	named := slices.IndexFunc(head, func(name string) bool { return name == "id" || name == "pid" })
	var rows []fabric.TrafficRow
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, input.NotCSV(path, err, rowsRemedy)
		}
		line, _ := in.FieldPos(0)
		var values [len(columns)]uint64
		for i, column := range at {
			limit := []uint64{1<<31 - 1, 1<<31 - 1, sizeMax, 1 << 62}[i]
			value, err := strconv.ParseUint(record[column], 10, 64)
			if err != nil || value > limit || i == 2 && value == 0 {
				return nil, &input.Error{Place: fmt.Sprintf("%s:%d:1", path, line),
					Reason: fmt.Sprintf("%s is %q", columns[i].name, input.Clip(record[column])),
					Remedy: fmt.Sprintf("allowed are %d to %d", map[bool]int{true: 1}[i == 2], limit)}
			}
			values[i] = value
		}
		id := uint64(len(rows))
		if named >= 0 {
			if id, err = strconv.ParseUint(record[named], 10, 64); err != nil {
				return nil, &input.Error{Place: fmt.Sprintf("%s:%d:1", path, line), Reason: fmt.Sprintf("the id is %q", input.Clip(record[named])), Remedy: "give a number"}
			}
		}
		rows = append(rows, fabric.TrafficRow{ID: id, Source: uint32(values[0]), Destination: uint32(values[1]), Size: uint8(values[2]), Created: values[3],
			Line: uint32(line)})
	}
	if len(rows) == 0 {
		return nil, &input.Error{Place: path, Reason: "the file has no packets", Remedy: "give one row for each packet"}
	}
	slices.SortStableFunc(rows, func(a, b fabric.TrafficRow) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.Source, b.Source))
	})
	return rows, nil
}

// find returns where the columns are.
func find(path string, head []string) (at [len(columns)]int, err error) {
	for i, c := range columns {
		if at[i] = slices.IndexFunc(head, func(name string) bool { return name == c.name || name == c.other }); at[i] < 0 {
			names := c.name
			if c.other != c.name {
				names += " or " + c.other
			}
			return at, &input.Error{Place: path + ":1:1", Reason: "there is no column " + names,
				Remedy: "give a head with source,destination,size,created, or src,dest,size,ctime; other columns are not read"}
		}
	}
	return at, nil
}
