package flatten

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"

	"starloom/cosim"
	"starloom/cosim/twin"
)

// LoadGiven prints a model that is RTL as a Golden and builds the print. It compares each print with its source once
// and stores the result in the cache. It implements twin.Given.Load.
func LoadGiven(ctx context.Context, g *twin.Given, o cosim.BuildOptions) error {
	if err := present(g); err != nil {
		return err
	}
	s := g.Clocked()
	m, err := PrintGolden(ctx, s, o)
	if err != nil {
		return err
	}
	if err := named(g, m.Ports); err != nil {
		return err
	}
	cache, err := cosim.OpenCache(o.Cache)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(m.Verilog))
	_, err = cache.Take("golden-"+hex.EncodeToString(sum[:16])+".compared", func(path string) error {
		_, err := m.Compare(ctx, s, o, false)
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(s.Name()+"\n"), 0o644)
	})
	var differs *Difference
	if errors.As(err, &differs) {
		return &cosim.InputError{Place: "--sources", Reason: differs.Error(),
			Remedy: "report it; until then, write the model in another way"}
	}
	if err != nil {
		return err
	}
	design, err := m.Build(ctx, o)
	if err != nil {
		return err
	}
	g.Shape = &twin.Shape{
		Ports: m.Ports, Forks: len(m.Forks), Checks: m.Omits, Verilog: m.Verilog, Unknown: GoldenUnknown, Close: design.Close,
		Open: func() (cosim.Device, error) { return design.Open(cosim.Options{}) },
	}
	for _, r := range m.Shown {
		g.Shape.Registers = append(g.Shape.Registers, twin.GivenRegister{Name: r.Source, Bits: r.Bits})
	}
	return nil
}

func present(g *twin.Given) error {
	for i, file := range g.Source.Files {
		if _, err := os.Stat(file); err != nil {
			return &cosim.InputError{Place: fmt.Sprintf("--sources[%d]", i),
				Reason: fmt.Sprintf("%s cannot be read: %v", file, cosim.Reason(err)),
				Remedy: "give a path relative to the map's folder"}
		}
	}
	return nil
}

// named checks the names of the model's clock and reset.
func named(g *twin.Given, ports []cosim.Port) error {
	input := func(name string) bool {
		return slices.ContainsFunc(ports, func(p cosim.Port) bool { return p.Name == name && p.Input && p.Bits == 1 })
	}
	if !input(g.Reset) && g.Assumed {
		g.Reset = ""
	}
	for _, p := range ports {
		own := p.Name == g.Clock || p.Name == g.Reset
		switch {
		case p.Edges && g.Clock == "":
			return &cosim.InputError{Place: "--clock", Reason: p.Name + " of the model is a clock: its edges trigger logic",
				Remedy: "name it: model: {clock: " + p.Name + "}"}
		case p.Edges && !own:
			return &cosim.InputError{Place: "--clock",
				Reason: fmt.Sprintf("the edges of %s of the model trigger logic, besides %s", p.Name, g.Clock),
				Remedy: "a model has one clock; if it is a reset, name it: model: {reset: " + p.Name + "}"}
		case (p.Name == "clock" || p.Name == "reset") && !own:
			return &cosim.InputError{Place: "--" + p.Name,
				Reason: fmt.Sprintf("the model has a port %s that is not its %s", p.Name, p.Name),
				Remedy: "name it: model: {" + p.Name + ": " + p.Name + "}; or rename the port"}
		}
	}
	if g.Reset != "" && !input(g.Reset) {
		return &cosim.InputError{Place: "--reset", Reason: "the model has no input " + g.Reset + " of 1 bit",
			Remedy: "name its reset, or delete it"}
	}
	if len(ports) == 0 || !slices.ContainsFunc(ports, func(p cosim.Port) bool { return !p.Input }) {
		return &cosim.InputError{Place: "--top", Reason: "the model has no output", Remedy: "name a module with outputs"}
	}
	return nil
}
