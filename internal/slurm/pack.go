package slurm

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"starloom/fabric/outcome"
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

// script is what sbatch gets for an array; its files are in the folder here.
func (w *Work) script(a *array, name, here string) string {
	var b strings.Builder
	option := func(text string) { fmt.Fprintf(&b, "#SBATCH %s\n", text) }
	b.WriteString("#!/bin/sh\n")
	option("--job-name=" + name)
	tasks := fmt.Sprintf("--array=0-%d", len(a.tasks)-1)
	if n := w.Settings.ArrayParallelism; n > 0 {
		tasks += fmt.Sprintf("%%%d", n)
	}
	option(tasks)
	option("--ntasks=1")
	option(fmt.Sprintf("--mem=%dM", a.memory>>20))
	option("--time=" + minutes(a.limit))
	option("--no-requeue") // what is lost is sent again by the command, with what it needs
	option(fmt.Sprintf("--output=\"%s/%%a.log\"", strings.ReplaceAll(here, "%", "%%")))
	for _, named := range []struct{ name, value string }{
		{"partition", w.Settings.Partition}, {"account", w.Settings.Account}, {"qos", w.Settings.QOS},
	} {
		if named.value != "" {
			option("--" + named.name + "=" + named.value)
		}
	}
	for _, text := range w.Settings.Options {
		option(text)
	}
	b.WriteByte('\n')
	if w.Settings.Setup != "" {
		b.WriteString(strings.TrimSuffix(w.Settings.Setup, "\n") + "\n")
	}
	words := make([]string, len(w.Command))
	for i, word := range w.Command {
		words[i] = outcome.ShellQuote(word)
	}
	fmt.Fprintf(&b, "cd %s || exit\n", outcome.ShellQuote(w.Dir))
	fmt.Fprintf(&b, "task=%s/$SLURM_ARRAY_TASK_ID\n", outcome.ShellQuote(here))
	b.WriteString("began=$(date +%s)\n")
	b.WriteString(`echo "$(uname -n) $began" > "$task.began.new" && mv "$task.began.new" "$task.began"` + "\n")
	fmt.Fprintf(&b, "%s \"$task.keys\"\n", strings.Join(words, " "))
	b.WriteString("status=$?\n")
	b.WriteString(`echo "$(uname -n) $began $(date +%s) $status" > "$task.ended.new" && mv "$task.ended.new" "$task.ended"` + "\n")
	b.WriteString("exit $status\n")
	return b.String()
}

func minutes(t time.Duration) string {
	m := int64((t + time.Minute - 1) / time.Minute)
	if m < 60 {
		return fmt.Sprint(m)
	}
	return fmt.Sprintf("%d:%02d:00", m/60, m%60)
}

func (w *Work) write(a *array, name, here string) (string, error) {
	if err := os.MkdirAll(here, 0o777); err != nil {
		return "", err
	}
	for i, t := range a.tasks {
		var keys strings.Builder
		for _, u := range t.units {
			keys.WriteString(u.Key + "\n")
		}
		if err := WriteFile(filepath.Join(here, fmt.Sprintf("%d.keys", i)), keys.String()); err != nil {
			return "", err
		}
	}
	path := filepath.Join(here, "array.sh")
	return path, WriteFile(path, w.script(a, name, here))
}

// WriteFile writes a file that is whole or not there, on a network file system, too.
func WriteFile(path, text string) error {
	temp := path + "." + rand.Text() + ".new"
	err := os.WriteFile(temp, []byte(text), 0o666)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp) // it is not wanted
	}
	return err
}
