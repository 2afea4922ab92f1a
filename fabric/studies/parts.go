package studies

import (
	"encoding/csv"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
)

// StudyPart is a case of a study.
type StudyPart struct {
	name string
	runs int
	add  func(name string) error
}

// Part is a case of that name. add adds its rows, and asks for so many runs.
func Part(name string, runs int, add func(name string) error) StudyPart {
	return StudyPart{name, runs, add}
}

// RunParts runs the parts that are wanted.
func RunParts(r Runs, parts []StudyPart) error {
	parts = slices.DeleteFunc(parts, func(p StudyPart) bool { return !r.Wants(p.name) })
	total := 0
	for _, p := range parts {
		total += p.runs
	}
	r.Plan(total)
	for _, p := range parts {
		if err := r.Context().Err(); err != nil {
			return err
		}
		if err := p.add(p.name); err != nil {
			return err
		}
	}
	return nil
}

// Figures reads a table of published figures that is part of the program.
func Figures(files fs.FS, path string) (header []string, records [][]string) {
	file, err := files.Open(path)
	if err == nil {
		records, err = csv.NewReader(file).ReadAll()
	}
	if err != nil {
		panic(fmt.Sprintf("published figures %s: %v", path, err))
	}
	return records[0], records[1:]
}

// Figure is the number that a cell of a table holds.
func Figure(text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("a published figure: %v", err))
	}
	return value
}

// Differing counts the cells that are not the same in two tables; those that only one of them
// has count.
func Differing(a, b [][]string) (cells int) {
	for i := range max(len(a), len(b)) {
		var left, right []string
		if i < len(a) {
			left = a[i]
		}
		if i < len(b) {
			right = b[i]
		}
		for j := range max(len(left), len(right)) {
			if j >= len(left) || j >= len(right) || left[j] != right[j] {
				cells++
			}
		}
	}
	return cells
}
