package runs

import (
	"context"

	"starloom/fabric/outcome"
	"starloom/traces"
	"starloom/traces/input"
)

// profile repeats the run up to its longest call, and writes where that has spent its cost.
type profile struct {
	nothing
	folded *traces.File // nil for none
}

func (p *profile) ask(r *run) error {
	if r.options.Profile.Given() && r.config.Firmware.CPU == nil {
		return &input.Error{
			Place:  "--profile",
			Reason: "firmware.cpu has no model: handlers take no time",
			Remedy: "add cpu: {model: rv32-inorder} to the key firmware",
		}
	}
	return nil
}

func (p *profile) open(r *run) (err error) {
	p.folded, err = r.out.OpenQuietly("--profile", "profile", r.options.Profile)
	return err
}

// finish repeats the run, too: one that has stopped at its break has a longest call.
func (p *profile) finish(ctx context.Context, r *run) error {
	if err := r.machine.ProfileWorst(ctx, r.report, p.folded != nil, r.repeated()); err != nil {
		return err
	}
	switch worst := r.report.Firmware.Cycles; {
	case p.folded == nil || worst == nil:
		return nil
	case worst.Worst == nil || worst.Worst.Profile == nil:
		p.folded.Abort()
		return nil
	}
	r.out.Written = append(r.out.Written, outcome.OutputFile{Kind: "profile", Path: p.folded.Path()})
	return r.report.Firmware.Cycles.Worst.Profile.WriteFolded(p.folded)
}
