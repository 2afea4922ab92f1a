package pinmap

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"starloom/cosim"
	"starloom/cosim/goals"
)

// Prepare reads the goals of the RTL, and builds a model that is RTL. Otherwise, the first call of NewModel builds it.
func (m *Map) Prepare(ctx context.Context) error {
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
	source, err := m.withText(read.Plain())
	if err != nil {
		return err
	}
	m.Goals.source, m.Source = m.Source, source
	if m.Goals.Only {
		m.Given().Source = source
	}
	m.Goals.Text = read
	return nil
}

// withText returns the source of the RTL with another text, whose macros are expanded.
func (m *Map) withText(text string) (cosim.Source, error) {
	s := m.Source
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

// Marked returns the source in which every goal is an assertion with a marker, with its clock.
func (m *Map) Marked() (cosim.Source, error) {
	s, err := m.withText(m.Goals.Text.Marked())
	if m.Clock != "" {
		s.Clocks = []string{m.Clock}
	}
	return s, err
}

// OnlyGoal returns a map whose RTL has a single goal. A device fails with message when the goal fails or is reached.
// Close it by CloseRTL.
func (m *Map) OnlyGoal(goal int, message string) (*Map, error) {
	other := *m
	source, err := m.withText(m.Goals.Text.Only(goal, message))
	other.Source, other.opened = source, nil
	return &other, err
}
