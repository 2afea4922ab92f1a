package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"time"

	"starloom/traces/input"
	"starloom/traces/input/strict"
)

const place = "--on slurm"

const arrayUsual = 1001

const answerTime = 2 * time.Minute

func ask(ctx context.Context, name string, words ...string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, answerTime)
	defer stop()
	command := exec.CommandContext(ctx, name, words...)
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	err := command.Run()
	if err == nil {
		return out.String(), nil
	}
	text := strings.TrimSpace(said.String())
	if text == "" {
		text = err.Error()
	}
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, head := range []string{name + ": ", "fatal: ", "error: "} {
			line = strings.TrimPrefix(line, head)
		}
		if line != "" && !strings.HasPrefix(line, "Try ") {
			lines = append(lines, line)
		}
	}
	return out.String(), errors.New(strings.Join(lines, "; "))
}

// Cluster is a Slurm cluster and its limits.
type Cluster struct {
	settings *Settings
	user     string
	arrayMax int           // largest number of tasks per array
	timeMax  time.Duration // time limit of a job in the partition; 0 for none
	memory   uint64        // bytes of the largest node
}

// Open connects to the cluster. It returns an error if Slurm is missing or does not answer, or if the partition does
// not exist.
func Open(ctx context.Context, s *Settings) (*Cluster, error) {
	for _, tool := range []string{"sbatch", "squeue", "sinfo", "scontrol"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, &input.Error{Place: place, Reason: "there is no command " + tool,
				Remedy: "run it on a host that submits jobs, with Slurm's commands on the path; --dry-run shows the script " +
					"without " +
					"them, --on local needs none"}
		}
	}
	text, err := ask(ctx, "scontrol", "show", "config")
	if err != nil {
		return nil, silent(err, "try 'scontrol ping'; SLURM_CONF names its configuration")
	}
	c := &Cluster{settings: s, arrayMax: arrayUsual}
	if n, err := strconv.Atoi(configured(text, "MaxArraySize")); err == nil {
		c.arrayMax = n
	}
	if n, err := strconv.Atoi(configured(text, "MaxJobCount")); err == nil {
		c.arrayMax = min(c.arrayMax, n)
	}
	if c.arrayMax < 1 {
		return nil, input.Mistake(place, "this cluster accepts no job arrays: its MaxArraySize is 0",
			"ask its administrator for arrays, or run it --on local")
	}
	me, err := user.Current()
	if err != nil {
		return nil, input.Mistake(place, err.Error(), "run it as a user that the system knows")
	}
	c.user = me.Username
	return c, c.findPartition(ctx)
}

func silent(err error, remedy string) error {
	return input.Mistake(place, "Slurm does not answer: "+err.Error(), remedy)
}

func configured(text, key string) string {
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (c *Cluster) findPartition(ctx context.Context) error {
	text, err := ask(ctx, "sinfo", "--noheader", "--all", "--format=%P|%l|%m")
	if err != nil {
		return silent(err, "try 'sinfo'")
	}
	var names []string
	found := false
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 3 {
			continue
		}
		name, standard := strings.CutSuffix(cells[0], "*")
		names = append(names, name)
		if name != c.settings.Partition && (c.settings.Partition != "" || !standard) {
			continue
		}
		found, c.timeMax = true, max(c.timeMax, timeOf(cells[1]))
		if megabytes, err := strconv.ParseUint(strings.TrimSuffix(cells[2], "+"), 10, 40); err == nil {
			c.memory = max(c.memory, megabytes<<20)
		}
	}
	switch {
	case found:
	case c.settings.Partition == "":
		return input.Mistake(place, "this cluster has no default partition",
			"write slurm: {partition: ...}: one of "+strings.Join(names, ", "))
	default:
		return &input.Error{Place: c.settings.at("partition"),
			Reason: fmt.Sprintf("there is no partition %q", strict.Clip(c.settings.Partition)),
			Remedy: input.DidYouMean(c.settings.Partition, names, "there are "+strings.Join(names, ", "))}
	}
	return nil
}

func (c *Cluster) fits(w *Work) error {
	for i := range w.Units {
		if u := &w.Units[i]; c.memory > 0 && asked(u.Memory) > c.memory {
			return &input.Error{Place: place, Remedy: "use a partition with more memory, or a smaller network",
				Reason: fmt.Sprintf("%s takes about %d MiB of memory, but the largest node of the partition has %d MiB", u.Name,
					asked(u.Memory)>>20, c.memory>>20)}
		}
	}
	return nil
}

func (s *Settings) at(key string) string {
	if at := s.places["slurm."+key]; at != "" {
		return at
	}
	return place
}

func timeOf(text string) time.Duration {
	days, rest, ok := strings.Cut(text, "-")
	if !ok {
		days, rest = "0", text
	}
	parts := strings.Split(rest, ":")
	var total time.Duration
	units := []time.Duration{time.Minute}
	switch {
	case ok:
		units = []time.Duration{time.Hour, time.Minute, time.Second}
	case len(parts) == 2:
		units = []time.Duration{time.Minute, time.Second}
	case len(parts) == 3:
		units = []time.Duration{time.Hour, time.Minute, time.Second}
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || i >= len(units) {
			return 0
		}
		total += time.Duration(n) * units[i]
	}
	n, err := strconv.Atoi(days)
	if err != nil {
		return 0
	}
	return total + time.Duration(n)*24*time.Hour
}

type queued struct {
	job    string // number of the array
	state  string // PENDING, RUNNING, TIMEOUT, ...
	reason string
}

func (c *Cluster) queue(ctx context.Context) (map[taskID]queued, error) {
	text, err := ask(ctx, "squeue", "--noheader", "--array", "--states=all", "--user="+c.user, "--format=%j|%K|%F|%T|%r")
	if err != nil {
		return nil, err
	}
	all := map[taskID]queued{}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 5 {
			continue
		}
		if n, err := strconv.Atoi(cells[1]); err == nil {
			all[taskID{cells[0], n}] = queued{cells[2], cells[3], cells[4]}
		}
	}
	return all, nil
}

func (q queued) over() bool {
	switch q.state {
	case "", "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE",
		"OUT_OF_MEMORY", "REVOKED", "SPECIAL_EXIT":
		return true
	}
	return false
}

func full(err error) bool {
	text := err.Error()
	for _, sign := range []string{"SubmitJob", "MaxSubmit", "temporarily unable", "job count", "Resource temporarily"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}
