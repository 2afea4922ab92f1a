package slurm

import (
	"cmp"
	"math"
	"slices"
	"time"
)

const (
	margin      = 3                // of the time that is asked, over the estimate
	taskBegins  = 5 * time.Second  // what a task takes besides its units
	taskLong    = 10 * time.Minute // of estimated time: short units share a task up to there
	taskShort   = 20 * time.Second // below which more tasks gain nothing
	tasksWanted = 64               // as long as they are not short, if it is not said how many run at once
	timeLeast   = time.Minute      // Slurm counts minutes
	memoryStep  = 64 << 20
	memoryMore  = 1.25 // of the estimate
)

// task is some units that are done one after the other.
type task struct {
	units  []*unit
	limit  time.Duration
	memory uint64
}

type unit struct {
	Unit
	tries  int           // tasks that have ended without its results, but for those out of time
	limit  time.Duration // that a task of it is given at least
	alone  bool
	failed string // why, "" if it has not
}

type array struct {
	limit  time.Duration
	memory uint64
	tasks  []*task
}

// pack shares units among tasks: long ones alone, short ones together with others of similar memory.
func pack(units []*unit, parallelism int) (tasks []*task) {
	var sum time.Duration
	for _, u := range units {
		sum += u.Time
	}
	if parallelism <= 0 {
		parallelism = tasksWanted
	}
	long := min(max(sum/time.Duration(parallelism), taskShort), taskLong)
	sorted := slices.Clone(units)
	slices.SortStableFunc(sorted, func(a, b *unit) int {
		return cmp.Or(cmp.Compare(asked(b.Memory), asked(a.Memory)), cmp.Compare(b.Time, a.Time))
	})
	var open *task
	var took time.Duration
	for _, u := range sorted {
		if open == nil || u.alone || open.units[0].alone || took+u.Time > long || asked(u.Memory) != asked(open.memory) {
			open, took = &task{memory: u.Memory}, 0
			tasks = append(tasks, open)
		}
		open.units, took = append(open.units, u), took+u.Time
		open.limit = max(open.limit, limitOf(took), u.limit)
	}
	return tasks
}

func limitOf(work time.Duration) time.Duration { return rounded(margin * (work + taskBegins)) }

// rounded rounds a time up so that few are different: to 1, 2, 4, 8, ... minutes, and above an hour to hours.
func rounded(t time.Duration) time.Duration {
	for limit := timeLeast; limit <= time.Hour; limit *= 2 {
		if t <= limit {
			return limit
		}
	}
	return (t + time.Hour - 1).Truncate(time.Hour)
}

// asked rounds what memory is asked for up, so that few amounts are different.
func asked(bytes uint64) uint64 {
	need := uint64(math.Ceil(float64(bytes) * memoryMore))
	step := uint64(memoryStep)
	for step*8 < need {
		step *= 2
	}
	return max(step, (need+step-1)/step*step)
}

// arrays puts tasks that ask for the same together, at most so many in each.
func arrays(tasks []*task, most int) (all []*array) {
	open := map[[2]uint64]*array{}
	for _, t := range tasks {
		kind := [2]uint64{uint64(t.limit), asked(t.memory)}
		a := open[kind]
		if a == nil || len(a.tasks) >= most {
			a = &array{limit: t.limit, memory: asked(t.memory)}
			open[kind], all = a, append(all, a)
		}
		a.tasks = append(a.tasks, t)
	}
	return all
}

// Work is what is to be done.
type Work struct {
	Name     string // of the jobs, a plain word
	Folder   string // for scripts, lists and logs: a whole path that all nodes know
	Dir      string // in which the command runs
	Settings *Settings
	// Command does units: the path of a file with their keys, a line each, is put after its words.
	Command []string
	Units   []Unit
	Done    func(key string) (bool, error) // whether the results of a unit are there
	Told    func(Progress)                 // nil for no one
}

// Unit is the smallest part of the work.
type Unit struct {
	Key    string // a plain word
	Name   string // for people
	Time   time.Duration
	Memory uint64 // bytes
}

// Progress says how far the work is.
type Progress struct {
	Done, Units      int
	Waiting, Running int    // tasks
	Why              string // one of them waits, as Slurm says
}

// Outcome is what has come of it.
type Outcome struct {
	Failed []Failure
	Cut    bool     // the context has ended
	Jobs   []string // that are still in the queue then
}

// Failure is a unit that could not be done.
type Failure struct{ Key, Reason string }
