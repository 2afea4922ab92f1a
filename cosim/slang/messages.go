package slang

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
)

// message matches a line of slang, which names files relative to the root folder.
var (
	message = regexp.MustCompile(`(?m)^(.+):(\d+):(\d+): (error|note): (.*)$`)
	check   = regexp.MustCompile(`^unsupported system task '(\$(?:fatal|error|warning|info|finish|stop))'$`)
	failure = regexp.MustCompile(`(?m)^ERROR: (.*)$`)
)

// messages returns slang's errors and notes: the whole line, file, line, column, kind and text.
func messages(log string) [][]string {
	all := message.FindAllStringSubmatch(log, -1)
	for _, found := range all {
		if !strings.HasPrefix(found[1], "<") { // <command-line>
			found[1] = filepath.Join("/", found[1])
		}
	}
	return all
}

// refused returns the first error of a log as an error with its place.
func refused(ctx context.Context, s *cosim.Source, log string, err error) error {
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	const remedy = "nothing else depends on slang: go on without it"
	for _, found := range messages(log) {
		if found[4] == "error" {
			return &cosim.InputError{Place: strings.Join(found[1:4], ":"), Reason: "slang: " + found[5], Remedy: remedy}
		}
	}
	reason := fmt.Sprintf("it does not end as it must: %v", cosim.OneLine([]byte(err.Error())))
	if found := failure.FindStringSubmatch(log); found != nil {
		reason = found[1]
	}
	return &cosim.InputError{Place: s.Name(), Reason: "Yosys with slang: " + reason, Remedy: remedy}
}

// A task is a call of a system task at a place of a source.
type task struct {
	file         string
	line, column int
	name         string
}

// unsupported returns the checks in processes, such as $fatal, that slang rejects. It returns nil if the log has other
// errors, too.
func unsupported(log string) (tasks []task) {
	for _, found := range messages(log) {
		line, _ := strconv.Atoi(found[2])
		column, _ := strconv.Atoi(found[3])
		name := check.FindStringSubmatch(found[5])
		switch {
		case name != nil:
			tasks = append(tasks, task{found[1], line, column, name[1]})
		case found[4] == "error" || len(tasks) == 0:
			return nil
		case strings.HasPrefix(found[5], "expanded from macro"):
			last := &tasks[len(tasks)-1]
			last.file, last.line, last.column = found[1], line, column
		}
	}
	slices.SortFunc(tasks, func(a, b task) int {
		return cmp.Or(strings.Compare(a.file, b.file), a.line-b.line, b.column-a.column)
	})
	return slices.Compact(tasks)
}

// mute returns the files with $display in place of the checks that slang rejected, as copies in dir. It returns nil if
// the log has other errors, or if a check is in an included file.
func mute(files []string, dir, log string) (muted []string, err error) {
	texts := map[string][]string{}
	for _, t := range unsupported(log) {
		if !slices.Contains(files, t.file) {
			return nil, nil
		}
		if texts[t.file] == nil {
			text, err := os.ReadFile(t.file)
			if err != nil {
				return nil, err
			}
			texts[t.file] = strings.SplitAfter(string(text), "\n")
		}
		if t.line > len(texts[t.file]) {
			return nil, nil
		}
		line := &texts[t.file][t.line-1]
		if t.column > len(*line) || !strings.HasPrefix((*line)[t.column-1:], t.name) {
			return nil, nil
		}
		*line = (*line)[:t.column-1] + "$display" + (*line)[t.column-1+len(t.name):]
	}
	if len(texts) == 0 {
		return nil, nil
	}
	muted = slices.Clone(files)
	for i, file := range files {
		if texts[file] == nil {
			continue
		}
		muted[i] = filepath.Join(dir, fmt.Sprintf("%d-%s", i, filepath.Base(file)))
		if err := os.WriteFile(muted[i], []byte(strings.Join(texts[file], "")), 0o644); err != nil {
			return nil, err
		}
	}
	return muted, nil
}
