package runs

import (
	"context"

	"starloom/fabric/outcome"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/outputs"
)

type run struct {
	config   *config.Config
	options  *Options
	settings emulator.Options // settings of the machine, including those of passes
	machine  *emulator.Machine
	out      *outputs.Set
	report   *outcome.Report // set at the end of the run
}

// pass is a stage of a run. Up to the end of the run, and during its repetition, passes are called in their order;
// the methods for the end and for the finish are called in reverse order. The first error ends the run, and none of
// its files appears.
type pass interface {
	ask(r *run) error                         // before the build: rejects options, requests settings
	begin(r *run) error                       // after the build: rejects impossible options, loads the initial state
	open(r *run) error                        // opens files
	run(ctx context.Context, r *run) error    // runs the machine to its end or to a break
	end(r *run) error                         // run ended, the machine unchanged since
	repeat(ctx context.Context, r *run) error // repeats a whole run for details
	finish(ctx context.Context, r *run) error // report complete
}

// nothing implements the methods of a pass without effect.
type nothing struct{}

func (nothing) ask(*run) error                     { return nil }
func (nothing) begin(*run) error                   { return nil }
func (nothing) open(*run) error                    { return nil }
func (nothing) run(context.Context, *run) error    { return nil }
func (nothing) end(*run) error                     { return nil }
func (nothing) repeat(context.Context, *run) error { return nil }
func (nothing) finish(context.Context, *run) error { return nil }

func (r *run) progress(slots uint32, repeated bool) func() error {
	return func() error {
		if m := r.machine; r.options.Progress != nil {
			r.options.Progress(Progress{Slots: m.Slots(), SlotsLimit: slots, Done: m.Done,
				Processors: m.Shape.Processors(), Repeated: repeated})
		}
		return nil
	}
}

func (r *run) repeated() func() error { return r.progress(uint32(r.report.Slots), true) }
