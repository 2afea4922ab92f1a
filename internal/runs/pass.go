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
	settings emulator.Options // of the machine, with what passes ask of it
	machine  *emulator.Machine
	out      *outputs.Set
	report   *outcome.Report // once the run has ended
}

// pass is something that a run does. Passes are called in the order of their list up to the end of the
// run, and when it is repeated; in the opposite order, as they were opened, at its end and to finish. The
// first error ends the run: nothing else is called, and none of its files appears.
type pass interface {
	ask(r *run) error                         // before the machine is built: refuses options, asks for what must be built in
	begin(r *run) error                       // the machine is built: refuses what it cannot do, brings it to the state it starts from
	open(r *run) error                        // opens files
	run(ctx context.Context, r *run) error    // runs the machine to its end, or to its break
	end(r *run) error                         // the run has ended, and the machine is as it was then
	repeat(ctx context.Context, r *run) error // a whole run is repeated to find out more
	finish(ctx context.Context, r *run) error // the report is complete
}

// nothing is what a pass does of which nothing else is said.
type nothing struct{}

func (nothing) ask(*run) error                     { return nil }
func (nothing) begin(*run) error                   { return nil }
func (nothing) open(*run) error                    { return nil }
func (nothing) run(context.Context, *run) error    { return nil }
func (nothing) end(*run) error                     { return nil }
func (nothing) repeat(context.Context, *run) error { return nil }
func (nothing) finish(context.Context, *run) error { return nil }

// progress returns the function for every boundary: it reports progress of the run, or its repetition.
func (r *run) progress(slots uint32, repeated bool) func() error {
	return func() error {
		if m := r.machine; r.options.Progress != nil {
			r.options.Progress(Progress{Slots: m.Slots(), SlotsLimit: slots, Done: m.Done, Processors: m.Shape.Processors(), Repeated: repeated})
		}
		return nil
	}
}

func (r *run) repeated() func() error { return r.progress(uint32(r.report.Slots), true) }
