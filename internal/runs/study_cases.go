package runs

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"starloom/fabric/outcome"
	"starloom/fabric/studies"
	"starloom/internal/config"
	"starloom/internal/emulator"
)

// StudyCase is a case of a study that can be run alone.
type StudyCase struct {
	Name   string
	Memory uint64 // that its first run takes, as estimated; 0 if that is not known
}

// caseTime is how long a case is looked at to see whether there is anything in it, and what it runs.
const caseTime = 100 * time.Millisecond

// StudyCases are the cases of a study that match, in the order in which they are run. Nothing is run for that.
func StudyCases(ctx context.Context, s *studies.Study, o StudyOptions, elaborate func(*studies.Setting) (*config.Config, error)) ([]StudyCase, error) {
	all := &caseFinder{ctx: ctx, options: o}
	if err := s.Run(all); err != nil {
		return nil, err
	}
	var cases []StudyCase
	for _, name := range all.asked {
		hurried, stop := context.WithTimeout(ctx, caseTime)
		one := &caseFinder{ctx: hurried, options: o, only: name, elaborate: elaborate}
		err := s.Run(one)
		over := hurried.Err() != nil
		stop()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && !errors.Is(err, errFound) && !over:
			return nil, err
		case one.rows > 0 || over || err != nil:
			cases = append(cases, StudyCase{name, one.memory})
		}
	}
	return cases, nil
}

// errFound ends a study that would run something.
var errFound = errors.New("this would be run")

// caseFinder collects the cases of a study without a run. It implements studies.Runs.
type caseFinder struct {
	ctx       context.Context
	options   StudyOptions
	elaborate func(*studies.Setting) (*config.Config, error)
	only      string   // the case that is wanted; "": none
	asked     []string // cases that match, as the study has asked for them the last time
	rows      int
	memory    uint64
}

func (f *caseFinder) Full() bool               { return f.options.Full }
func (f *caseFinder) Context() context.Context { return f.ctx }
func (f *caseFinder) Plan(int)                 {}
func (f *caseFinder) Tell(string)              {}
func (f *caseFinder) Add(studies.StudyRow)     { f.rows++ }

func (f *caseFinder) Wants(name string) bool {
	if f.only != "" || !f.options.wants(name) {
		return name == f.only
	}
	f.asked = append(slices.DeleteFunc(f.asked, func(other string) bool { return other == name }), name)
	return false
}

func (f *caseFinder) Run(x *studies.Setting) (*studies.Outcome, error) { return nil, f.weigh(x) }

func (f *caseFinder) Sample(x *studies.Setting, _ int, _ string) (*studies.Sample, error) {
	return nil, f.weigh(x)
}

func (f *caseFinder) weigh(x *studies.Setting) error {
	c, err := f.elaborate(x)
	if err != nil {
		return err
	}
	if f.memory, _, err = emulator.Weigh(f.ctx, c, emulator.Options{Engine: emulator.EngineSlot}); err != nil && f.ctx.Err() == nil {
		return err
	}
	return errFound
}

func (f *caseFinder) Writes(studies.StudyFile) bool { return false }

func (f *caseFinder) File(studies.StudyFile, string, func(io.Writer) error) error { return nil }

// Only is the pattern of a case alone.
func (c *StudyCase) Only() string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(c.Name)
}

// JoinStudy is the report of a study whose cases were run apart.
func JoinStudy(name string, parts []*outcome.StudyReport) *outcome.StudyReport {
	whole := &outcome.StudyReport{Study: name, Verdict: outcome.VerdictPass}
	for _, part := range parts {
		whole.Rows = append(whole.Rows, part.Rows...)
		if part.Verdict != outcome.VerdictPass {
			whole.Verdict = outcome.VerdictFail
		}
	}
	return whole
}
