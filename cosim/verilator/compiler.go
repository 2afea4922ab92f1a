package verilator

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"starloom/cosim"
)

func (b *builder) link(path string, objects ...string) error {
	args := slices.Concat(b.target.link, b.libraries.before, objects, b.libraries.after, []string{"-o", path})
	said, err := cosim.Command(b, b.work, b.target.linker.Command, args...).CombinedOutput()
	return b.compilerError(b.target.linker.Command, said, err)
}

var undefinedSymbol = regexp.MustCompile(`undefined (?:symbol|reference to)[: ]+[\x60']?(\w+)`)

// compilerMessage matches the first error of the compiler: its text and its place in the C++ or, through #line, in
// the RTL.
var compilerMessage = regexp.MustCompile(`(?m)^(\S+?:\d+(?::\d+)?): (?:fatal )?error: (.*)$`)

func (b *builder) compilerError(tool string, said []byte, err error) error {
	if err == nil {
		return nil
	}
	if stop := cosim.Stopped(b, tool, b.Name(), err); stop != nil {
		return stop
	}
	text := string(said)
	switch {
	case strings.Contains(text, "file not found"), strings.Contains(text, "cannot open"):
		return &cosim.InputError{
			Place:  clangTool.Command,
			Reason: "cannot compile C++ for WebAssembly: " + cosim.OneLine(said),
			Remedy: remedyWasi,
		}
	case undefinedSymbol.MatchString(text):
		return &cosim.InputError{Place: b.Files[0],
			Reason: "calls the function " + undefinedSymbol.FindStringSubmatch(text)[1] + ", which is not part of the design",
			Remedy: "replace functions imported through DPI by RTL"}
	}
	reason := cosim.OneLine(said)
	if found := compilerMessage.FindStringSubmatch(text); found != nil {
		reason = fmt.Sprintf("%s: %s", found[1], found[2])
	}
	return &cosim.ToolError{Tool: tool, Place: b.Name(),
		Reason: "does not compile the C++ that Verilator generates: " + reason,
		Remedy: "replace its cause: C++ in $c, or a construct that this version of Verilator does not translate", Err: err}
}

func (b *builder) compilesIn(dir string, args ...string) error {
	said, err := cosim.Command(b, dir, b.target.compiler.Command,
		slices.Concat(b.compileFlags(), args)...).CombinedOutput()
	return b.compilerError(b.target.compiler.Command, said, err)
}
