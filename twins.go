package starloom

import (
	"context"

	"starloom/cosim"
	"starloom/cosim/icarus"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/cosim/verilator"
	"starloom/fabric"
	"starloom/internal/maps"
)

// Twins returns the twins of all components and of all built-in fabrics.
func Twins() []twin.Twin { return Networks(nil).Twins() }

// Twins is the function Twins, and includes the twins of these networks.
func (list Networks) Twins() []twin.Twin {
	all := twin.All()
	for _, n := range append(new(Fabric).kinds(), list...) {
		if whole, _ := fabric.TwinOf(n); whole != nil {
			all = append(all, *whole)
		}
		all = append(all, n.Abilities().Twins.Parts...)
	}
	return all
}

// TryMap runs variants of the models of a guessed pin map beside its RTL. path is the path of the map.
func (list Networks) TryMap(ctx context.Context, guess *maps.Guess, path string) error {
	return guess.Try(ctx, path, list.library())
}

func (s *Scenario) library() pinmap.Library {
	if s.Fabric.Custom != nil && len(s.file.foreign) == 0 {
		return Networks{s.Fabric.Custom}.library()
	}
	return s.file.foreign.library()
}

func (list Networks) library() pinmap.Library {
	return pinmap.Library{Twins: list.Twins(), Backends: []cosim.Backend{verilator.Wasm(), icarus.Backend()}}
}
