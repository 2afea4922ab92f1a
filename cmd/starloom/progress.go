package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"starloom"
)

// progressInterval is the time between two changes of the line.
const progressInterval = 100 * time.Millisecond

// progress is one line on a terminal that is written over; elsewhere, in a log
// or a pipe, it is silent.
type progress struct {
	out  *os.File // nil: silent
	last time.Time
	used bool
}

func newProgress(w io.Writer) *progress {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return &progress{out: file, last: time.Now()}
	}
	return &progress{}
}

// due says whether it is time to write, so that fast runs write nothing.
func (p *progress) due() bool {
	if p.out == nil || time.Since(p.last) < progressInterval {
		return false
	}
	p.last, p.used = time.Now(), true
	return true
}

func (p *progress) run(now starloom.Progress) {
	if now.RunsTotal > 0 {
		p.study(int(now.Runs), int(now.RunsTotal), "runs")
		return
	}
	if now.Repeated {
		p.study(int(now.Slots), int(now.SlotsLimit), "slots, repeated to find where packets were lost")
		return
	}
	if p.due() {
		fmt.Fprintf(p.out, "\r\x1b[Kslot %d of at most %d, %d of %d processors done", now.Slots, now.SlotsLimit, now.Done, now.Processors)
	}
}

func (p *progress) study(done, total int, what string) {
	if p.due() {
		fmt.Fprintf(p.out, "\r\x1b[K%d of %d: %s", done, total, what)
	}
}

// clear removes the line.
func (p *progress) clear() {
	if p.used {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
