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

// Language is one of the languages.
type Language struct {
	Name  string   // that of its folder
	Files []string // of a project
}

// All are the languages.
var All = []Language{
	{"c", append([]string{"router.c", "router_test.c"}, common...)},
	{"cpp", append([]string{"router.cc", "router_test.cc"}, common...)},
	{"rust", append([]string{"router.rs", "starloom.rs"}, common...)},
	{"assemblyscript", append([]string{"router.ts", "starloom.ts", "package.json"}, common...)},
	{"go", append([]string{"router.go", "starloom.go"}, common...)},
}

// Netlist is the language of projects with a network that they draw: C, which has names for what is drawn.
const Netlist = "c"

// drawn is a project with a network that it draws.
var drawn = Language{"netlist", append([]string{"router.c"}, common...)}

// common are the files that every project has.
var common = []string{"router.yaml", "Makefile", "README.md", ".gitignore"}

// exampleName is the name of the examples, in files and their names; a new project has its own there.
const exampleName = "router"

// ofSchema begins the scenarios of examples, for editors.
const ofSchema = "# yaml-language-server: $schema=../../scenario.schema.json\n#\n"

var projectName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// New makes a project: a folder whose last element is its name. The folder must not be
// there yet. It draws its network (netlist) in the language Netlist only.
func New(language string, netlist bool, folder string) error {
	name := filepath.Base(folder)
	if !projectName.MatchString(name) || name == "starloom" { // whose files are there already
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

// refused says what a folder must be.
func refused(reason string, about any) error {
	return fmt.Errorf(reason+"; give a new folder, whose name has a-z, 0-9, _ and -", about)
}

// write writes all files, or leaves no folder.
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
		own = strings.TrimPrefix(own, ofSchema) // which is not in the folder
		if err := write(strings.ReplaceAll(file, exampleName, name), own); err != nil {
			return err
		}
	}
	if l.Name == "go" { // a go.mod among the examples would end the module there
		if err := write("go.mod", "module "+name+"\n\ngo 1.24\n"); err != nil {
			return err
		}
	}
	return files.Commit()
}
