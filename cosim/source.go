package cosim

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Source is RTL: the files of a design and their build settings.
type Source struct {
	Top   string   // name of the module or VHDL entity
	Files []string // files of Verilog and SystemVerilog, or of VHDL in the order of analysis
	// folder of $readmem files, searched before the folder of the source; "" for the working directory
	DataDir     string
	IncludeDirs []string          // folders for `include, and for modules in files of the same name
	Defines     map[string]string // macros; "" for a name without a value
	Params      map[string]string // parameters of the top module, as Verilog constants or plain text; generics in VHDL
	Clocks      []string          // inputs that Edge drives, in any order

	Languages map[string]string
	Libraries []Library // VHDL libraries in the order of analysis, before Files
	GHDLFlags []string  // options for every run of GHDL: -frelaxed
}

// Name returns the name of the source in messages.
func (s *Source) Name() string { return filepath.Base(s.Files[0]) + ": " + s.Top }

func isVHDL(file string) bool {
	ending := strings.ToLower(filepath.Ext(file))
	return ending == ".vhd" || ending == ".vhdl"
}

// VHDL reports whether the source is VHDL, which GHDL converts.
func (s *Source) VHDL() bool { return isVHDL(s.Files[0]) }

// InputBytesMax is the maximum size in bytes of a user's file that is read as a whole, such as an image or $readmem
// data.
const InputBytesMax = 256 << 20

// Check rejects errors that need no tool to detect.
func (s *Source) Check() error {
	if s.Top == "" {
		return &InputError{Place: "--top", Reason: "no top module is named", Remedy: "give the name of the module to build"}
	}
	if !IsIdentifier(s.Top) {
		return &InputError{Place: "--top", Reason: fmt.Sprintf("%q is not the name of a module", s.Top),
			Remedy: "give a plain Verilog name"}
	}
	if len(s.Files) == 0 {
		return &InputError{Place: s.Top, Reason: "no source is given", Remedy: "give the Verilog or VHDL files of the design"}
	}
	if err := s.checkLanguages(); err != nil {
		return err
	}
	for _, file := range s.AllFiles() {
		info, err := os.Stat(file)
		if err != nil {
			return &InputError{Place: file, Reason: fmt.Sprintf("cannot be read: %v", Reason(err)),
				Remedy: "give an existing source"}
		}
		if info.IsDir() {
			return &InputError{Place: file, Reason: "is a directory", Remedy: "give the files, and the directory " + WithInclude}
		}
		if !info.Mode().IsRegular() {
			return &InputError{Place: file, Reason: "is not a regular file", Remedy: "give a file with Verilog or VHDL"}
		}
		if isVHDL(file) != s.VHDL() {
			return &InputError{
				Place:  file,
				Reason: "Verilog and VHDL in one design",
				Remedy: "synthesise the VHDL part first: `ghdl synth --std=08 --out=verilog`",
			}
		}
	}
	if err := s.checkParams(); err != nil {
		return err
	}
	for _, names := range []map[string]string{s.Defines, s.Params} {
		for name, value := range names {
			if !isParameter(name) || strings.ContainsAny(value, "\n\x00") {
				return &InputError{Place: name + "=" + value, Reason: "is not a name and a value", Remedy: "write NAME=VALUE"}
			}
		}
	}
	for i, clock := range s.Clocks {
		if slices.Contains(s.Clocks[:i], clock) {
			return &InputError{Place: "--clock", Reason: clock + " is named twice", Remedy: "name every clock once"}
		}
	}
	if len(s.Clocks) > 64 {
		return &InputError{Place: "--clock", Reason: fmt.Sprintf("%d clocks", len(s.Clocks)),
			Remedy: "at most 64 are possible"}
	}
	return nil
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*$`)

func isParameter(text string) bool {
	of, parameter, inner := strings.Cut(text, ".")
	return IsIdentifier(of) && (!inner || IsIdentifier(parameter))
}

// IsIdentifier reports whether text is a plain Verilog name.
func IsIdentifier(text string) bool { return identifier.MatchString(text) }

// Reason returns an operating system's error without its path. Messages give the path as the place.
func Reason(err error) error {
	if pathError, ok := err.(*os.PathError); ok {
		return pathError.Err
	}
	return err
}

// SameName compares names of a design, ignoring case if fold is set (VHDL).
func SameName(fold bool, name, other string) bool {
	return name == other || fold && strings.EqualFold(name, other)
}

// FindData returns the path of a $readmem file named in a source. It searches DataDir (the folder of a pin map), then
// the folder of the source, so that a run with a map does not depend on the working directory.
func (s *Source) FindData(name, source string) (string, error) {
	paths := []string{name}
	if !filepath.IsAbs(name) {
		paths = []string{filepath.Join(s.DataDir, name), filepath.Join(filepath.Dir(source), name)}
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	where := "the working directory"
	if s.DataDir != "" {
		where = "the folder of the pin map"
	}
	return "", &InputError{Place: name, Reason: fmt.Sprintf("$readmem in %s needs this file, which does not "+
		"exist", source),
		Remedy: fmt.Sprintf("give a path relative to %s, or to the source", where)}
}

// RTL holds the Verilog twins, one module per file of the same name, and the header of the register map.
//
//go:embed rtl/*.v rtl/*.vh
var RTL embed.FS

// Glue is the C++ between Verilator's model of a design and columns of words.
//
//go:embed glue
var Glue embed.FS

// VPI is the C source of the module that Icarus loads.
//
//go:embed vpi
var VPI embed.FS
