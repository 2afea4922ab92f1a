// Package languages has one small controller in five languages and creates new projects from it.
//
//	c, cpp            with the SDK of package firmware, and native unit tests
//	netlist           C, for a network drawn by the project
//	rust              without std, rustc alone
//	assemblyscript    with its smallest runtime, which never frees memory
//	go                GOOS=wasip1, c-shared; mode: isolated
//	testdata          images of the languages whose compilers tests do not install
//
// All controllers behave alike: the digests of their runs are equal.
package languages

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"starloom/traces"
)

//go:embed */*.c */*.cc */*.rs */*.ts */*.go */*.yaml */Makefile */README.md */.gitignore assemblyscript/package.json
var projects embed.FS

// Language is a programming language of the examples.
type Language struct {
	Name  string   // name of the language and of its folder
	Files []string // files of a project
}

// All lists the languages.
var All = []Language{
	{"c", append([]string{"router.c", "router_test.c"}, common...)},
	{"cpp", append([]string{"router.cc", "router_test.cc"}, common...)},
	{"rust", append([]string{"router.rs", "starloom.rs"}, common...)},
	{"assemblyscript", append([]string{"router.ts", "starloom.ts", "package.json"}, common...)},
	{"go", append([]string{"router.go", "starloom.go"}, common...)},
}

// Netlist is the language of projects that draw their network: C, whose header has names for the drawn parts.
const Netlist = "c"

var drawn = Language{"netlist", append([]string{"router.c"}, common...)}

var common = []string{"router.yaml", "Makefile", "README.md", ".gitignore"}

// exampleName is the name of the examples in files and file names. A new project replaces it by its own.
const exampleName = "router"

// ofSchema is the beginning of the scenarios of examples, for editors.
const ofSchema = "# yaml-language-server: $schema=../../scenario.schema.json\n#\n"

var projectName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// New creates a project in a new folder, whose last path element is its name. Only the language Netlist supports a
// drawn network (netlist).
func New(language string, netlist bool, folder string) error {
	name := filepath.Base(folder)
	if !projectName.MatchString(name) || name == "starloom" { // such a name belongs to other files
		return refused("%q cannot be the name of a project", name)
	}
	if netlist && language == Netlist {
		return drawn.write(folder, name)
	}
	for _, l := range All {
		if l.Name == language && !netlist {
			return l.write(folder, name)
		}
	}
	return fmt.Errorf("there is no language %q", language)
}

func refused(reason string, about any) error {
	return fmt.Errorf(reason+"; give a new folder, whose name has a-z, 0-9, _ and -", about)
}

func (l Language) write(folder, name string) (err error) {
	if err := traces.MakeFolder(filepath.Dir(folder)); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o777); err != nil {
		return refused("%w", err)
	}
	var files traces.Files
	defer func() {
		files.Abort()
		if err != nil {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}()
	write := func(name, text string) error {
		file, err := files.Create(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		_, err = file.Write([]byte(text))
		return err
	}
	for _, file := range l.Files {
		text, err := projects.ReadFile(l.Name + "/" + file)
		if err != nil {
			return err
		}
		own := strings.ReplaceAll(string(text), exampleName, name)
		own = strings.TrimPrefix(own, ofSchema) // the folder has no schema
		if err := write(strings.ReplaceAll(file, exampleName, name), own); err != nil {
			return err
		}
	}
	if l.Name == "go" { // within the examples, a go.mod would end the module
		if err := write("go.mod", "module "+name+"\n\ngo 1.24\n"); err != nil {
			return err
		}
	}
	return files.Commit()
}
