package picture

// columnsMax is the most columns of a picture over time: when there are more, two become one.
const columnsMax = 96

// series are sums over time, of so many rows.
type series struct {
	rows  int
	width uint32     // slots of a column
	sums  [][]uint64 // by column and row
}

func newSeries(rows int) series { return series{rows: rows, width: 1} }

// add adds to a row in a slot, which count from 0.
func (s *series) add(slot uint32, row int, count uint64) {
	s.extend(slot)
	s.sums[slot/s.width][row] += count
}

func (s *series) extend(slot uint32) {
	for slot/s.width >= columnsMax {
		half := 0
		for k := 0; k < len(s.sums); k += 2 {
			if k+1 < len(s.sums) {
				for row, sum := range s.sums[k+1] {
					s.sums[k][row] += sum
				}
			}
			s.sums[half] = s.sums[k]
			half++
		}
		s.sums, s.width = s.sums[:half], 2*s.width
	}
	for int(slot/s.width) >= len(s.sums) {
		s.sums = append(s.sums, make([]uint64, s.rows))
	}
}

func (s *series) slots(column int, all uint32) uint32 {
	return min(s.width, all-uint32(column)*s.width)
}
