package runs

import "context"

// separation repeats a run with faults that has failed without them: which violations are theirs; and for a page with
// each of them alone, unless that takes long.
type separation struct{ nothing }

func (separation) repeat(ctx context.Context, r *run) error {
	defer r.machine.TellWays(r.report)
	if err := r.machine.Separate(ctx, r.report, r.repeated()); err != nil || !r.options.HTML.Given() {
		return err
	}
	if _, long := r.long(uint32(r.report.Slots)); long {
		return nil
	}
	return r.machine.Blame(ctx, r.report, r.repeated())
}

// lateness repeats a run in which packets have missed their deadline: when they came.
type lateness struct{ nothing }

func (lateness) repeat(ctx context.Context, r *run) error {
	return r.machine.Lateness(ctx, r.report, r.repeated())
}

// losses repeats a run that has lost packets: where it did.
type losses struct{ nothing }

func (losses) repeat(ctx context.Context, r *run) error {
	return r.machine.LocateLosses(ctx, r.report, r.repeated())
}

// retelling repeats a run that has failed, and tells more of its violations.
type retelling struct{ nothing }

func (retelling) repeat(ctx context.Context, r *run) error {
	if err := r.machine.Retell(ctx, r.report, r.repeated()); err != nil || !r.options.HTML.Given() {
		return err
	}
	return r.machine.Resume(ctx, r.report, r.repeated())
}
