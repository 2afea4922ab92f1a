package twin

import (
	"fmt"
	"strings"
)

// A Mutant is a twin with one mistake.
type Mutant struct {
	Twin Twin
	Mistake
}

// WriteSources writes the sources with the mistake, like Twin.WriteSources.
func (m Mutant) WriteSources(dir string) ([]string, error) {
	mistaken := m.source()
	return m.Twin.writeSources(dir, func(name, text string) (string, error) {
		if name != mistaken {
			return text, nil
		}
		if found := strings.Count(text, m.Old); found != 1 {
			return "", fmt.Errorf("mutant %s of %s: %s contains %d copies of %q, not exactly one", m.Name,
				m.Twin.Name, name, found, m.Old)
		}
		return strings.Replace(text, m.Old, m.New, 1), nil
	})
}

func (m Mutant) source() string {
	for _, name := range m.Twin.Sources {
		if text, err := m.Twin.Source(name); err == nil && strings.Contains(string(text), m.Old) {
			return name
		}
	}
	return m.Twin.Sources[0]
}

// Mutants returns the mutants of all twins.
func Mutants(twins []Twin) (all []Mutant) {
	for _, t := range twins {
		for _, mistake := range t.Mutants {
			all = append(all, Mutant{t, mistake})
		}
	}
	return all
}
