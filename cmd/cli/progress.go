package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"starloom"
	"starloom/internal/explore"
	"starloom/traces"
)

const progressInterval = 100 * time.Millisecond

// progress overwrites one line on a terminal. It is silent in a log or a pipe.
type progress struct {
	out         *os.File  // the terminal, nil without one
	log         io.Writer // receives rare messages without a terminal
	started     time.Time
	from, total uint64 // number of units done at the start, and number of all units
	last        time.Time
	used        bool
}

func newProgress(w io.Writer) *progress {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return &progress{out: file, last: time.Now()}
	}
	return &progress{log: w, last: time.Now()}
}

func (p *progress) due() bool {
	if p.out == nil || time.Since(p.last) < progressInterval {
		return false
	}
	p.last, p.used = time.Now(), true
	return true
}

func (p *progress) run(now starloom.Progress) {
	if now.RunsTotal > 0 {
		if p.due() {
			fmt.Fprintf(p.out, "\r\x1b[K%d of %d runs%s", now.Runs, now.RunsTotal, p.left(now.Runs, now.RunsTotal))
		}
		return
	}
	if now.Repeated {
		p.study(int(now.Slots), int(now.SlotsLimit), "slots, repeated for more details")
		return
	}
	if p.due() {
		fmt.Fprintf(p.out, "\r\x1b[Kslot %d of at most %d, %d of %d processors done%s", now.Slots, now.SlotsLimit,
			now.Done, now.Processors, p.atMost(uint64(now.Slots), uint64(now.SlotsLimit)))
	}
}

func (p *progress) explore(now explore.Progress) {
	if p.due() {
		fmt.Fprintf(p.out, "\r\x1b[Kslot %d of at most %d: %d states, %d of them running, %d steps", now.Slot, now.SlotsMax,
			now.States, now.Running, now.Transitions)
	}
}

// left estimates the remaining time of a stretch of work. A change of the total begins a new stretch.
func (p *progress) left(done, total uint64) string {
	if total != p.total || done < p.from {
		p.started, p.from, p.total = time.Now(), done, total
	}
	return left(done-p.from, total-p.from, time.Since(p.started))
}

// atMost is left for work that may end before its limit.
func (p *progress) atMost(done, total uint64) string {
	return strings.Replace(p.left(done, total), "about", "at most", 1)
}

// left estimates the remaining time from the pace so far, "" below ten seconds.
func left(done, total uint64, took time.Duration) string {
	if done == 0 || done >= total {
		return ""
	}
	hours := took.Hours() / float64(done) * float64(total-done)
	switch {
	case hours >= 48:
		return fmt.Sprintf(", about %.0f days left", hours/24)
	case hours >= 2:
		return fmt.Sprintf(", about %.0f hours left", hours)
	case hours >= 1./60:
		return ", about " + traces.Plural(uint64(math.Round(60*hours)), "minute", "minutes") + " left"
	case hours >= 10./3600:
		return fmt.Sprintf(", about %.0f seconds left", 3600*hours)
	}
	return ""
}

func (p *progress) study(done, total int, what string) {
	if p.due() {
		fmt.Fprintf(p.out, "\r\x1b[K%d of %d: %s%s", done, total, what, p.left(uint64(done), uint64(total)))
	}
}

const sweepInterval = time.Minute

// sweep reports the progress of a sweep. Without a terminal, it writes a line per minute.
func (p *progress) sweep(now starloom.SweepProgress) {
	text := fmt.Sprintf("%d of %d runs", now.Runs, now.RunsTotal)
	if now.Left > 0 {
		text += left(1, 2, now.Left)
	}
	switch {
	case p.out != nil && p.due():
		fmt.Fprintf(p.out, "\r\x1b[K%s", text)
	case p.out == nil && p.log != nil && time.Since(p.last) >= sweepInterval:
		p.last = time.Now()
		fmt.Fprintf(p.log, "starloom: %s\n", text)
	}
}

func (p *progress) clear() {
	if p.used {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

func (p *progress) step(text string) {
	if p.out != nil {
		p.used = true
		fmt.Fprintf(p.out, "\r\x1b[K%s", text)
	}
}

func (p *progress) cycles(done, total uint64) {
	if p.due() {
		fmt.Fprintf(p.out, "\r\x1b[K%d of %d cycles%s", done, total, p.left(done, total))
	}
}

func (p *progress) bytes(read, size int64) {
	if p.due() {
		fmt.Fprintf(p.out, "\r\x1b[K%d of %d MB%s", read>>20, size>>20, p.left(uint64(read), uint64(size)))
	}
}
