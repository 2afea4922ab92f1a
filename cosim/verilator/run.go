package verilator

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"starloom/cosim"
)

var (
	verilatorTool = cosim.Tool{Command: "verilator", Packages: "verilator", VersionOption: "--version"}
	clangTool     = cosim.Tool{Command: "clang++", Packages: "clang", VersionOption: "--version"}
	gccTool       = cosim.Tool{Command: "g++", Packages: "g++", VersionOption: "--version"}
	linkerTool    = cosim.Tool{Command: "wasm-ld", Packages: "lld", VersionOption: "--version"}
	ghdlTool      = cosim.Tool{Command: "ghdl", Packages: "ghdl", VersionOption: "--version"}
)

// arguments are those that discovery and translation share.
func (b *builder) arguments() []string {
	top := b.Top
	if b.VHDL() {
		top = b.vhdlTop
	}
	args := []string{"--top-module", top}
	for _, dir := range b.IncludeDirs {
		args = append(args, "-I"+dir)
	}
	for _, name := range slices.Sorted(maps.Keys(b.Defines)) {
		define := "-D" + name
		if value := b.Defines[name]; value != "" {
			define += "=" + value
		}
		args = append(args, define)
	}
	for _, name := range slices.Sorted(maps.Keys(b.Params)) {
		if !b.VHDL() { // ghdl has seen to them
			args = append(args, "-G"+name+"="+b.Params[name])
		}
	}
	return append(args, b.verilogFiles()...)
}

// verilogFiles are the names as Verilator gets them: an option is not a file.
func (b *builder) verilogFiles() []string {
	if b.VHDL() {
		return []string{b.vhdlTop + ".v"}
	}
	files := make([]string, len(b.Files))
	for i, file := range b.Files {
		if strings.HasPrefix(file, "-") || strings.HasPrefix(file, "+") {
			file = "./" + file
		}
		files[i] = file
	}
	return files
}

// verilate runs Verilator; what it says against a source becomes an error.
func (b *builder) verilate(args ...string) (said []byte, err error) {
	c := cosim.Command(b, b.hdlDir, verilatorTool.Command, append(args, b.arguments()...)...)
	said, err = c.CombinedOutput()
	if stop := cosim.Stopped(b, verilatorTool.Command, b.Name(), err); stop != nil {
		return nil, stop
	}
	if err != nil {
		return nil, b.refusal(said, err)
	}
	return said, nil
}

// note keeps the warnings of a translation that matter: discovery does not see all.
func (b *builder) note(said []byte) {
	b.description.Warnings = append(relativePlaces(weightyWarnings(string(said)), b.work), b.design.io...)
	if b.description.Warnings == nil {
		b.description.Warnings = []cosim.Warning{}
	}
}

// lint finds the warnings without a translation.
func (b *builder) lint() error {
	said, err := b.verilate("--lint-only", "--no-timing", "-Wno-fatal", "--assert", "-Wwarn-UNDRIVEN", "-Wwarn-ASSIGNDLY", "--Mdir", b.work)
	if err == nil {
		b.note(said)
	}
	return err
}

// warn passes on what a tool says of a source that it accepts.
func (b *builder) warn(said []byte) error {
	said = bytes.ReplaceAll(said, []byte(b.work+string(filepath.Separator)), nil)
	b.said = append(b.said, said...)
	if b.options.Warnings == nil || len(said) == 0 {
		return nil
	}
	_, err := b.options.Warnings.Write(said)
	return err
}

var (
	toolMessage    = regexp.MustCompile(`^%Error(?:-(\w+))?: (?:(\S.*?:\d+:\d+): )?(.*)`)
	toolCrash      = regexp.MustCompile(`(?m)^%Error: (?:Verilator (?:threw signal|aborted|internal fault)|Command Failed|Internal Error|.*: Internal Error)`)
	crashPlace     = regexp.MustCompile(`(?m)^%Error: Internal Error: (\S.*?:\d+:\d+): (?:\S+:\d+: )?(.*)`)
	moduleOfSource = regexp.MustCompile(`(?m)^\s*(?:module|entity)\s+(?:automatic\s+|static\s+)?(\w+)`)
)

