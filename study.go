package starloom

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// StudyOptions say how a study is run. The rows are a function of Full and Case.
type StudyOptions struct {
	Full     bool   // all sizes, instead of those that take seconds
	Case     string // only cases whose names match this pattern of path.Match; "" for all
	Workers  int    // 0: all cores
	Progress func(done, total int, what string)
}

// wants reports whether a case is to be run.
func (o *StudyOptions) wants(name string) bool {
	if o.Case == "" {
		return true
	}
	match, _ := path.Match(o.Case, name) // Study has checked the pattern
	return match
}

// StudyInfo describes a study.
type StudyInfo struct {
	Name  string
	Cases []string
	Doc   string
}

// study is a set of runs that repeats published numbers. With an *interruptedError
// run returns the rows that it has.
type study struct {
	StudyInfo
	run func(ctx context.Context, o StudyOptions) ([]StudyRow, error)
}

// interruptedError says how far an interrupted study came.
type interruptedError struct{ done, total int }

func (e *interruptedError) Error() string {
	return fmt.Sprintf("interrupted after %d of %d runs", e.done, e.total)
}

// studies in the order in which they are listed.
var studies = []study{popsStudy}

// Studies lists the studies.
func Studies() []StudyInfo {
	infos := make([]StudyInfo, len(studies))
	for i, s := range studies {
		infos[i] = s.StudyInfo
	}
	return infos
}

// Study runs a study by name. The verdict is pass when every row is within its
// tolerance. When ctx ends, the verdict is fail, and the report has the rows so far
// and a note.
func Study(ctx context.Context, name string, o StudyOptions) (*StudyReport, error) {
	i := slices.IndexFunc(studies, func(s study) bool { return s.Name == name })
	if i < 0 {
		var names []string
		for _, s := range studies {
			names = append(names, s.Name)
		}
		return nil, &InputError{
			Place: "study", Reason: fmt.Sprintf("there is no study %q", name), Remedy: "choose one of " + strings.Join(names, ", "),
		}
	}
	if _, err := path.Match(o.Case, ""); err != nil {
		return nil, &InputError{Place: "--case", Reason: fmt.Sprintf("%q is not a pattern", o.Case), Remedy: "write * for any text, for example '*n=1024'"}
	}
	rows, err := studies[i].run(ctx, o)
	if err == nil && len(rows) == 0 {
		return nil, &InputError{Place: "--case", Reason: fmt.Sprintf("no case of this size matches %q", o.Case), Remedy: "cases begin with " + strings.Join(studies[i].Cases, ", ") + "; some are of --full only"}
	}
	report := &StudyReport{Study: name, Verdict: VerdictPass, Rows: rows}
	var interrupted *interruptedError
	switch {
	case errors.As(err, &interrupted):
		report.Verdict, report.Notes, report.interrupted = VerdictFail, []string{err.Error()}, true
	case err != nil:
		return nil, err
	}
	for _, row := range rows {
		if !row.OK {
			report.Verdict = VerdictFail
		}
	}
	return report, nil
}
