package prove

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"time"

	"starloom/cosim/flatten"
)

// Limits of the search for inputs that reach branches untaken in the second simulator.
const (
	reachMost   = 16
	reachCycles = 20
	reachLimit  = 5 * time.Second // limit for all branches together
)

const reachScript = `read_verilog -nosynthesis -D` + flatten.DefineBranches + ` rtl.v
hierarchy -check -top %s
proc -noopt
flatten
memory_collect
memory_map
setundef -undriven -anyseq
opt_clean -purge
setattr -unset init w:*
techmap -map shift.v
setundef -undriven -anyseq
async2sync
dffunmap
opt_clean
techmap -map divide.v
opt_clean
techmap
opt_clean
simplemap
aigmap
insbuf
techmap -map buffer.v
write_aiger -zinit -map reach.map reach.aig
`

// reach adds inputs that lead to untaken branches, and reports whether it found any. The inputs must be confirmed by
// simulation, because registers and free values are 0 in this search.
func (b *builder) reach(left []int) bool {
	ctx, cancel := context.WithTimeout(b.ctx, reachLimit)
	defer cancel()
	if b.write("reach.ys", fmt.Sprintf(reachScript, b.print.Top)) != nil {
		return false
	}
	if _, err := runYosys(ctx, b.dir, "reach.ys", yosysMemory()); err != nil {
		return false
	}
	data, err := os.ReadFile(filepath.Join(b.dir, "reach.aig"))
	if err != nil {
		return false
	}
	names, err := os.ReadFile(filepath.Join(b.dir, "reach.map"))
	if err != nil {
		return false
	}
	g, err := readAIGER(data)
	if err != nil {
		return false
	}
	s, err := readMap(string(names), g.inputs, len(g.outputs))
	if err != nil {
		return false
	}
	g, found := g.settled(s.free), false
	for _, i := range left[:min(len(left), reachMost)] {
		at, ok := s.outputs[fmt.Sprintf("%s[%d]", b.print.BranchPort, i)]
		if !ok || ctx.Err() != nil {
			continue
		}
		one, engine := *g, bounded(reachCycles)
		one.outputs = []uint32{g.outputs[at]}
		if a, err := engine.run(ctx, b.dir, "reach", &one, time.Second); err == nil && a.inputs != nil {
			b.print.Branches[i].Aims, found = []flatten.Aim{b.aim(s, a.inputs)}, true
		}
	}
	return found
}

func (b *builder) aim(s *signals, rows [][]bool) (aim flatten.Aim) {
	if reset, inverted := strings.CutPrefix(b.m.Reset, "~"); reset != "" {
		value := map[bool]string{true: "0", false: "1"}[b.m.ResetLow != inverted]
		aim = append(aim, flatten.Need{Port: reset, Ago: len(rows), Care: "1", Value: value})
	}
	for cycle, row := range rows {
		for _, p := range b.print.Ports {
			care, value := new(big.Int), new(big.Int)
			for bit := range p.Bits {
				if at, ok := s.inputs[fmt.Sprintf("%s[%d]", p.Name, bit)]; ok && p.Input && !p.Clock {
					care.SetBit(care, bit, 1)
					if row[at] {
						value.SetBit(value, bit, 1)
					}
				}
			}
			if care.Sign() != 0 {
				aim = append(aim,
					flatten.Need{Port: p.Name, Ago: len(rows) - 1 - cycle, Care: care.Text(16), Value: value.Text(16)})
			}
		}
	}
	return aim
}
