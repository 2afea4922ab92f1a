package outcome

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"starloom/traces/input"
)

// JUnit elements that continuous integration servers read.
type junitSuites struct {
	XMLName xml.Name   `xml:"testsuites"`
	Suite   junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr,omitempty"`
	Time     seconds     `xml:"time,attr,omitempty"`
	Cases    []junitCase `xml:"testcase"`
}

func (s *junitSuite) write(w io.Writer) error {
	s.Tests = len(s.Cases)
	s.print()
	data, err := xml.MarshalIndent(junitSuites{Suite: *s}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, data)
	return err
}

func (s *junitSuite) print() {
	s.Name = input.Printable(s.Name)
	for i := range s.Cases {
		c := &s.Cases[i]
		c.Class, c.Name, c.Output = input.Printable(c.Class), input.Printable(c.Name), input.PrintableLines(c.Output)
		if c.Failure != nil {
			c.Failure.Message, c.Failure.Text = input.Printable(c.Failure.Message), input.PrintableLines(c.Failure.Text)
		}
		if c.Skipped != nil {
			c.Skipped.Message = input.Printable(c.Skipped.Message)
		}
	}
}

// expected adds a test case for an expectation. If the run meets the expectation, broken rules fail no test case.
func (s *junitSuite) expected(e *Expectation, verdict Verdict) {
	if e == nil {
		return
	}
	own := junitCase{Class: s.Name, Name: "expect " + e.String()}
	if !e.Met {
		own.Failure = &junitFailure{Message: fmt.Sprintf("expected %s, but the verdict is %s", e, verdict)}
		s.Failures++
	} else {
		for i := range s.Cases {
			if f := s.Cases[i].Failure; f != nil {
				s.Cases[i].Failure, s.Cases[i].Output = nil, "as expected:\n"+cmp.Or(f.Text, f.Message)
			}
		}
		s.Failures = 0
	}
	s.Cases = append(s.Cases, own)
}

// seconds is a time in JUnit's format, "" for an unknown time.
type seconds string

func secondsOf(took time.Duration) seconds {
	if took == 0 {
		return ""
	}
	return seconds(fmt.Sprintf("%.3f", took.Seconds()))
}

// JUnitCase is a test case of WriteJUnit.
type JUnitCase struct {
	Name    string
	Failure string // first line of the failure, "" for none
	Skipped string // reason why the result is open, "" for none
	Details string // text of the failure, or output of the test case
	Took    time.Duration
}

// WriteJUnit writes a test suite for continuous integration servers.
func WriteJUnit(w io.Writer, name string, took time.Duration, cases []JUnitCase) error {
	suite := junitSuite{Name: name, Time: secondsOf(took)}
	for _, c := range cases {
		one := junitCase{Class: name, Name: c.Name, Time: secondsOf(c.Took)}
		switch {
		case c.Failure != "":
			one.Failure = &junitFailure{c.Failure, c.Details}
			suite.Failures++
		case c.Skipped != "":
			one.Skipped, one.Output = &junitSkipped{c.Skipped}, c.Details
			suite.Skipped++
		default:
			one.Output = c.Details
		}
		suite.Cases = append(suite.Cases, one)
	}
	return suite.write(w)
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    seconds       `xml:"time,attr,omitempty"`
	Failure *junitFailure `xml:"failure"`
	Skipped *junitSkipped `xml:"skipped"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes a test suite with one test case per rule. The failure of a broken rule lists its violations and
// backtraces.
func (r *Report) WriteJUnit(w io.Writer) error { return r.WriteTimedJUnit(w, 0) }

// WriteTimedJUnit is WriteJUnit with the duration of the run; 0 for unknown.
func (r *Report) WriteTimedJUnit(w io.Writer, took time.Duration) error {
	rules := slices.Clone(r.Rules)
	broken := map[string][]*Violation{}
	for i := range r.Violations {
		v := &r.Violations[i]
		if len(broken[v.Rule]) == 0 && !slices.Contains(rules, v.Rule) {
			rules = append(rules, v.Rule)
		}
		broken[v.Rule] = append(broken[v.Rule], v)
	}
	suite := junitSuite{Name: r.Scenario, Time: secondsOf(took)}
	for _, rule := range rules {
		testCase := junitCase{Class: r.Scenario, Name: rule}
		if violations := broken[rule]; len(violations) > 0 {
			var text strings.Builder
			for _, v := range violations {
				fmt.Fprintf(&text, "%s\n%s", strings.TrimPrefix(v.Line(), rule+": "), v.Details(len(v.Backtrace)))
			}
			first := violations[0]
			testCase.Failure = &junitFailure{
				Message: fmt.Sprintf("%s: %s", first.Where(), first.Text()),
				Text:    text.String(),
			}
			suite.Failures++
		} else if why := r.Aside.Undecided[rule]; why != "" {
			testCase.Skipped = &junitSkipped{"not decided: " + why}
			suite.Skipped++
		}
		suite.Cases = append(suite.Cases, testCase)
	}
	suite.expected(r.Expect, r.Verdict)
	return suite.write(w)
}
