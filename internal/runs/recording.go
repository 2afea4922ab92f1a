package runs

import (
	"context"

	"starloom/internal/record"
)

type recording struct {
	nothing
	*record.Recording
}

func (p *recording) open(r *run) (err error) {
	p.Recording, err = record.Begin(r.machine, r.options.Record, r.out)
	return err
}

func (p *recording) end(*run) error { return p.End() }

func (p *recording) repeat(ctx context.Context, r *run) error {
	return p.RepeatWaveform(ctx, r.machine, r.report, r.repeated())
}

func (p *recording) finish(_ context.Context, r *run) error {
	p.MarkFaults(r.report)
	p.MarkLatest(r.report)
	return p.Finish(r.report.Violations, r.report.Cycles)
}
