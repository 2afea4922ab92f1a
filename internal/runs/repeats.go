package runs

import "context"

// separation repeats a run with faults that has failed without them: which violations are theirs.
type separation struct{ nothing }

func (separation) repeat(ctx context.Context, r *run) error {
	return r.machine.Separate(ctx, r.report, r.repeated())
}

// losses repeats a run that has lost packets: where it did.
type losses struct{ nothing }

func (losses) repeat(ctx context.Context, r *run) error {
	return r.machine.LocateLosses(ctx, r.report, r.repeated())
}
