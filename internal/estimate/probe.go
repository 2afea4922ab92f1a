package estimate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"starloom/traces"
)

// Progress is the progress of a run.
type Progress struct {
	Slots    uint32
	Runs     uint64 // number of finished runs among several, otherwise 0
	Of       uint64 // number of runs if there are several, otherwise 0
	Repeated bool   // the run has finished and is being repeated for details
}

func (p *Progress) place() uint64 {
	if p.Of > 0 {
		return p.Runs
	}
	return uint64(p.Slots)
}

// Mark is a place in a run, with the processor time since the first place.
type Mark struct {
	Place uint64        `json:"place"`
	After time.Duration `json:"after_ns"`
}

// Measured is the measurement of one size. A place is a slot, or one of several runs. Times are processor times
// unless stated otherwise, because processor times depend little on other load.
type Measured struct {
	Processors int           `json:"processors"`
	SlotsMax   uint32        `json:"slots_max"`
	Whole      bool          `json:"whole"`      // the run ended
	Begin      time.Duration `json:"begin_ns"`   // time up to the first place
	Between    time.Duration `json:"between_ns"` // time from the first place to the last in nanoseconds
	Rest       time.Duration `json:"rest_ns"`    // time after the last place: report, repeats
	Wall       time.Duration `json:"wall_ns"`
	Places     uint64        `json:"places"`
	Of         uint64        `json:"of,omitempty"` // number of runs, if there are several
	Marks      []Mark        `json:"marks"`        // some places, including the last
}

// marksMax is the maximum number of marks. Beyond it, every other mark is dropped.
const marksMax = 256

// A run is stopped after its limit of processor time or, on a busy machine, after busy times the limit in wall-clock
// time. In the middle of a slot it is stopped after slack times the limit.
const (
	busy  = 2
	slack = 3
)

type watch struct {
	*Measured
	start        time.Time
	clock        func() time.Duration
	begin, first time.Duration
	limit        time.Duration
	place        uint64
	next, stride uint64 // next place at which the clocks are read, and number of places between two readings
	step         uint64
	last         Mark
	stop         func()
	over         bool // the run was stopped, or has passed its last place
}

// interval of clock readings: long enough to be cheap, short enough to stop the run in time
const (
	readsApart    = time.Millisecond
	readsTogether = 8 * readsApart
)

// probe runs one size to its end or to the limit. It returns an error only if the scenario cannot run.
func probe(ctx context.Context, size *Size, limit time.Duration) (*Measured, error) {
	hurried, stop := context.WithTimeout(ctx, slack*limit)
	defer stop()
	w := &watch{
		Measured: &Measured{Processors: size.Processors, SlotsMax: size.SlotsMax},
		start:    time.Now(), clock: size.clock, limit: limit, stride: 1, step: 1, stop: stop,
	}
	if w.clock == nil {
		w.clock = processorTime
	}
	w.begin = w.clock()
	err := size.Run(hurried, w.see)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	w.end(hurried.Err() == nil)
	return w.Measured, nil
}

func (w *watch) see(p Progress) {
	if w.over {
		return
	}
	if p.Repeated {
		w.over, w.last.After = true, w.clock()-w.first
		return
	}
	if w.place = p.place(); w.place < w.next {
		return
	}
	now := w.clock()
	if w.Marks == nil {
		w.first, w.Begin, w.Of = now, now-w.begin, p.Of
		w.last = Mark{Place: w.place}
		w.Marks = append(make([]Mark, 0, marksMax), w.last)
		return
	}
	switch passed := now - w.first - w.last.After; {
	case passed < readsApart:
		w.stride *= 2
	case passed > readsTogether:
		w.stride = max(1, w.stride/2)
	}
	w.last, w.next = Mark{w.place, now - w.first}, w.place+w.stride
	if w.place >= w.Marks[len(w.Marks)-1].Place+w.step {
		w.Marks = append(w.Marks, w.last)
	}
	if len(w.Marks) == marksMax {
		w.Marks, w.step = everyOther(w.Marks), 2*w.step
	}
	if (now-w.begin >= w.limit || time.Since(w.start) >= busy*w.limit) && (p.Of == 0 || w.place < p.Of) {
		w.over = true
		w.stop()
	}
}

