package starloom

import (
	"starloom/cosim/pinmap"
	"starloom/fabric/outcome"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/inside"
	"starloom/internal/runs"
)

func init() { // for tests of the whole system
	inside.Machine = func(m any) *emulator.Machine { return m.(*Machine).own }
	inside.Options = func(o any) *emulator.Options { return &o.(*MachineOptions).more }
	inside.Executed = func(o any) emulator.Options { return o.(*MachineOptions).own() }
	inside.Config = func(s any) (*config.Config, error) { return s.(*Scenario).elaborate() }
	inside.Library = func() pinmap.Library { return Networks(nil).library() }
	inside.Decided = func(of any) inside.Scenario {
		s := of.(*Scenario)
		program := s.program()
		return inside.Scenario{
			Network: s.network(), Program: program, Rules: s.rules(), Known: s.known(program), ImagePath: s.imagePath(),
			Schedule:   s.schedule(),
			RunCommand: s.runCommand(), CheckCommand: s.checkCommand(), Rates: s.rates(),
			Permutations: s.permutations(), Carried: s.carried(),
			Keys: s.keys, Batch: func(seeds outcome.Seeds, o emulator.Options) (*runs.Batch, error) {
				return s.ratedBatch(Seeds(seeds), o)
			},
		}
	}
}
