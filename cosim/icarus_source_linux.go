package cosim

import (
	"path/filepath"
	"time"
)

type icarusSource struct {
	Top         string
	Files       []string
	IncludeDirs []string
	Defines     map[string]string
	Params      map[string]string
	Clocks      []string
}

func (s *icarusSource) name() string { return filepath.Base(s.Files[0]) + ": " + s.Top }

type icarusOptions struct {
	Seed      uint64
	TimeLimit time.Duration
}

func (o *icarusOptions) timeLimit() time.Duration {
	if o.TimeLimit > 0 {
		return o.TimeLimit
	}
	return 10 * time.Second
}
