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
	margin      = 3                // requested time divided by estimated time
	taskBegins  = 5 * time.Second  // time of a task in addition to the time of its units
	taskLong    = 10 * time.Minute // maximum estimated time of a task with several units
	taskShort   = 20 * time.Second // estimated time of a task below which more tasks are not useful
	tasksWanted = 64               // number of tasks if the cluster's parallelism is unknown
	timeLeast   = time.Minute      // time limits are in whole minutes
	memoryStep  = 64 << 20
	memoryMore  = 1.25 // requested memory divided by estimated memory
)

type task struct {
	units  []*unit
	limit  time.Duration
	memory uint64
}

type unit struct {
	Unit
	tries  int           // number of tasks that ended without results of the unit, except after timeouts
	limit  time.Duration // least time limit of the unit's task
	alone  bool
	failed string // reason of a failure, "" for none
}

type array struct {
	limit  time.Duration
	memory uint64
	tasks  []*task
}

// pack distributes units to tasks. A long unit has its own task; short units with similar memory share a task.
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

// rounded rounds a time up to 1, 2, 4, 8, ... minutes, and above an hour to hours, so that few different limits
// occur.
func rounded(t time.Duration) time.Duration {
	for limit := timeLeast; limit <= time.Hour; limit *= 2 {
		if t <= limit {
			return limit
		}
	}
	return (t + time.Hour - 1).Truncate(time.Hour)
}

// asked rounds memory up, so that few different amounts occur.
func asked(bytes uint64) uint64 {
	need := uint64(math.Ceil(float64(bytes) * memoryMore))
	step := uint64(memoryStep)
	for step*8 < need {
		step *= 2
	}
	return max(step, (need+step-1)/step*step)
}

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

// Work is a list of units to do.
type Work struct {
	Name     string // name of the jobs, without special characters
	Folder   string // absolute path for scripts, lists and logs, shared by all nodes
	Dir      string
	Settings *Settings
	// Command executes units. The path of a file with the keys of the units, one per line, is appended to the
	// command.
	Command []string
	Units   []Unit
	Done    func(key string) (bool, error) // reports whether the results of a unit exist
	Told    func(Progress)                 // receives progress; may be nil
}

// Unit is the smallest part of the work.
type Unit struct {
	Key    string // key without special characters
	Name   string
	Time   time.Duration
	Memory uint64
}

// Progress is the progress of the work.
type Progress struct {
	Done, Units      int
	Waiting, Running int
	Why              string // Slurm's reason why a task waits
}

// Outcome is the result of the work.
type Outcome struct {
	Failed []Failure
	Cut    bool     // the context ended
	Jobs   []string // jobs that remain in the queue after the end of the context
}

// Failure is a unit that has failed, and the reason.
type Failure struct{ Key, Reason string }

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
	option("--no-requeue") // Cluster.Run resubmits lost tasks with new limits
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
	b.WriteString(
		`echo "$(uname -n) $began $(date +%s) $status" > "$task.ended.new" && mv "$task.ended.new" "$task.ended"` + "\n")
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

// WriteFile writes a file completely or not at all, even on a network file system.
func WriteFile(path, text string) error {
	temp := path + "." + rand.Text() + ".new"
	err := os.WriteFile(temp, []byte(text), 0o666)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp)
	}
	return err
}
