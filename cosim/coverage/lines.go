package coverage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
)

// source is the coverage of a file, summed over all instances of its modules.
type source struct {
	file     string
	lines    map[int]uint64
	branches []branch // sorted by place
}

type branch struct {
	line, column int
	comment      string
	count        uint64
}

// sources returns the files in the order of their names. The count of a line is the largest count of its blocks; the
// count of an if is the number of evaluations of its condition.
func (r *RTL) sources() []source {
	type block struct {
		kind         cosim.PointKind
		file         string
		line, column int
		comment      string
		lines        string
	}
	blocks := map[block]uint64{}
	for p, count := range r.counts {
		if p.Kind == cosim.PointLine || p.Kind == cosim.PointBranch {
			blocks[block{p.Kind, p.File, p.Line, p.Column, p.Comment, p.Lines}] += count
		}
	}
	files := map[string]*source{}
	for b, count := range blocks {
		s := files[b.file]
		if s == nil {
			s = &source{file: b.file, lines: map[int]uint64{}}
			files[b.file] = s
		}
		for _, line := range linesOf(b.lines) {
			if !r.exclusions.line(b.file, line) {
				s.lines[line] = max(s.lines[line], count)
			}
		}
		if r.exclusions.line(b.file, b.line) {
			continue
		}
		if b.kind == cosim.PointBranch || b.comment == "case" || b.comment == "elsif" { // Verilator counts these as lines
			s.branches = append(s.branches, branch{b.line, b.column, b.comment, count})
		}
	}
	for at, count := range r.asked {
		if s := files[at.file]; s != nil && !r.exclusions.line(at.file, at.line) {
			s.lines[at.line] = max(s.lines[at.line], count)
		}
	}
	var all []source
	for _, file := range slices.Sorted(maps.Keys(files)) {
		s := files[file]
		slices.SortFunc(s.branches, func(a, b branch) int {
			return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column), cmp.Compare(a.comment, b.comment),
				cmp.Compare(a.count, b.count))
		})
		all = append(all, *s)
	}
	return all
}

func linesOf(text string) (lines []int) {
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, err := strconv.Atoi(first)
		if err != nil {
			continue
		}
		to := from
		if isRange {
			if to, err = strconv.Atoi(last); err != nil {
				continue
			}
		}
		for line := from; line <= to; line++ {
			lines = append(lines, line)
		}
	}
	return lines
}

func (s *source) lineCounts() (p Part) {
	for _, count := range s.lines {
		p.count(count > 0)
	}
	return p
}

func (s *source) branchCounts() (p Part) {
	for _, b := range s.branches {
		p.count(b.count > 0)
	}
	return p
}

func (s *source) uncovered() (places []string) {
	for _, r := range ranges(s.never()) {
		places = append(places, fmt.Sprintf("%s:%s", s.file, r))
	}
	return places
}

func (s *source) never() (lines []int) {
	for _, line := range slices.Sorted(maps.Keys(s.lines)) {
		if s.lines[line] == 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

// ranges merges neighbours of a sorted list: 12, 15-17.
func ranges(numbers []int) (list []string) {
	for i := 0; i < len(numbers); {
		end := i + 1
		for end < len(numbers) && numbers[end] == numbers[end-1]+1 {
			end++
		}
		text := strconv.Itoa(numbers[i])
		if end-i > 1 {
			text += "-" + strconv.Itoa(numbers[end-1])
		}
		list = append(list, text)
		i = end
	}
	return list
}
