package traffic

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"starloom/fabric"
	"starloom/traces/input"
)

const fileBytesMax = 1 << 30

// columns are what is read of a file, under either of their names: those of a file of packets, or of BookSim's.
var columns = [...]struct{ name, other string }{{"source", "src"}, {"destination", "dest"}, {"size", "size"}, {"created", "ctime"}}

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
	var at [len(columns)]int
	var rows []fabric.TrafficRow
	named := -1
	err := input.Table(path, data, "write one row for each packet, with as many fields as the head", func(head []string) (err error) {
		named = slices.IndexFunc(head, func(name string) bool { return name == "id" || name == "pid" })
		at, err = find(path, head)
		return err
	}, func(line int, record []string) error {
		row, err := readRow(fmt.Sprintf("%s:%d:1", path, line), record, at, named)
		if row.Line = uint32(line); named < 0 {
			row.ID = uint64(len(rows))
		}
		rows = append(rows, row)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, &input.Error{Place: path, Reason: "the file has no packets", Remedy: "give one row for each packet"}
	}
	slices.SortStableFunc(rows, func(a, b fabric.TrafficRow) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.Source, b.Source))
	})
	return rows, nil
}

// readRow reads the fields of a row at a place: those of the columns, and its id if one is named.
func readRow(place string, record []string, at [len(columns)]int, named int) (row fabric.TrafficRow, err error) {
	wrong, values := &input.Errors{}, [len(columns)]uint64{}
	for i, column := range at {
		limit := []uint64{1<<31 - 1, 1<<31 - 1, sizeMax, 1 << 62}[i]
		value, err := strconv.ParseUint(record[column], 10, 64)
		if err != nil || value > limit || i == 2 && value == 0 {
			wrong.Take(&input.Error{Place: place, Reason: fmt.Sprintf("%s is %q", columns[i].name, input.Clip(record[column])),
				Remedy: fmt.Sprintf("allowed are %d to %d", map[bool]int{true: 1}[i == 2], limit)})
		}
		values[i] = value
	}
	row = fabric.TrafficRow{Source: uint32(values[0]), Destination: uint32(values[1]), Size: uint8(values[2]), Created: values[3]}
	if named >= 0 {
		if row.ID, err = strconv.ParseUint(record[named], 10, 64); err != nil {
			wrong.Take(&input.Error{Place: place, Reason: fmt.Sprintf("the id is %q", input.Clip(record[named])), Remedy: "give a number"})
		}
	}
	return row, wrong.Err()
}

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
