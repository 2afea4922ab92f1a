package ej

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/fabric/ej/eisenstein"
)

// TestDueSteps: the referee's steps are the closed forms, for any source.
func TestDueSteps(t *testing.T) {
	for _, x := range []net{{3, 4, 1}, {1, 2, 3}, {2, 3, 2}} {
		arithmetic := x.torus()
		for source := 0; source < arithmetic.Nodes(); source += 5 {
			one := fabric.Workload{OneToAll: &fabric.OneToAll{Source: source}}
			for program, algorithm := range map[string]eisenstein.Algorithm{
				previousProgram: eisenstein.Previous, improvedProgram: eisenstein.Improved, generalProgram: eisenstein.General,
			} {
				r := x.network().Referee(&one, &fabric.Program{Name: program}).(*referee)
				for node := range arithmetic.Nodes() {
					require.Equal(t, arithmetic.ReceiveStep(algorithm, arithmetic.Subtract(node, source)), r.dueStep(node), "%s, %s, source %d, node %d", x, program, source, node)
				}
			}
			all := fromAll()
			r := x.network().Referee(&all, &fabric.Program{Name: allToAllC2Program}).(*referee)
			for node := range arithmetic.Nodes() {
				require.Equal(t, arithmetic.ReceiveStep(eisenstein.Oriented, arithmetic.Subtract(node, source)),
					r.dueStepOf(node, source))
			}
		}
	}
}
