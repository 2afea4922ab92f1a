package diff

import (
	"bytes"
	"slices"
	"strings"

	"starloom/traces"
	"starloom/traces/vcd"
)

const (
	// neighboursMax is the number of signals drawn beside the first different signal.
	neighboursMax = 5
)

// draw rereads both files and draws the instants before the first difference. It watches only the drawn signals.
func (d *differ) draw() error {
	chosen := d.choose()
	m, err := d.open(chosen)
	if err != nil {
		return err
	}
	defer m.close()
	drawing := newDrawing(m, chosen, d.o.Context, d.o.A.Sampled())
	for step, err := range m.instants(d.firstAt, d.ctx.Err) {
		if err != nil {
			return err
		}
		if len(step.changedA)+len(step.changedB) > 0 || step.instant == d.firstAt {
			drawing.add(step.instant)
		}
	}
	d.report.Waves, err = drawing.text(d.unit)
	return err
}

// choose returns the first different pair, then the clock, then the nearest pairs of the same scope in A.
func (d *differ) choose() []pair {
	first := d.pairs[d.firstPair]
	scope := scopeOf(first.nameA)
	var neighbours []int
	clock := -1
	for i := range d.pairs {
		p := &d.pairs[i]
		if i == d.firstPair {
			continue
		}
		if !d.o.A.Sampled() && looksLikeClock(p) && nearer(p, clock, d.pairs, scope) {
			clock = i
		}
		if scopeOf(p.nameA) == scope {
			neighbours = append(neighbours, i)
		}
	}
	slices.SortStableFunc(neighbours, func(x, y int) int {
		return distance(x, d.firstPair) - distance(y, d.firstPair)
	})
	chosen := []pair{first}
	if clock >= 0 {
		chosen = append(chosen, d.pairs[clock])
	}
	neighbours = neighbours[:min(len(neighbours), neighboursMax)]
	slices.Sort(neighbours)
	for _, i := range neighbours {
		if i != clock {
			chosen = append(chosen, d.pairs[i])
		}
	}
	return chosen
}

func distance(a, b int) int { return max(a-b, b-a) }

func scopeOf(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }

func variableOf(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

func looksLikeClock(p *pair) bool {
	name := strings.ToLower(variableOf(p.nameA))
	return p.bits == 1 && (strings.HasPrefix(name, "clk") || strings.HasPrefix(name, "clock") ||
		strings.HasSuffix(name, "clk") || strings.HasSuffix(name, "clock"))
}

func nearer(p *pair, before int, pairs []pair, scope string) bool {
	own := scopeOf(p.nameA)
	if _, ok := cutScope(scope+".", own); !ok {
		return false
	}
	return before < 0 || len(own) > len(scopeOf(pairs[before].nameA))
}

type drawing struct {
	m       *merge
	pairs   []pair
	columns int
	sampled bool

	instants []int64
	a, b     [][]string // labels by pair and column
}

func newDrawing(m *merge, pairs []pair, columns int, sampled bool) *drawing {
	return &drawing{m: m, pairs: pairs, columns: columns, sampled: sampled, a: make([][]string, len(pairs)),
		b: make([][]string, len(pairs))}
}

// add adds a column. For sampled files, it first adds columns for preceding cycles without changes.
func (w *drawing) add(instant int64) {
	if count := len(w.instants); w.sampled && count > 0 {
		last := w.instants[count-1]
		for cycle := max(last+1, instant-int64(w.columns)); cycle < instant; cycle++ {
			w.push(cycle, func(i int) (string, string) {
				if w.pairs[i].kind == vcd.KindEvent {
					return "0", "0"
				}
				return w.a[i][len(w.a[i])-1], w.b[i][len(w.b[i])-1]
			})
		}
	}
	w.push(instant, func(i int) (string, string) {
		p := &w.pairs[i]
		return w.label(w.m.a, p.a, p.aLow, p, instant), w.label(w.m.b, p.b, p.bLow, p, instant)
	})
}

func (w *drawing) label(s *vcd.Sampler, id vcd.NetID, low uint32, p *pair, instant int64) string {
	switch {
	case !s.Committed:
		return "x"
	case p.kind != vcd.KindEvent:
		return s.Value(id, low, p.bits).Label()
	case s.Triggered(id, instant):
		return "1"
	}
	return "0"
}

func (w *drawing) push(instant int64, values func(pair int) (a, b string)) {
	w.instants = appendLast(w.instants, instant, w.columns)
	for i := range w.pairs {
		a, b := values(i)
		w.a[i] = appendLast(w.a[i], a, w.columns)
		w.b[i] = appendLast(w.b[i], b, w.columns)
	}
}

func appendLast[T any](list []T, value T, count int) []T {
	if len(list) >= count {
		list = slices.Delete(list, 0, len(list)-count+1)
	}
	return append(list, value)
}

func (w *drawing) text(unit vcd.Timescale) (string, error) {
	head := "cycle"
	numbers := make([]uint64, len(w.instants))
	for i, instant := range w.instants {
		numbers[i] = uint64(max(instant, 0))
	}
	if !w.sampled {
		head = unit.Shorten(numbers)
	}
	var rows []traces.WaveRow
	for i := range w.pairs {
		p := &w.pairs[i]
		bits := int(p.bits)
		if p.kind == vcd.KindEvent {
			bits = 1
		}
		if slices.Equal(w.a[i], w.b[i]) {
			rows = append(rows, traces.WaveRow{Name: p.nameA, Bits: bits, Values: w.a[i]})
			continue
		}
		rows = append(rows,
			traces.WaveRow{Name: p.nameA + " (A)", Bits: bits, Values: w.a[i]},
			traces.WaveRow{Name: strings.Repeat(" ", len(p.nameA)) + " (B)", Bits: bits, Values: w.b[i]},
		)
	}
	var b bytes.Buffer
	err := traces.WriteWaves(&b, head, numbers, rows, len(numbers)-1)
	return b.String(), err
}
