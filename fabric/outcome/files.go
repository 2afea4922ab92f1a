package outcome

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"text/tabwriter"
)

// OutputFile is an output of a run.
type OutputFile struct {
	Kind string // "vcd", "fst", "gtkw", "sucl", "pcapng", "lua", "json", "junit", "csv", "stats-csv", "log"
	Path string // path as given; "-" for standard output, "" for a writer
	Note string // reason for an empty file, otherwise ""

	Stream bool // standard output, a writer, a pipe or a device, which leaves no file
}

func writeFiles(b *bytes.Buffer, files []OutputFile) {
	files = slices.DeleteFunc(slices.Clone(files), func(f OutputFile) bool { return f.Path == "-" || f.Path == "" })
	if len(files) == 0 {
		return
	}
	path := map[string]string{}
	for _, file := range files {
		if !file.Stream {
			path[file.Kind] = ShellQuote(file.Path)
		}
	}
	b.WriteByte('\n')
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, file := range files {
		opener := ""
		switch {
		case file.Stream:
		case file.Kind == "vcd" || file.Kind == "fst":
			// the .gtkw file opens the waveform with the signals arranged
			if path["gtkw"] == "" {
				opener = "gtkwave " + path[file.Kind]
			}
		case file.Kind == "gtkw":
			opener = "gtkwave " + path["gtkw"]
		case file.Kind == "sucl":
			opener = "surfer --command-file " + path["sucl"] + " " + cmp.Or(path["vcd"], path["fst"])
		case file.Kind == "pcapng":
			opener = "tshark -t e -r " + path["pcapng"]
			if path["lua"] != "" {
				opener = "tshark -t e -X lua_script:" + path["lua"] + " -r " + path["pcapng"]
			}
		}
		line := file.Kind + "\t" + Printable(file.Path)
		if opener != "" {
			line += "\topen: " + opener
		}
		fmt.Fprintln(table, line)
	}
	table.Flush() // a bytes.Buffer never fails
}

const ownImage = "mine.wasm"

// SourceOf returns the command that writes a program's source, the name of the source file, and the command that
// builds it.
func SourceOf(program string) (write, file, build string) {
	file = "sdk/" + path.Base(program) + ".c"
	return "starloom firmware sdk sdk --program " + program, file, "starloom firmware build " + file + " -o " + ownImage
}

// WithOwn returns the command of a run with the user's firmware in place of a program.
func WithOwn(command, program string) string { return WithFirmware(command, program, ownImage) }

// WithFirmware returns the command of a run with another program or image in place of a program.
func WithFirmware(command, program, other string) string {
	return strings.Replace(command, " --firmware "+program, "", 1) + " --firmware " + other
}
