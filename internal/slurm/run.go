// Package slurm runs work as Slurm jobs: arrays of tasks; each task executes some units of the work.
//
//	Work: units, time and memory of each --pack--> arrays of tasks --sbatch--> the cluster
//	         ^                                                                    |
//	         '------ sent again <--- failed, lost, out of time <--- squeue, results
//
// Only Slurm schedules the tasks. The submitting command needs only sbatch, squeue, sinfo and scontrol, without
// accounting. It may end while jobs run, and be called again. Results are on a file system shared by all nodes; a
// unit with results is done. Files are written under a temporary name and renamed, never locked.
package slurm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"starloom/fabric/outcome"
	"starloom/traces"
	"starloom/traces/input"
)

const (
	triesMost   = 3 // number of tasks without results after which a unit has failed
	longestMost = 8 // maximum number of times that a unit's time limit is doubled
	pollFirst   = time.Second
	pollLast    = 15 * time.Second
	pollPart    = 30 // fraction of the elapsed time after which the queue is polled again
	// settles is the time after the end of a task in which its results may still appear, because a network file
	// system shows new files of other nodes only after a delay.
	settles = 20 * time.Second
)

type runner struct {
	*Work
	*Cluster
	units []*unit
	byKey map[string]*unit
	waits map[*unit]bool
	sent  map[taskID]*sent
	jobs  map[string]bool
	heres map[string]bool
	begun time.Time
	log   string
	done  int
}

func newRunner(w *Work) *runner {
	r := &runner{
		Work: w, byKey: map[string]*unit{}, waits: map[*unit]bool{},
		sent: map[taskID]*sent{}, jobs: map[string]bool{}, heres: map[string]bool{}, begun: time.Now(),
	}
	for _, one := range w.Units {
		u := &unit{Unit: one}
		r.units = append(r.units, u)
		r.byKey[u.Key], r.waits[u] = u, true
	}
	return r
}

// Run executes the work until all units are finished or ctx ends. Jobs continue after the end of ctx. Errors are
// those of Slurm and of the folder.
func (c *Cluster) Run(ctx context.Context, w *Work) (*Outcome, error) {
	if err := c.fits(w); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(w.Folder, 0o777); err != nil {
		return nil, input.Refused("--out", err, "give a writable folder that all nodes share")
	}
	r := newRunner(w)
	r.Cluster, r.log = c, filepath.Join(w.Folder, "log-"+rand.Text()[:8]+".csv")
	queue, err := c.queue(ctx)
	if err != nil {
		return nil, silent(err, "try 'squeue'")
	}
	r.adopt(queue)
	for len(r.waits)+len(r.sent) > 0 && ctx.Err() == nil {
		if err := r.send(ctx); err != nil {
			return nil, err
		}
		r.sleep(ctx)
		if err := r.look(ctx); err != nil {
			return nil, err
		}
	}
	o := r.outcome(ctx)
	if !o.Cut && len(o.Failed) == 0 {
		for here := range r.heres {
			if err := os.RemoveAll(here); err != nil {
				return nil, err
			}
		}
	}
	return o, nil
}

// WriteScripts writes the scripts of all arrays with the usual limits. It submits nothing.
func WriteScripts(to io.Writer, w *Work) error {
	r := newRunner(w)
	for i, a := range arrays(pack(r.units, w.Settings.ArrayParallelism), arrayUsual) {
		name := fmt.Sprintf("%s-%d", w.Name, i)
		units := 0
		for _, t := range a.tasks {
			units += len(t.units)
		}
		text := w.script(a, name, filepath.Join(w.Folder, name))
		of := traces.Plural(uint64(len(a.tasks)), "task", "tasks") + " for " + traces.Plural(uint64(units), "point", "points")
		if _, err := fmt.Fprintf(to, "%s# %s\n\n", text, of); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) outcome(ctx context.Context) *Outcome {
	o := &Outcome{Cut: ctx.Err() != nil}
	for _, u := range r.units {
		if u.failed != "" {
			o.Failed = append(o.Failed, Failure{u.Key, u.failed})
		}
	}
	if o.Cut {
		for job := range r.jobs {
			o.Jobs = append(o.Jobs, job)
		}
		slices.Sort(o.Jobs)
	}
	return o
}

func (r *runner) waiting() (units []*unit) {
	for _, u := range r.units {
		if r.waits[u] {
			units = append(units, u)
		}
	}
	return units
}

func (r *runner) send(ctx context.Context) error {
	tasks := pack(r.waiting(), r.Settings.ArrayParallelism)
	for most := r.arrayMax; len(tasks) > 0; {
		a := arrays(tasks, most)[0]
		if r.timeMax > 0 {
			a.limit = min(a.limit, r.timeMax)
		}
		err := r.submit(ctx, a)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			tasks = slices.DeleteFunc(tasks, func(t *task) bool { return slices.Contains(a.tasks, t) })
		case full(err) && most > 1:
			most = min(most, len(a.tasks)+1) / 2
		case full(err) && len(r.sent) > 0:
			return nil
		default:
			return &input.Error{Place: place, Reason: "sbatch: " + err.Error(),
				Remedy: "change the keys under slurm: in the file; --dry-run shows the script"}
		}
	}
	return nil
}