func (w *watch) end(whole bool) {
	w.Whole, w.Places, w.Between, w.Wall = whole, w.place, w.last.After, time.Since(w.start)
	if w.Marks == nil {
		w.Begin = w.clock() - w.begin
		return
	}
	if w.last.Place = w.place; w.Marks[len(w.Marks)-1].Place < w.Places {
		w.Marks = append(w.Marks, w.last)
	}
	if whole {
		w.Rest = w.clock() - w.begin - w.Begin - w.Between
	}
}

func everyOther(marks []Mark) []Mark {
	kept := marks[:0]
	for i := 0; i < len(marks); i += 2 {
		kept = append(kept, marks[i])
	}
	return kept
}

func (m *Measured) total() time.Duration { return m.Begin + m.Between + m.Rest }

func (m *Measured) cores(total time.Duration) float64 {
	return math.Max(float64(total)/math.Max(float64(m.Wall), 1), 0.1)
}

func (m *Measured) after(place float64) float64 {
	for i := 1; i < len(m.Marks); i++ {
		a, b := m.Marks[i-1], m.Marks[i]
		if place <= float64(b.Place) {
			within := (place - float64(a.Place)) / float64(b.Place-a.Place)
			return float64(a.After) + float64(max(within, 0)*float64(b.After-a.After))
		}
	}
	return float64(m.Between)
}

// share returns the share of the measured time spent in the first places. part is the share of these places, from 0
// to 1.
func (m *Measured) share(part float64) float64 {
	return m.after(float64(part*float64(m.Places))) / math.Max(float64(m.Between), 1)
}

// pace returns the time per place in the second half of the measurement. The first half is slower, because it
// accesses memory for the first time.
func (m *Measured) pace() float64 {
	half := m.Places / 2
	return (float64(m.Between) - m.after(float64(half))) / math.Max(float64(m.Places-half), 1)
}

type kept struct {
	path  string  // path of the cache, "" for none
	Found []found `json:"measured"`
	fresh bool    // some measurements are missing in the cache
}

type found struct {
	Steps    int           `json:"steps"`
	Limit    time.Duration `json:"limit_ns"`
	Measured *Measured     `json:"measured"`
}

func open(folder, identity string, again bool) *kept {
	k := &kept{}
	if folder == "" || identity == "" {
		return k
	}
	machine, err := machineIdentity()
	if err != nil {
		return k
	}
	sum := sha256.Sum256([]byte(machine + "\x00" + identity))
	k.path = filepath.Join(folder, hex.EncodeToString(sum[:12])+".json")
	if again {
		return k
	}
	if data, err := os.ReadFile(k.path); err == nil && json.Unmarshal(data, k) != nil {
		k.Found = nil
	}
	return k
}

// find returns a measurement that is valid for this limit: of a complete run, or with about the same limit.
func (k *kept) find(steps int, limit time.Duration) *Measured {
	for _, f := range k.Found {
		if f.Steps == steps && f.Measured != nil && (f.Measured.Whole || f.Limit >= limit/2) {
			return f.Measured
		}
	}
	return nil
}

// add caches a measurement. It ignores write errors; the next estimate then measures again.
func (k *kept) add(steps int, limit time.Duration, m *Measured) {
	k.fresh = true
	k.Found = append(k.Found, found{steps, limit, m})
	if k.path == "" {
		return
	}
	data, err := json.Marshal(k)
	if err != nil || os.MkdirAll(filepath.Dir(k.path), 0o755) != nil {
		return
	}
	file, err := traces.Create(k.path)
	if err != nil {
		return
	}
	defer file.Abort()
	if _, err := file.Write(data); err == nil {
		_ = file.Commit()
	}
}

// machineIdentity identifies this executable on this machine, because measurements of other machines or executables
// are not comparable.
func machineIdentity() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	host, _ := os.Hostname()
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano(), host, runtime.GOARCH,
		runtime.GOMAXPROCS(0), processorModel()), nil
}

func processorModel() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "model name") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
