package slurm

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A taskID identifies a task by the unique name of its array and its number in the array.
type taskID struct {
	array  string
	number int
}

type sent struct {
	*task
	here string
	gone time.Time // time at which the task was first missing in the queue, zero before
}

// record describes an array. It is stored before the array is submitted, so that a later call finds the tasks.
type record struct {
	Limit  time.Duration `json:"limit_ns"`
	Memory uint64        `json:"memory_bytes"`
	Tasks  [][]string    `json:"tasks"` // keys of the units of each task
}

const recordName = "array.json"

func (a *array) keep(here string) error {
	r := record{Limit: a.limit, Memory: a.memory}
	for _, t := range a.tasks {
		var keys []string
		for _, u := range t.units {
			keys = append(keys, u.Key)
		}
		r.Tasks = append(r.Tasks, keys)
	}
	data, err := json.Marshal(r)
	if err == nil {
		err = WriteFile(filepath.Join(here, recordName), string(data)+"\n")
	}
	return err
}

func (r *runner) adopt(queue map[taskID]queued) {
	paths, err := filepath.Glob(filepath.Join(globbed(r.Folder), "*", recordName))
	if err != nil {
		return
	}
	for _, path := range paths {
		var kept record
		data, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(data, &kept) != nil {
			continue
		}
		here := filepath.Dir(path)
		for i, keys := range kept.Tasks {
			id := taskID{filepath.Base(here), i}
			if q, ok := queue[id]; !ok || q.over() {
				continue
			}
			t := &task{limit: kept.Limit, memory: kept.Memory}
			for _, key := range keys {
				if u := r.byKey[key]; u != nil && r.waits[u] {
					delete(r.waits, u)
					t.units = append(t.units, u)
				}
			}
			if len(t.units) > 0 {
				r.sent[id] = &sent{task: t, here: here}
				r.jobs[queue[id].job], r.heres[here] = true, true
			}
		}
	}
}

func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

type ended struct {
	host       string
	begun, end int64 // seconds since 1970; end is 0 if the task has not reported its end
	status     int
}

func readEnded(here string, number int) (e ended, ok bool) {
	path := filepath.Join(here, strconv.Itoa(number))
	if data, err := os.ReadFile(path + ".ended"); err == nil {
		if _, err := fmt.Sscan(string(data), &e.host, &e.begun, &e.end, &e.status); err == nil {
			return e, true
		}
	}
	data, err := os.ReadFile(path + ".began")
	if err != nil {
		return e, false
	}
	_, err = fmt.Sscan(string(data), &e.host, &e.begun)
	return e, err == nil
}

// atLimit reports whether a task that has begun and left the queue was killed at its time limit. Such a task has not
// reported its end, or its script has reported the end after the command was killed.
func (e ended) atLimit(limit time.Duration) bool {
	if e.end == 0 {
		return time.Since(time.Unix(e.begun, 0)) >= limit
	}
	return e.status != 0 && time.Duration(e.end-e.begun)*time.Second >= limit
}
