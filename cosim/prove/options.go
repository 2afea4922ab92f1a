package prove

import "time"

// Options control Run.
type Options struct {
	Limit    time.Duration     // time limit of the engines, and of the steps before and after them (see besides); 0: LimitDefault
	Workers  int               // number of engines that run at once; 0: 2
	Cycles   int               // number of cycles to check after the first reset; 0: all
	Folder   string            // folder for files that repeat the proof; "": none
	NoCache  bool              // ignore earlier verdicts
	Progress func(text string) // may be nil

	engines bool
}

// LimitDefault is the default time limit of the engines.
const LimitDefault = time.Minute

func (o *Options) limit() time.Duration {
	if o.Limit > 0 {
		return o.Limit
	}
	return LimitDefault
}

const besidesLeast = 20 * time.Second

// besides is the time limit for building and simulating the graph, and for checking afterwards that the miter can
// fail.
func (o *Options) besides() time.Duration { return max(o.limit(), besidesLeast) }
