package slurm

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"starloom/fabric/outcome"
)

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
