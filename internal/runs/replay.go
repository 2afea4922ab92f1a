package runs

import (
	"fmt"

	"starloom/traces"
	"starloom/traces/input"
)

// replay calls the handlers of one processor again, alone, and writes what they were told and did.
type replay struct {
	nothing
	file *traces.File // nil for none
}

func (p *replay) ask(r *run) error {
	o := r.options
	if !o.Replay.Given() {
		return nil
	}
	r.settings.Replay = o.ReplayProcessor + 1
	return o.checkReplay(r.config.Network.Shape().Processors())
}

func (o *Options) checkReplay(processors int) error {
	if 0 <= o.ReplayProcessor && o.ReplayProcessor < processors {
		return nil
	}
	return &input.Error{
		Place:  "--replay",
		Reason: fmt.Sprintf("there is no processor %d", o.ReplayProcessor),
		Remedy: fmt.Sprintf("allowed are 0 to %d", processors-1),
	}
}

func (p *replay) begin(r *run) error {
	if r.options.Replay.Given() && r.options.Restore != "" {
		return r.machine.ResumeReplay()
	}
	return nil
}

func (p *replay) open(r *run) (err error) {
	p.file, err = r.out.OpenQuietly("--replay", "replay", r.options.Replay)
	return err
}

func (p *replay) end(r *run) error {
	if p.file == nil {
		return nil
	}
	return r.machine.WriteReplay(p.file, r.report)
}
