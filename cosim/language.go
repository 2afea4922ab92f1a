package cosim

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Languages lists the languages of Verilog files. They differ in their keywords.
var Languages = []string{"1364-1995", "1364-2001", "1364-2005", "1800-2005", "1800-2009", "1800-2012", "1800-2017"}

// keywords is the set of keywords of IEEE 1800-2017. Tools also reserve some of them in IEEE 1364-2005.
var keywords = func() map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(`
accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bins
binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const
constraint context continue cover covergroup coverpoint cross deassign default defparam design disable dist do edge
else end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule
endpackage endprimitive endprogram endproperty endspecify endsequence endtable endtask enum event eventually expect
export extends extern final first_match for force foreach forever fork forkjoin function generate genvar global highz0
highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include initial inout input inside
instance int integer interconnect interface intersect join join_any join_none large let liblist library local
localparam logic longint macromodule matches medium modport module nand negedge nettype new nexttime nmos nor
noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge primitive priority program
property protected pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase
randsequence rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1
s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal showcancelled signed small
soft solve specify specparam static string strong strong0 strong1 struct super supply0 supply1 sync_accept_on
sync_reject_on table tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand
trior trireg type typedef union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void
wait wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor`) {
		words[word] = true
	}
	return words
}()

// IsKeyword reports whether word is a keyword of IEEE 1800-2017. A keyword must be escaped to serve as a name.
func IsKeyword(word string) bool { return keywords[word] }

// VerilogName returns a name in Verilog, escaped if necessary.
func VerilogName(name string) string {
	if IsKeyword(name) || !IsIdentifier(name) {
		return "\\" + name + " "
	}
	return name
}

// Library is a VHDL library. Its files are in the order of analysis.
type Library struct {
	Name  string
	Files []string
}

// AllFiles returns the files of the source and of its libraries.
func (s *Source) AllFiles() []string {
	files := slices.Clone(s.Files)
	for _, l := range s.Libraries {
		files = append(files, l.Files...)
	}
	return files
}

// InLanguage returns the files for tools. A file with its own language is replaced by a generated file in dir that
// includes it.
func (s *Source) InLanguage(dir string) ([]string, error) {
	files := slices.Clone(s.Files)
	for i, file := range files {
		language, ok := s.Languages[file]
		if !ok {
			continue
		}
		path, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		files[i] = filepath.Join(dir, fmt.Sprintf("language_%d.v", i))
		text := fmt.Sprintf("`begin_keywords %q\n`include %q\n`end_keywords\n", language, path)
		if err := os.WriteFile(files[i], []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return files, nil
}

var ghdlFlag = regexp.MustCompile(
	`^(?:-f[a-z-]+|--std=[0-9a-z]+|--ieee=[a-z]+|-W[a-z-]+|--no-vital-checks|--syn-binding)$`)

func (s *Source) checkLanguages() error {
	for _, file := range slices.Sorted(maps.Keys(s.Languages)) {
		language := s.Languages[file]
		switch {
		case s.VHDL():
			return &InputError{Place: file, Reason: "language is for Verilog",
				Remedy: "set the VHDL standard with ghdl_flags: [--std=93]"}
		case !slices.Contains(Languages, language):
			return &InputError{Place: file, Reason: fmt.Sprintf("there is no language %q", language),
				Remedy: "write one of " + strings.Join(Languages, ", ")}
		}
	}
	if !s.VHDL() && len(s.Libraries)+len(s.GHDLFlags) > 0 {
		return &InputError{Place: s.Files[0], Reason: "libraries and ghdl_flags are for VHDL", Remedy: "delete them"}
	}
	for _, flag := range s.GHDLFlags {
		if !ghdlFlag.MatchString(flag) {
			return &InputError{
				Place: "--ghdl-flags", Reason: fmt.Sprintf("%q is not an accepted GHDL flag", flag),
				Remedy: "give flags such as -frelaxed, -fsynopsys, --std=93, --ieee=synopsys",
			}
		}
	}
	for _, l := range s.Libraries {
		if !IsIdentifier(l.Name) || len(l.Files) == 0 {
			return &InputError{Place: "--libraries", Reason: fmt.Sprintf("library %q has no name or no files", l.Name),
				Remedy: "write libraries: {NAME: [FILE]}"}
		}
	}
	return nil
}