func (r *runner) submit(ctx context.Context, a *array) error {
	name := r.Name + "-" + rand.Text()[:10]
	here := filepath.Join(r.Folder, name)
	path, err := r.write(a, name, here)
	if err == nil {
		err = a.keep(here)
	}
	if err != nil {
		return err
	}
	// an interruption waits for the answer, so that it is known whether an array was submitted
	text, err := ask(context.WithoutCancel(ctx), "sbatch", "--parsable", path)
	if err != nil {
		return errors.Join(err, os.RemoveAll(here))
	}
	job, _, _ := strings.Cut(strings.TrimSpace(text), ";")
	r.jobs[job], r.heres[here] = true, true
	for i, t := range a.tasks {
		r.sent[taskID{name, i}] = &sent{task: t, here: here}
		for _, u := range t.units {
			delete(r.waits, u)
		}
	}
	return nil
}

func (r *runner) sleep(ctx context.Context) {
	timer := time.NewTimer(min(max(time.Since(r.begun)/pollPart, pollFirst), pollLast))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

func (r *runner) look(ctx context.Context) error {
	queue, err := r.queue(ctx)
	if err != nil {
		return nil // without an answer, the next poll asks again
	}
	p := Progress{Units: len(r.units)}
	for id, s := range r.sent {
		q := queue[id]
		if !q.over() {
			s.gone = time.Time{}
			if q.state == "PENDING" {
				p.Waiting, p.Why = p.Waiting+1, q.reason
			} else {
				p.Running++
			}
			continue
		}
		if err := r.take(id, s, q); err != nil {
			return err
		}
	}
	p.Done = r.done
	if r.Told != nil {
		r.Told(p)
	}
	return nil
}

func (r *runner) take(id taskID, s *sent, q queued) error {
	var missing []*unit
	for _, u := range s.units {
		done, err := r.Done(u.Key)
		if err != nil {
			return err
		}
		if !done {
			missing = append(missing, u)
		}
	}
	e, begun := readEnded(s.here, id.number)
	if s.gone.IsZero() {
		s.gone = time.Now()
	}
	if len(missing) > 0 && (q.state == "" || q.state == "COMPLETED") && time.Since(s.gone) < settles {
		return nil
	}
	delete(r.sent, id)
	r.done += len(s.units) - len(missing)
	late := q.state == "TIMEOUT" || q.state == "" && begun && e.atLimit(s.limit)
	for _, u := range missing {
		u.again(s, q, late, r.timeMax, r.why(id, s, q, e, late))
		if u.failed == "" {
			r.waits[u] = true
		}
	}
	return r.note(id, s, q, e, len(missing))
}

func (u *unit) again(s *sent, q queued, late bool, timeMax time.Duration, why string) {
	if late {
		u.limit = 2 * s.limit
		if len(s.units) == 1 && timeMax > 0 && s.limit >= timeMax || u.limit > rounded(limitOf(u.Time))<<longestMost {
			u.failed = why
		}
		return
	}
	if q.state == "OUT_OF_MEMORY" {
		u.Memory *= 2
	}
	u.alone = len(s.units) > 1 || u.alone
	if u.tries++; u.tries >= triesMost {
		u.failed = why
	}
}

func (r *runner) why(id taskID, s *sent, q queued, e ended, late bool) string {
	log := filepath.Join(s.here, fmt.Sprintf("%d.log", id.number))
	text := "its task has ended without results"
	switch {
	case late:
		text = fmt.Sprintf("its task had %s, the largest possible limit, and did not finish", minutes(s.limit))
	case e.end != 0:
		text = fmt.Sprintf("its task has ended with status %d", e.status)
	case q.state != "":
		text = "its task has ended: " + strings.ToLower(q.state)
	}
	if data, err := os.ReadFile(log); err == nil && len(strings.TrimSpace(string(data))) > 0 {
		text += ": " + outcome.LastLine(string(data))
	}
	return text + " (" + log + ")"
}

// note adds a line to the log. Only the log contains the times and hosts of tasks.
func (r *runner) note(id taskID, s *sent, q queued, e ended, missing int) error {
	_, known := os.Stat(r.log)
	file, err := os.OpenFile(r.log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	at := func(seconds int64) string {
		if seconds == 0 {
			return ""
		}
		return time.Unix(seconds, 0).UTC().Format(time.RFC3339)
	}
	rows := [][]string{
		strings.Split("array,task,job,state,status,host,begun,ended,units,missing", ","),
		{id.array, strconv.Itoa(id.number), q.job, q.state, strconv.Itoa(e.status), e.host, at(e.begun), at(e.end),
			strconv.Itoa(len(s.units)), strconv.Itoa(missing)},
	}
	if known == nil {
		rows = rows[1:]
	}
	return errors.Join(input.NewCSVWriter(file).WriteAll(rows), file.Close())
}
