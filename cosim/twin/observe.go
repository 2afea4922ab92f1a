package twin

import (
	"strings"

	"starloom/hw"
)

// Observed is a port of up to 64 bits or a register of a model.
type Observed struct {
	Name  string
	Bits  int
	Port  bool
	Input bool

	word  *uint64
	mask  uint64
	shift int
	probe hw.Probe
}

// Value returns the value of a port when the model last settled, or of a register after the latest clock edge.
func (o *Observed) Value() uint64 {
	if o.word != nil {
		return *o.word >> o.shift & o.mask
	}
	return o.probe.Value()
}

// Larger columns of registers hold data and are not observed. At most observedRegistersMax registers are observed.
const (
	observedColumnMax    = 64
	observedRegistersMax = 256
)

// Observed returns the ports up to 64 bits, except clock and reset, the registers outside large columns, and the
// branches of a given model.
func (m *Model) Observed() (all []Observed) {
	for _, p := range m.ports {
		if p.Clock || p.Bits > 64 || m.site.Clocked && p.Name == "reset" {
			continue
		}
		words := m.outputs
		if p.Input {
			words = m.inputs
		}
		all = append(all, Observed{
			Name: p.Name, Bits: p.Bits, Port: true, Input: p.Input, word: &words[p.Word], mask: ^uint64(0) >> (64 - p.Bits),
		})
	}
	var cells []hw.Probe
	columns := map[string]int{}
	column := func(p *hw.Probe) string {
		name, _, _ := strings.Cut(p.Path[strings.LastIndexByte(p.Path, '.')+1:], "[")
		return name
	}
	m.kernel.Cells(func(p hw.Probe) {
		cells = append(cells, p)
		columns[column(&p)]++
	})
	registers := 0
	for i := range cells {
		if p := &cells[i]; columns[column(p)] <= observedColumnMax && registers < observedRegistersMax {
			registers++
			all = append(all, Observed{Name: p.Path, Bits: p.Bits, probe: *p})
		}
	}
	if shows, ok := m.given.(interface{ forks() []Observed }); ok {
		all = append(all, shows.forks()...)
	}
	return all
}
