package check

import (
	"context"
	"slices"

	"starloom/fabric/outcome"
	"starloom/internal/config"
	"starloom/internal/outputs"
	"starloom/traces/input"
)

// Options select the parts of a firmware check.
type Options struct {
	JSON    outputs.Output // report, see Report.WriteJSON
	HTML    outputs.Output // report as an HTML page
	Command string         // command that repeats the check, for the page; "" for none

	Fuzz      int    // number of sequences of arbitrary input, 0 for none
	Reproduce string // folder for a scenario and an input that reproduce each finding, "" for none
	Replay    string // input file of Reproduce; if set, only this sequence is tried

	// Progress, unless nil, is called with a description of the next step.
	Progress func(what string)
}

// Firmware checks the firmware of a scenario in all ways to run it.
func Firmware(ctx context.Context, own *config.Config, keys Keys, o *Options) (check *Report, err error) {
	if o.Reproduce != "" && (o.Fuzz <= 0 || o.Replay != "") {
		return nil, input.Mistake("--reproduce", "no handler is called on arbitrary input, so no finding can be reproduced",
			"delete it, or --fuzz 0 and --replay")
	}
	var out outputs.Set
	defer out.Abort()
	json, err := out.Open("--json", "json", o.JSON)
	if err != nil {
		return nil, err
	}
	html, err := out.Open("--html", "html", o.HTML)
	if err != nil {
		return nil, err
	}
	models := *own
	c := &checker{ctx: ctx, config: &models, keys: keys, progress: o.Progress, reached: map[string]bool{}}
	if c.progress == nil {
		c.progress = func(string) {}
	}
	c.report = Report{Schema: schema, Scenario: own.Name, Seed: own.Seed, Verdict: outcome.VerdictPass,
		Provenance:  own.Source.Provenance,
		NotCompared: []string{}, Writes: []Write{}, Faults: []string{}, Violations: []outcome.Violation{},
		Fuzz: []FuzzFinding{}, Talks: []Talk{}, NotTried: []string{}}
	if len(own.RTL) > 0 {
		models.RTL = nil
		c.leave("RTL: the models run in its place (starloom cosim check compares RTL and model)")
	}
	if own.Firmware.Program == nil {
		c.alone = c.servesOne()
	}
	if err := c.check(o); err != nil {
		return nil, err
	}
	if json != nil {
		if err := c.report.WriteJSON(json); err != nil {
			return nil, err
		}
	}
	if html != nil {
		if err := c.report.Page(o.Command, own.Source.RunCommand+own.Source.RunOne).Write(html); err != nil {
			return nil, err
		}
	}
	return &c.report, out.Files.Commit()
}

// check runs all parts. If a handler does not return, check skips the comparison, because other runs would not end.
func (c *checker) check(o *Options) error {
	if o.Replay != "" {
		err := c.replay(o.Replay)
		c.conclude()
		return err
	}
	c.progress("watches every handler of a banked run")
	if err := c.watch(); err != nil {
		return err
	}
	if len(c.report.Faults) > 0 {
		c.conclude()
		c.leave("runs: a handler does not return")
		return nil
	}
	if err := c.compare(); err != nil {
		return err
	}
	if o.Fuzz > 0 {
		c.progress("searches runs with losses and restarts")
		if err := c.talk(o.Fuzz); err != nil {
			return err
		}
		if err := c.fuzz(o.Fuzz); err != nil {
			return err
		}
		if err := c.reproduce(o.Reproduce); err != nil {
			return err
		}
	}
	c.conclude()
	return nil
}

func (c *checker) conclude() {
	r := &c.report
	if len(r.Faults) > 0 || r.ViolationsTotal > 0 || r.Difference != nil ||
		slices.ContainsFunc(r.Writes, Write.Fails) || slices.ContainsFunc(r.Fuzz, FuzzFinding.Fails) ||
		slices.ContainsFunc(r.Talks, func(t Talk) bool { return t.Fails() }) {
		r.Verdict = outcome.VerdictFail
	}
}
