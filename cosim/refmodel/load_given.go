package refmodel

import (
	"context"
	"fmt"

	"starloom/cosim"
	"starloom/cosim/twin"
	"starloom/traces/input"
)

// LoadGiven loads the model whose image is the only file of the source. It implements twin.Given.Load.
func LoadGiven(_ context.Context, g *twin.Given, _ cosim.BuildOptions) error {
	file := g.Source.Files[0]
	image, err := input.Read(file, cosim.InputBytesMax)
	if err != nil {
		return &cosim.InputError{Place: "--image", Reason: fmt.Sprintf("%s cannot be read: %v", file, cosim.Reason(err)),
			Remedy: "give a path relative to the map's folder; `starloom cosim build model.c` makes an image"}
	}
	if !Is(image) {
		return &cosim.InputError{Place: "--image", Reason: file + " is not a model: it exports no ports",
			Remedy: remedyHeader + "; RTL as the model needs its sources: model: {top: MODULE, sources: [FILE]}"}
	}
	m, err := Load(image)
	if err != nil {
		return inImage(file, err)
	}
	if g.Clock, g.Reset = "", ""; m.clocked {
		g.Clock, g.Reset = "clock", "reset"
	}
	g.Shape = &twin.Shape{Ports: m.Ports(), Close: m.Close,
		Open: func() (cosim.Device, error) { return m.Open(cosim.Options{}) }}
	for _, r := range m.registers {
		g.Shape.Registers = append(g.Shape.Registers, r.GivenRegister)
	}
	return nil
}

// inImage adds the name of the image to an error of Load.
func inImage(file string, err error) error {
	if bad, ok := err.(*cosim.InputError); ok {
		return &cosim.InputError{Place: "--image", Reason: file + ": " + bad.Reason, Remedy: bad.Remedy}
	}
	return fmt.Errorf("%s: %w", file, err)
}