// refusal makes an error of Verilator's first message that has a place, or of its
// first one. After a mistake in the source Verilator may crash: then the mistake counts, and if it
// names none, the place in the source where it was.
func (b *builder) refusal(said []byte, err error) error {
	var first *cosim.InputError
	messages := uint64(0)
	for line := range strings.Lines(string(said)) {
		line = strings.TrimRight(line, "\n")
		found := toolMessage.FindStringSubmatch(line)
		if found == nil || strings.HasPrefix(found[3], "Exiting due to") || strings.HasPrefix(found[3], "This may be because") || toolCrash.MatchString(line) {
			continue
		}
		messages++
		if first == nil || first.Place == "" && found[2] != "" {
			first = b.explain(found[2], found[3])
		}
	}
	crash := toolCrash.Match(said)
	at := crashPlace.FindStringSubmatch(string(said))
	switch {
	case first != nil && (first.Place != "" || !crash):
	case at != nil:
		return &cosim.InputError{
			Place:  at[1],
			Reason: "verilator gives up here: " + at[2],
			Remedy: "correct what stands there, or write it in another way",
		}
	case crash:
		return &cosim.ToolError{
			Tool:   verilatorTool.Command,
			Place:  b.Name(),
			Reason: "ends with a fault of its own: " + cosim.OneLine(said),
			Remedy: cosim.RemedyTool,
			Err:    err,
		}
	case first == nil:
		return &cosim.InputError{
			Place:  b.Files[0],
			Reason: fmt.Sprintf("verilator ends with %v: %s", err, cosim.OneLine(said)),
			Remedy: "see whether `verilator --lint-only` accepts the source",
		}
	}
	if first.Place == "" {
		first.Place = b.Files[0]
	}
	if messages > 1 {
		first.Reason += fmt.Sprintf(" (and %s)", cosim.Count(messages-1, "more error"))
	}
	return first
}

// explain says what a message of Verilator means and what helps.
func (b *builder) explain(place, message string) *cosim.InputError {
	has := func(text string) bool { return strings.Contains(message, text) }
	switch {
	case has("--top-module"):
		return &cosim.InputError{
			Place:  place,
			Reason: "there is no module " + b.Top,
			Remedy: "the modules are " + strings.Join(b.modules(), ", "),
		}
	case has("Parameters from the command line"):
		_, names, _ := strings.Cut(message, "design: ")
		return &cosim.InputError{
			Place:  place,
			Reason: fmt.Sprintf("module %s has no parameter %s", b.Top, names),
			Remedy: "its parameters are " + strings.Join(b.parameters(), ", "),
		}
	case has("interface is not found"):
		return &cosim.InputError{Place: place, Reason: message, Remedy: "connect an instance of the interface to this port"}
	case has("Interfaced port"):
		return &cosim.InputError{Place: place, Reason: "the top module has a port that is an interface", Remedy: remedyWrapper}
	case has("Cannot find include file"):
		return &cosim.InputError{Place: place, Reason: message, Remedy: "name its directory with -I"}
	case has("Cannot find file containing module"):
		return &cosim.InputError{Place: place, Reason: message, Remedy: "add the file of this module to the sources, or its directory with -I"}
	case has("--xml-only"):
		return &cosim.InputError{
			Place:  verilatorTool.Command,
			Reason: "does not write XML: " + message,
			Remedy: "install a version from 5.006 on that does, such as Debian's",
		}
	case has("timing"), has("delay"):
		return &cosim.InputError{
			Place:  place,
			Reason: message,
			Remedy: "put the part with delays and waits into a test bench; what is built has clocks only",
		}
	}
	return &cosim.InputError{Place: place, Reason: message, Remedy: "correct the source until `verilator --lint-only` accepts it"}
}

const remedyWrapper = "flatten it in a wrapper: a module with plain packed inputs and outputs, which contains this one"

