package verilator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"starloom/cosim"
	"starloom/traces/input"
)

func (b *builder) arguments() []string {
	top := b.Top
	switch {
	case b.VHDL():
		top = b.vhdlTop
	case b.shell != nil:
		top = b.shell.top
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
		if !b.VHDL() && b.shell == nil { // otherwise GHDL or the shell sets the parameters
			args = append(args, "-G"+name+"="+b.Params[name])
		}
	}
	return append(args, b.verilogFiles()...)
}

// verilogFiles returns the file arguments. It puts ./ before a name that looks like an option.
func (b *builder) verilogFiles() []string {
	if b.VHDL() { // GHDL's names may be keywords of SystemVerilog
		return []string{"--default-language", "1364-2005", b.vhdlTop + ".v"}
	}
	files := make([]string, len(b.files))
	for i, file := range b.files {
		if strings.HasPrefix(file, "-") || strings.HasPrefix(file, "+") {
			file = "./" + file
		}
		files[i] = file
	}
	if b.shell != nil {
		files = append(files, b.shell.file)
	}
	return files
}

func (b *builder) verilate(args ...string) (said []byte, err error) {
	said, err = b.runVerilator(args...)
	if err != nil && dataFlowCrash.Match(said) {
		said, err = b.runVerilator(append(args, "-fno-dfg")...)
	}
	if err != nil {
		return nil, b.refusalUnlessStopped(said, err)
	}
	return said, nil
}

// dataFlowCrash matches a crash in Verilator's data-flow graph, for example at $countones(x) % 2. The data-flow graph
// is an optimisation that can be disabled.
var dataFlowCrash = regexp.MustCompile(`(?m)^%Error: Internal Error: .*V3Dfg\w*\.cpp:`)

func (b *builder) runVerilator(args ...string) (said []byte, err error) {
	said, err = cosim.Command(b, b.hdlDir, verilatorTool.Command, append(args, b.arguments()...)...).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL &&
		!exit.Exited() && b.Err() == nil {
		return fmt.Appendf(said, "%%Error: Verilator threw signal: %v\n", exit), errors.New(exit.Error())
	}
	return said, err
}

func (b *builder) refusalUnlessStopped(said []byte, err error) error {
	if stop := cosim.Stopped(b, verilatorTool.Command, b.Name(), err); stop != nil {
		return stop
	}
	var known *cosim.InputError
	if errors.As(err, &known) {
		return err
	}
	return b.refusal(said, err)
}

// note records the relevant warnings of translation and discovery. The data-flow optimiser detects several drivers of
// a bit. Discovery disables that optimiser, so the warnings of both are needed.
func (b *builder) note(said []byte) {
	found := relativePlaces(weightyWarnings(string(said)), b.work)
	for _, w := range weightyWarnings(string(b.said)) {
		if !slices.Contains(found, w) {
			found = append(found, w)
		}
	}
	if b.VHDL() {
		found = ofVHDL(found, b.vhdlTop+".v")
	}
	b.description.Warnings = append(found, slices.Concat(b.narrow, b.design.doubts)...)
	if b.description.Warnings == nil {
		b.description.Warnings = []cosim.Warning{}
	}
}

var statistics = regexp.MustCompile(`(?m)^- (?:V e r i l a t i o n|Verilator: ).*\n`)

func (b *builder) warn(said []byte) error {
	said = statistics.ReplaceAll(bytes.ReplaceAll(said, []byte(b.work+string(filepath.Separator)), nil), nil)
	b.said = append(b.said, said...)
	if b.options.Warnings == nil || len(said) == 0 {
		return nil
	}
	_, err := b.options.Warnings.Write(said)
	return err
}

var (
	parameterMissing = regexp.MustCompile(`Parameter (?:pin )?not found: '(?:\w+\.)?(\w+)'`)
	toolMessage      = regexp.MustCompile(`^%Error(?:-(\w+))?: (?:(\S.*?:\d+:\d+): )?(.*)`)
	toolCrash        = regexp.MustCompile(`(?m)^%Error: (?:Verilator (?:threw signal|aborted|internal fault)|` +
		`Command Failed|Internal Error|.*: Internal Error)`)
	crashPlace     = regexp.MustCompile(`(?m)^%Error: Internal Error: (\S.*?:\d+:\d+): (?:\S+:\d+: )?(.*)`)
	moduleOfSource = regexp.MustCompile(`(?m)^\s*(?:module|entity)\s+(?:automatic\s+|static\s+)?(\w+)`)
)

