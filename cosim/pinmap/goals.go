package pinmap

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/goals"
)

// Prepare reads the goals of the RTL, and builds a model that is RTL. Otherwise, the first call of NewModel builds it.
func (m *Map) Prepare(ctx context.Context) error {
	if err := m.cut(ctx); err != nil {
		return err
	}
	if err := m.readGoals(ctx); err != nil {
		return err
	}
	if g := m.Given(); g != nil {
		return m.inModel(g.Prepare(ctx, m.Build))
	}
	return nil
}

func (m *Map) readGoals(ctx context.Context) error {
	if m.Goals == nil || m.Goals.Text != nil {
		return nil
	}
	if err := m.checkSource(); err != nil {
		return err
	}
	at := slices.IndexFunc(m.Backends, func(b cosim.Backend) bool { return b.Preprocess != nil })
	switch {
	case m.Image != "":
		return m.refuse("goals", "an image has no assertions", "give top and sources instead")
	case m.Source.VHDL() || at < 0:
		return m.refuse("goals", "only SystemVerilog has assertions that become goals", "delete goals")
	}
	text, err := m.Backends[at].Preprocess(ctx, m.Source, m.Build)
	if err != nil {
		return m.inMap(err)
	}
	read, err := goals.Read(text)
	if err != nil {
		return err
	}
	if len(read.Goals) == 0 {
		return m.refuse("goals", m.Source.Name()+" has no assert, assume or cover", "delete goals, or write assertions")
	}
	source, err := m.withText(&m.Source, read.Plain())
	if err != nil {
		return err
	}
	if before := m.Source; m.written == nil {
		m.written = &before
	}
	m.Source = source
	if m.Goals.Only {
		m.Given().Source = source
	}
	m.Goals.Text = read
	return nil
}

// cut takes instances out of the RTL and of a model that is RTL.
func (m *Map) cut(ctx context.Context) error {
	if len(m.Cut) == 0 || m.written != nil {
		return nil
	}
	g := m.Given()
	switch at := slices.IndexFunc(m.Backends, func(b cosim.Backend) bool { return b.PortsOf != nil }); {
	case g == nil || g.Load == nil || len(g.Source.Files) == 0 || at < 0:
		return m.refuse("cut", "instances are taken out of both sides, but the model is not RTL",
			"name RTL as the model: model: {top: MODULE, sources: [FILE]}; or delete cut")
	case m.Image != "" || m.Source.VHDL() || g.Source.VHDL():
		return m.refuse("cut", "instances can be taken out of SystemVerilog only", "delete cut")
	}
	if err := m.checkSource(); err != nil {
		return err
	}
	before, mine := m.Source, m.Source
	valued, err := m.source()
	if err != nil {
		return err
	}
	other := g.Source
	for i, instance := range m.Cut {
		key := fmt.Sprintf("cut[%d]", i)
		if mine, err = m.without(ctx, &mine, valued.Params, instance, m.Clock); err != nil {
			return m.inCut(key, m.inMap(err))
		}
		if other, err = m.without(ctx, &other, other.Params, instance, g.Clock); err != nil {
			return m.inCut(key, m.inModel(err))
		}
	}
	m.Source, g.Source, m.written = mine, other, &before
	return nil
}

// inCut places an error without a file at the key of the instance.
func (m *Map) inCut(key string, err error) error {
	var bad *cosim.InputError
	if errors.As(err, &bad) && (bad.Place == "" || strings.HasPrefix(bad.Place, "--")) {
		return m.refuse(key, bad.Reason, bad.Remedy)
	}
	return err
}

func (m *Map) without(ctx context.Context, of *cosim.Source, params map[string]string, instance,
	clock string) (cosim.Source, error) {
	b := m.Backends[slices.IndexFunc(m.Backends, func(b cosim.Backend) bool { return b.PortsOf != nil })]
	valued := *of
	valued.Params = params
	ports, err := b.PortsOf(ctx, valued, instance, m.Build)
	if err != nil {
		return valued, err
	}
	text, err := b.Preprocess(ctx, valued, m.Build)
	if err != nil {
		return valued, err
	}
	if text, err = goals.Cut(text, of.Top, instance, ports, clock); err != nil {
		return valued, err
	}
	return m.withText(of, text)
}

// withText returns a source with another text, whose macros are expanded.
func (m *Map) withText(of *cosim.Source, text string) (cosim.Source, error) {
	s := *of
	c, err := cosim.OpenCache(m.Build.Cache)
	if err != nil {
		return s, err
	}
	sum := sha256.Sum256([]byte(text))
	path, err := c.Take(fmt.Sprintf("goals-%x.sv", sum[:16]),
		func(path string) error { return os.WriteFile(path, []byte(text), 0o644) })
	if err != nil {
		return s, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return s, err
	}
	s.Files, s.Defines, s.Languages = []string{path}, nil, nil
	return s, nil
}

// AssertionsText returns a sentence on the evaluation of the RTL's assertions in a check, "" if they are not goals.
func (m *Map) AssertionsText() string {
	if m.Goals == nil || !m.Goals.Evaluated {
		return ""
	}
	if m.backend() != cosim.BackendWasm {
		return "assertions of the RTL are not evaluated: backend is " + m.backend()
	}
	if _, assume := m.Goals.Text.Checked(); assume != nil {
		return fmt.Sprintf("assertions of the RTL are not evaluated: assume %s (%s) restricts the inputs of a proof only",
			assume.Name, assume.Place)
	}
	all := 0
	for i := range m.Goals.Text.Goals {
		if m.Goals.Text.Goals[i].Kind == goals.Assert {
			all++
		}
	}
	return "evaluated in every cycle: " + cosim.Count(uint64(all), "assertion") + " of the RTL"
}

// Marked returns the source in which every goal is an assertion with a marker, with its clock.
func (m *Map) Marked() (cosim.Source, error) {
	s, err := m.withText(&m.Source, m.Goals.Text.Marked())
	if m.Clock != "" {
		s.Clocks = []string{m.Clock}
	}
	return s, err
}

// OnlyGoal returns a map whose RTL has a single goal. A device fails with message when the goal fails or is reached.
// Close it by CloseRTL.
func (m *Map) OnlyGoal(goal int, message string) (*Map, error) {
	other := *m
	source, err := m.withText(&m.Source, m.Goals.Text.Only(goal, message))
	other.Source, other.opened = source, nil
	return &other, err
}
