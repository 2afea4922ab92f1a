package icarus

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
)

type systemTasks struct {
	data     map[string]string // source that reads each $readmem file, by file name
	warnings []cosim.Warning   // warnings about tasks with file access
}

var (
	// designCall matches a call of a system task: file index, line, name, arguments.
	designCall = regexp.MustCompile(
		`(?m)^ *%vpi_(?:call|func)\S* (\d+) (\d+) "(\$\w+)"(?: \d+)?(?:, ("(?:[^"\\]|\\.)*"|[^, ]+))?`)
	designText      = regexp.MustCompile(`(?m)^(P_0x[0-9a-f]+) \.param/str "[^"]*" \d+ \d+ \d+, ("(?:[^"\\]|\\.)*");`)
	designFileNames = regexp.MustCompile(`(?m)^:file_names \d+;\n((?: *"(?:[^"\\]|\\.)*";\n)*)`)
	designError     = regexp.MustCompile(`(?m)^( *%vpi_call\S* \d+ \d+ )"\$error"(,?)`)
)

// readDesign reads a design compiled by iverilog and changes $error to $fatal, which ends the simulation.
func readDesign(path string) (*systemTasks, error) {
	design, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := &systemTasks{data: map[string]string{}}
	texts := map[string]string{}
	for _, text := range designText.FindAllSubmatch(design, -1) {
		texts[string(text[1])] = string(text[2])
	}
	var files []string
	if table := designFileNames.FindSubmatch(design); table != nil {
		for line := range strings.Lines(string(table[1])) {
			name, _ := strconv.Unquote(strings.TrimSuffix(strings.TrimSpace(line), ";"))
			files = append(files, name)
		}
	}
	for _, call := range designCall.FindAllSubmatch(design, -1) {
		index, _ := strconv.Atoi(string(call[1]))
		task, argument, file := string(call[3]), string(call[4]), ""
		if index < len(files) {
			file = files[index]
		}
		place := file + ":" + string(call[2])
		switch {
		case task == "$readmemh" || task == "$readmemb":
			if text, ok := texts[argument]; ok {
				argument = text
			}
			name, err := strconv.Unquote(argument)
			if err != nil {
				return nil, &cosim.InputError{
					Place:  place,
					Reason: task + " reads a file whose name is not a constant",
					Remedy: "write the name as a string or a parameter, so that the file can be found",
				}
			}
			name = strings.TrimLeft(name, "\x00")
			if _, ok := d.data[name]; !ok {
				d.data[name] = file
			}
		case slices.Contains(fileTasks, task):
			if w := (cosim.Warning{Code: task, Place: place, Text: textFiles}); !slices.Contains(d.warnings, w) {
				d.warnings = append(d.warnings, w)
			}
		}
	}
	if !designError.Match(design) {
		return d, nil
	}
	design = designError.ReplaceAllFunc(design, func(call []byte) []byte {
		fatal := bytes.Replace(call, []byte(`"$error"`), []byte(`"$fatal"`), 1)
		if bytes.HasSuffix(fatal, []byte(",")) {
			fatal = append(fatal, " 32'sb00000000000000000000000000000001,"...)
		}
		return fatal
	})
	return d, os.WriteFile(path, design, 0o644)
}

// furnish creates the folder of a simulation inside root, with copies of the $readmem files at the paths used by the
// design. It returns the path of the folder.
func (d *systemTasks) furnish(source *cosim.Source, root string) (string, error) {
	up := 0 // number of parent folders in the names
	names := slices.Sorted(maps.Keys(d.data))
	for _, name := range names {
		if clean := filepath.Clean(name); !filepath.IsAbs(name) {
			for rest, ok := strings.CutPrefix(clean, "../"); ok; rest, ok = strings.CutPrefix(rest, "../") {
				up++
			}
		}
	}
	folder := filepath.Join(root, "run")
	for range up {
		folder = filepath.Join(folder, "run")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	for _, name := range names {
		path, err := source.FindData(name, d.data[name])
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(name) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return "", &cosim.InputError{
				Place:  path,
				Reason: fmt.Sprintf("$readmem cannot read it: %v", cosim.Reason(err)),
				Remedy: "give a file that can be read",
			}
		}
		to := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, text, 0o600)); err != nil {
			return "", err
		}
	}
	return folder, nil
}

func (d *systemTasks) keeps() bool { return len(d.data)+len(d.warnings) > 0 }

var fileTasks = []string{
	"$fopen", "$fopena", "$fopenr", "$fopenw", "$system", "$writememh", "$writememb", "$dumpfile",
	"$dumpvars", "$sdf_annotate",
}

const textFiles = "Icarus is not a sandbox: it runs in an empty temporary folder, which is deleted with everything " +
	"written there; " +
	"other folders are open to it"