// refusal returns Verilator's first message with a place, or the first message, as an error. After a crash of
// Verilator, an error message of the source takes precedence; without one, refusal returns the place that Verilator
// had reached.
func (b *builder) refusal(said []byte, err error) error {
	var first *cosim.InputError
	messages := uint64(0)
	for line := range strings.Lines(string(said)) {
		line = strings.TrimRight(line, "\n")
		found := toolMessage.FindStringSubmatch(line)
		if found == nil || strings.HasPrefix(found[3], "Exiting due to") ||
			strings.HasPrefix(found[3], "This may be because") || toolCrash.MatchString(line) {
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
	case at != nil && strings.Contains(at[2], "Multiple Write refs on LHS of NBA"):
		return &cosim.InputError{
			Place:  at[1],
			Reason: "this version of verilator does not call a function in the target of an assignment with <=",
			Remedy: "assign its value to a net, and use the net in the target",
		}
	case at != nil:
		return &cosim.InputError{
			Place:  at[1],
			Reason: "verilator gives up here: " + at[2],
			Remedy: "correct this place, or rewrite it",
		}
	case crash:
		return &cosim.ToolError{
			Tool:   verilatorTool.Command,
			Place:  b.Name(),
			Reason: "fails with an internal error: " + cosim.OneLine(said),
			Remedy: cosim.RemedyTool,
			Err:    err,
		}
	case first == nil:
		return &cosim.InputError{
			Place:  b.Files[0],
			Reason: fmt.Sprintf("verilator ends with %v: %s", err, cosim.OneLine(said)),
			Remedy: "check whether `verilator --lint-only` accepts the source",
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

func (b *builder) explain(place, message string) *cosim.InputError {
	has := func(text string) bool { return strings.Contains(message, text) }
	ofShell := b.shell != nil && strings.Contains(place, b.shell.file+":")
	switch {
	case ofShell && !parameterMissing.MatchString(message):
		return &cosim.InputError{
			Place: "--param", Reason: fmt.Sprintf("%s does not accept the values of its parameters: %s", b.Top,
				message),
			Remedy: "give a value of the declared type: a number for an enumeration, a type such as logic [7:0], or a type " +
				"of a package as " +
				"NAME::TYPE",
		}
	case has("--top-module"):
		return &cosim.InputError{
			Place:  "--top",
			Reason: "there is no module " + b.Top,
			Remedy: input.RemedyOf(b.Top, b.modules()),
		}
	case has("Parameters from the command line"):
		_, names, _ := strings.Cut(message, "design: ")
		return &cosim.InputError{
			Place:  place,
			Reason: fmt.Sprintf("module %s has no parameter %s", b.Top, names),
			Remedy: "its parameters are " + strings.Join(b.parameters(), ", "),
		}
	case parameterMissing.MatchString(message):
		name, refused := parameterMissing.FindStringSubmatch(message)[1],
			&cosim.InputError{Place: b.Files[0], Remedy: "name parameters that it has"}
		if refused.Reason = fmt.Sprintf("module %s has no parameter %s", b.Top, name); place != "" && !ofShell {
			refused.Place, refused.Reason = place, "the module of this instance has no parameter "+name
		}
		return refused
	case has("interface is not found"), has("interface not connected"): // the second form is that of 5.048
		return &cosim.InputError{Place: place, Reason: message, Remedy: "connect an instance of the interface to this port"}
	case has("Unknown built-in array method"):
		return &cosim.InputError{
			Place: place, Remedy: remedyWrapper,
			Reason: message + ": this is an array, perhaps of interfaces, in several dimensions, whose members Verilator does " +
				"not find",
		}
	case has("Interfaced port"):
		return &cosim.InputError{Place: place,
			Reason: "the top module has an interface port", Remedy: remedyWrapper}
	case has("Cannot find include file"):
		return &cosim.InputError{Place: place, Reason: message, Remedy: "name its directory " + cosim.WithInclude}
	case has("Cannot find file containing module"):
		return &cosim.InputError{Place: place, Reason: message,
			Remedy: "add the file of this module to the sources, or its directory " + cosim.WithInclude}
	case has("timing"), has("delay"):
		return &cosim.InputError{
			Place:  place,
			Reason: message,
			Remedy: "move the part with delays and waits into a test bench; a circuit has only clocks",
		}
	}
	if b.VHDL() {
		return &cosim.InputError{Place: place, Reason: "in the Verilog that GHDL generates: " + message,
			Remedy: "rename identifiers that are Verilog keywords, or rewrite this line"}
	}
	return &cosim.InputError{Place: place, Reason: message,
		Remedy: "correct the source until `verilator --lint-only` accepts it"}
}

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
	return names
}

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

type builder struct {
	context.Context
	*cosim.Source
	options   *cosim.BuildOptions
	target    target
	cache     cosim.Cache
	work      string
	hdlDir    string
	vhdlTop   string
	narrow    []cosim.Warning
	files     []string
	shell     *shell
	types     map[string]string // values of type parameters; Params has the values of other parameters
	tools     []cosim.ToolVersion
	libraries libraries

	design      *design
	description Description
	said        []byte
}

func newBuilder(ctx context.Context, s *cosim.Source, o *cosim.BuildOptions, t target) (*builder, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	plain := *s
	b := &builder{Context: ctx, Source: &plain, options: o, target: t}
	plain.Params, b.types = s.Constants(), s.Types()
	needed := append([]cosim.Tool{verilatorTool, t.compiler}, t.tools...)
	if s.VHDL() {
		needed = append(needed, ghdlTool)
	}
	for _, tool := range needed {
		version, err := tool.Version(ctx)
		if err != nil {
			return nil, err
		}
		b.tools = append(b.tools, version)
	}
	var err error
	if t.libraries != nil {
		if b.libraries, err = t.libraries(ctx); err != nil {
			return nil, err
		}
	}
	if b.cache, err = cosim.OpenCache(o.Cache); err != nil {
		return nil, err
	}
	if b.work, err = os.MkdirTemp("", "starloom-cosim-"); err != nil {
		return nil, err
	}
	if b.files, err = b.InLanguage(b.work); err != nil {
		return nil, errors.Join(err, os.RemoveAll(b.work))
	}
	return b, nil
}

func (b *builder) compileFlags() []string {
	return slices.Concat(commonFlags, b.target.compile)
}