// modules lists the modules of the sources in the order of the text.
func (b *builder) modules() []string {
	var names []string
	for _, file := range b.Files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for _, found := range moduleOfSource.FindAllSubmatch(text, -1) {
			names = append(names, string(found[1]))
		}
	}
	if len(names) == 0 {
		return []string{"none"}
	}
	return names
}

// parameters lists the top module's parameters.
func (b *builder) parameters() []string {
	plain := *b.Source
	plain.Params, plain.Clocks = nil, nil
	again := *b
	again.Source = &plain
	again.options = &cosim.BuildOptions{}
	if err := again.readDesign(); err != nil || len(again.design.params) == 0 {
		return []string{"none"}
	}
	return slices.Sorted(maps.Keys(again.design.params))
}

// eachGlueFile calls do with the files below glue, in the order of their names.
func eachGlueFile(do func(name string, text []byte) error) error {
	return fs.WalkDir(cosim.Glue, "glue", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := cosim.Glue.ReadFile(path)
		if err != nil {
			return err
		}
		return do(strings.TrimPrefix(path, "glue/"), text)
	})
}

// compileFlags are the compiler's for everything that goes into the result.
func (b *builder) compileFlags() []string {
	return slices.Concat(commonFlags, b.target.compile)
}

// compile writes the result to path.
func (b *builder) compile(path string) error {
	if err := eachGlueFile(func(name string, text []byte) error {
		to := filepath.Join(b.work, name)
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o644))
	}); err != nil {
		return err
	}
	b.options.Step("verilator translates " + b.Top)
	translated := filepath.Join(b.work, "verilated")
	said, err := b.verilate(append([]string{"--Mdir", translated}, translationFlags...)...)
	if err != nil {
		return err
	}
	b.note(said)
	if err := b.writeModel(translated); err != nil {
		return err
	}
	objects, include, err := b.runtime()
	if err != nil {
		return err
	}
	b.options.Step(b.target.compiler.Command + " compiles " + b.Top)
	object := filepath.Join(b.work, "glue.o")
	if err := b.compilesDesign(include, object); err != nil {
		return err
	}
	if err := b.link(path, append([]string{object}, objects...)...); err != nil {
		return err
	}
	if b.target.ending != wasmTarget.ending {
		return nil
	}
	return b.description.attach(path)
}

// schedulerLoop is a loop of Verilator's own in its C++.
var schedulerLoop = regexp.MustCompile(`(?m)^( *)while( \((?:vlSelf->)?__V\w+Continue\) \{)$`)

// writeModel writes the two generated headers: all of Verilator's output in one
// unit, and the ports.
func (b *builder) writeModel(translated string) error {
	sources, err := filepath.Glob(filepath.Join(translated, "*.cpp"))
	if err != nil {
		return err
	}
	var model strings.Builder
	model.WriteString("#include \"Vdut.h\"\n#include \"Vdut__Syms.h\"\n")
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		text = schedulerLoop.ReplaceAll(text, []byte("${1}SL_SCHEDULER$2"))
		if err := os.WriteFile(source, text, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&model, "#include %q\n", filepath.Base(source))
	}
	header, err := os.ReadFile(filepath.Join(translated, "Vdut.h"))
	if err != nil {
		return err
	}
	members, err := b.members(header)
	if err != nil {
		return err
	}
	root, err := os.ReadFile(filepath.Join(translated, "Vdut___024root.h"))
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(b.work, "model.h"), []byte(model.String()), 0o644),
		os.WriteFile(filepath.Join(b.work, "ports.h"), []byte(b.portsHeader(members, string(root))), 0o644),
	)
}

