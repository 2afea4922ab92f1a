package prove

import "time"

// Options say how long to try.
type Options struct {
	Limit    time.Duration     // of the engines, and of what is before and after them: see besides; 0: LimitDefault
	Workers  int               // engines at once; 0: 2
	Cycles   int               // look at so many cycles after the first reset only; 0: at all
	Folder   string            // where to keep what repeats the proof; "": nowhere
	NoCache  bool              // do not look for an earlier verdict
	Progress func(text string) // may be nil

	engines bool // random inputs refute nothing, so that tests of the engines test them
}

// LimitDefault is how long the engines try.
const LimitDefault = time.Minute

func (o *Options) limit() time.Duration {
	if o.Limit > 0 {
		return o.Limit
	}
	return LimitDefault
}

// besidesLeast is how long what is before and after the engines may take at least.
const besidesLeast = 20 * time.Second

// besides is how long it may take to make the graph and to simulate it, before the engines, and after them to see that it can fail.
func (o *Options) besides() time.Duration { return max(o.limit(), besidesLeast) }