// runtime returns Verilator's own library, compiled once for all designs, and the
// options that find its headers.
func (b *builder) runtime() (objects []string, include []string, err error) {
	root, err := b.verilatorInclude()
	if err != nil {
		return nil, nil, err
	}
	include = []string{"-I" + root, "-I" + filepath.Join(root, "vltstd")}
	for _, unit := range []string{"verilated.cpp", "verilated_threads.cpp"} {
		source := filepath.Join(root, unit)
		text, err := os.ReadFile(source)
		if err != nil {
			return nil, nil, &cosim.InputError{
				Place:  source,
				Reason: fmt.Sprintf("Verilator's library is not complete: %v", cosim.Reason(err)),
				Remedy: "install the Debian package verilator again",
			}
		}
		name := "runtime-" + b.runtimeHash(text) + "-" + strings.TrimSuffix(unit, ".cpp") + ".o"
		object, err := b.cache.Take(name, func(path string) error {
			b.options.Step(b.target.compiler.Command + " compiles Verilator's library, which happens once")
			return b.compilesIn(b.work, nil, append(slices.Clone(include), "-ffile-prefix-map="+root+"/=", "-c", source, "-o", path)...)
		})
		if err != nil {
			return nil, nil, err
		}
		objects = append(objects, object)
	}
	return objects, include, nil
}

// foundIncludes holds where Verilator's headers are, by its path and version.
var foundIncludes sync.Map

// verilatorInclude asks Verilator where its headers and the text of its library are.
func (b *builder) verilatorInclude() (string, error) {
	if known, ok := foundIncludes.Load(b.tools[0]); ok {
		return known.(string), nil
	}
	out, err := cosim.Command(b, "", verilatorTool.Command, "--getenv", "VERILATOR_ROOT").Output()
	if stop := cosim.Stopped(b, verilatorTool.Command, "--getenv VERILATOR_ROOT", err); stop != nil {
		return "", stop
	}
	if err != nil {
		return "", &cosim.ToolError{
			Tool:   verilatorTool.Command,
			Place:  "--getenv VERILATOR_ROOT",
			Reason: err.Error(),
			Remedy: "install the Debian package verilator again",
			Err:    err,
		}
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "include")
	foundIncludes.Store(b.tools[0], root)
	return root, nil
}

// link makes the result of objects.
func (b *builder) link(path string, objects ...string) error {
	args := slices.Concat(b.target.link, b.libraries.before, objects, b.libraries.after, []string{"-o", path})
	said, err := cosim.Command(b, b.work, b.target.linker.Command, args...).CombinedOutput()
	return b.compilerError(b.target.linker.Command, said, err)
}

var undefinedSymbol = regexp.MustCompile(`undefined (?:symbol|reference to)[: ]+[\x60']?(\w+)`)

// compilerMessage is the first error of clang or gcc: its place in the C++, or in the
// RTL where Verilator names that, and its text.
var compilerMessage = regexp.MustCompile(`(?m)^(\S+?:\d+(?::\d+)?): (?:fatal )?error: (.*)$`)

// compilerError explains why clang or the linker gives up; nil if they do not.
func (b *builder) compilerError(tool string, said []byte, err error) error {
	if err == nil {
		return nil
	}
	if stop := cosim.Stopped(b, tool, b.Name(), err); stop != nil {
		return stop
	}
	text := string(said)
	switch {
	case strings.Contains(text, "file not found") && b.target.ending == wasmTarget.ending,
		strings.Contains(text, "cannot open") && b.target.ending == wasmTarget.ending:
		return &cosim.InputError{
			Place:  clangTool.Command,
			Reason: "cannot compile C++ for WebAssembly: " + cosim.OneLine(said),
			Remedy: remedyWasi,
		}
	case undefinedSymbol.MatchString(text):
		return &cosim.InputError{Place: b.Files[0], Reason: "calls the function " + undefinedSymbol.FindStringSubmatch(text)[1] + ", which is not part of the design",
			Remedy: "replace functions that are imported through DPI by RTL"}
	}
	reason := cosim.OneLine(said)
	if found := compilerMessage.FindStringSubmatch(text); found != nil {
		reason = fmt.Sprintf("%s: %s", found[1], found[2])
	}
	return &cosim.ToolError{Tool: tool, Place: b.Name(), Reason: "does not compile the C++ that Verilator makes of it: " + reason,
		Remedy: "replace what leads there: C++ in $c, or a construct that this version of Verilator does not translate", Err: err}
}
