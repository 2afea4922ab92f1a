package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
	"starloom/hw"
)

var (
	yosysTool = cosim.Tool{Command: "yosys", Packages: "yosys", VersionOption: "-V"}
	abcTool   = cosim.Tool{Command: "yosys-abc", Packages: "yosys", VersionOption: "-h"}

	verilatorTool = cosim.Tool{Command: "verilator", Packages: "verilator", VersionOption: "--version"}
)

// With shiftMap, bits read beyond a vector are free. Yosys' own map may choose a value, even the expected one.
// shiftMap halves the vector with each index bit, highest first, so that reading a bit takes as many gates as the
// vector has bits. Each bit of a read has its own free bit.
const shiftMap = `(* techmap_celltype = "$shiftx" *)
module starloom_shiftx(A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  localparam BELOW = B_SIGNED ? Y_WIDTH - 1 : 0; // places below the vector from which bits of it are still read
  localparam PLACES = A_WIDTH + BELOW;
  localparam BITS = B_SIGNED ? B_WIDTH + $clog2(Y_WIDTH + 1) + 1 : B_WIDTH;
  localparam POSITIVE = B_SIGNED ? BITS - 1 : BITS;
  localparam STAGES = $clog2(PLACES) < POSITIVE ? $clog2(PLACES) : POSITIVE;
  wire [Y_WIDTH-1:0] free;
  \$anyseq #(.WIDTH(Y_WIDTH)) any (.Y(free));
  wire [BITS-1:0] at;
  wire [2**STAGES+Y_WIDTH-2:0] all;
  genvar i;
  generate
    if (BELOW > 0) assign at = {{(BITS - B_WIDTH){B[B_WIDTH-1]}}, B} + BELOW;
    else if (B_SIGNED) assign at = {{(BITS - B_WIDTH){B[B_WIDTH-1]}}, B};
    else assign at = B;
    for (i = 0; i <= 2**STAGES + Y_WIDTH - 2; i = i + 1) begin : places
      if (i >= BELOW && i < PLACES) assign all[i] = A[i-BELOW];
      else assign all[i] = free[i%Y_WIDTH];
    end
    for (i = STAGES; i >= 0; i = i - 1) begin : stage
      wire [2**i+Y_WIDTH-2:0] left;
      if (i == STAGES) assign left = all;
      else assign left = at[i] ? stage[i+1].left[2**(i+1)+Y_WIDTH-2:2**i] : stage[i+1].left[2**i+Y_WIDTH-2:0];
    end
    if (BITS > STAGES) assign Y = |at[BITS-1:STAGES] ? free : stage[0].left;
    else assign Y = stage[0].left;
  endgenerate
endmodule
`

// divideMap shrinks dividers with constant operands. In Verilog, "(from + k) % 6" is a 32-bit operation, as is every
// integer division in VHDL. The division takes one step per significant bit of the dividend. Each step compares one
// bit more than the width of the divisor.
const divideMap = `(* techmap_celltype = "$div $mod" *)
module starloom_divide(A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CELLTYPE_ = "";
  parameter _TECHMAP_BITS_CONNMAP_ = 1;
  parameter [A_WIDTH*_TECHMAP_BITS_CONNMAP_-1:0] _TECHMAP_CONNMAP_A_ = 0;
  parameter [A_WIDTH-1:0] _TECHMAP_CONSTMSK_A_ = 0;
  parameter [A_WIDTH-1:0] _TECHMAP_CONSTVAL_A_ = 0;
  parameter [B_WIDTH-1:0] _TECHMAP_CONSTMSK_B_ = 0;
  parameter [B_WIDTH-1:0] _TECHMAP_CONSTVAL_B_ = 0;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  localparam ID = _TECHMAP_BITS_CONNMAP_;
  localparam [ID-1:0] SIGN = _TECHMAP_CONNMAP_A_[A_WIDTH*ID-1:(A_WIDTH-1)*ID];
  function integer places(input integer unused); // of A that are not its sign, nor 0 in one without
    integer i;
    begin
      places = 1;
      for (i = 0; i < A_WIDTH; i = i + 1)
        if (A_SIGNED ? _TECHMAP_CONNMAP_A_[i*ID +: ID] != SIGN : !_TECHMAP_CONSTMSK_A_[i] ||
	_TECHMAP_CONSTVAL_A_[i]) places = i + 1;
    end
  endfunction
  localparam PLACES = A_SIGNED && places(0) < A_WIDTH ? places(0) +
	1 : places(0); // the lowest number has one more without its sign
  localparam BELOW = B_SIGNED && _TECHMAP_CONSTVAL_B_[B_WIDTH-1];
  localparam [B_WIDTH-1:0] DIVISOR = BELOW ? -_TECHMAP_CONSTVAL_B_ : _TECHMAP_CONSTVAL_B_;
  function integer width(input integer unused);
    integer i;
    begin
      width = 1;
      for (i = 0; i < B_WIDTH; i = i + 1) if (DIVISOR[i]) width = i + 1;
    end
  endfunction
  localparam WIDTH = width(0);
  wire _TECHMAP_FAIL_ = !(&_TECHMAP_CONSTMSK_B_ && |_TECHMAP_CONSTVAL_B_) || A_SIGNED != B_SIGNED;
  wire below = A_SIGNED ? A[A_WIDTH-1] : 1'b0;
  wire [PLACES-1:0] low = A;
  wire [PLACES-1:0] a = below ? -low : low;
  wire [PLACES-1:0] quotient;
  genvar i;
  generate
    for (i = PLACES; i >= 0; i = i - 1) begin : step
      wire [WIDTH-1:0] rest;
      if (i == PLACES) assign rest = 0;
      else begin
        wire [WIDTH:0] next = {step[i+1].rest, a[i]};
        wire [WIDTH:0] less = next - DIVISOR;
        assign quotient[i] = ~less[WIDTH];
        assign rest = less[WIDTH] ? next[WIDTH-1:0] : less[WIDTH-1:0];
      end
    end
  endgenerate
  wire [Y_WIDTH-1:0] y = _TECHMAP_CELLTYPE_ == "$mod" ? step[0].rest : quotient;
  wire negative = _TECHMAP_CELLTYPE_ == "$mod" ? below : below ^ BELOW;
  assign Y = negative ? -y : y;
endmodule
`

const (
	viewsName  = "views"       // names of wires that hold views of a twin
	countsName = "views_count" // names of wires that are 1 while a view is valid, bit by bit
)

// sideScript converts one side to registers and logic. Undriven nets, X and reads beyond a memory become free in
// every cycle before any optimisation. Registers lose their initial values unless keepInitial is set.
func sideScript(side, design string, read []string, keepInitial bool) string {
	lines := append(slices.Clone(read),
		"read_verilog "+side+".v",
		"hierarchy -check -top "+side,
		"proc -noopt",
		"flatten",
		"chformal -early", // a check refers to its own cycle, not to the previous cycle
		"setattr -set keep 1 w:*"+viewsName+" w:*"+countsName,
		"memory_collect",
		"memory_map",
		"setundef -undriven -anyseq", // opt_muxtree treats X as 0
		"opt_muxtree",                // removes branches that are never taken, together with their X
		"opt_clean -purge",
	)
	if !keepInitial {
		lines = append(lines, "setattr -unset init w:*")
	}
	lines = append(lines,
		"check",
		"setundef -undriven -anyseq",
		"techmap -map shift.v",
		"setundef -undriven -anyseq",
		"opt_clean -purge",
		"write_json "+side+".json",
		"design -stash "+design,
	)
	return strings.Join(lines, "\n") + "\n"
}

// logicOnly excludes registers and free values. These must not be merged, because their initial values are unknown.
const logicOnly = "t:* t:$*ff %d t:$_DFF_* %d t:$anyseq %d"

// miterScript joins both sides and writes AIGER. No X is left, so that logic may be optimised. Duplicate gates are
// not merged in Yosys but later in the graph, where merging is much faster.
const miterScript = `read_verilog miter.v
design -copy-from twin -as ` + twinSide + ` ` + twinSide + `
design -copy-from rtl -as ` + rtlSide + ` ` + rtlSide + `
hierarchy -check -top ` + miterName + `
proc
flatten
expose w:twin.*` + viewsName + ` w:twin.*` + countsName + `
async2sync
dffunmap
check
opt_clean
wreduce ` + logicOnly + `
techmap -map divide.v
opt_clean
techmap
opt_expr ` + logicOnly + `
opt_clean
simplemap
aigmap
insbuf
techmap -map buffer.v
write_aiger -zinit -map miter.map miter.aig
`

// bufferMap replaces a buffer by two inverters, which add no gate to the graph. Yosys 0.52 aborts when it maps a
// buffer whose input and output are the same net.
const bufferMap = `module \$_BUF_ (A, Y);
  input A;
  output Y;
  wire n;
  \$_NOT_ first (.A(A), .Y(n));
  \$_NOT_ second (.A(n), .Y(Y));
endmodule
`

// yosysMemory returns the memory limit of Yosys in bytes: three quarters of the available memory, to protect other
// processes.
func yosysMemory() uint64 {
	available, limit := hw.MemoryAvailable()
	if limit == "" {
		return 1 << 40
	}
	return available / 4 * 3
}

// runYosys runs a script in a folder. most is the memory limit of Yosys in bytes. A design that Yosys rejects is a
// *refusal.
func runYosys(ctx context.Context, dir, script string, most uint64) (log string, err error) {
	if err := os.WriteFile(filepath.Join(dir, script+".log"), nil, 0o644); err != nil {
		return "", err
	}
	c := cosim.Command(ctx, dir, "sh", "-c", `ulimit -v "$0"; exec "$@"`, strconv.FormatUint(most>>10, 10),
		yosysTool.Command, "-Q", "-T", "-l", script+".log", "-s", script)
	said, err := c.CombinedOutput()
	if strings.Contains(string(said), "std::bad_alloc") {
		return "",
			&refusal{reason: fmt.Sprintf("its graph does not fit into %d MiB of memory, the limit at which Yosys was "+
				"ended", most>>20),
				large: true}
	}
	if stop := cosim.Stopped(ctx, yosysTool.Command, script, err); stop != nil {
		// Yosys may not terminate on a loop
		if loop := loopIn(string(said)); loop != "" && !errors.Is(ctx.Err(), context.Canceled) {
			return "", refuse("%s", loop)
		}
		return "", stop
	}
	if err != nil {
		return "", refuse("Yosys refuses it: %s", yosysError(string(said)))
	}
	return string(said), nil
}

var (
	loopWire    = regexp.MustCompile(`(?m)^    wire \\(?:rtl\.)?(?:side\.)?(\S+?)(?: \[\d+\])?$`)
	printedWire = regexp.MustCompile(`^n\d+$`) // matches wires of the print that are not in the source
)

// loopIn describes the logic loops that Yosys reported, "" for none. Yosys treats a vector as one signal, so a
// reported loop may not exist bit by bit.
func loopIn(said string) string {
	_, said, found := strings.Cut(said, "Warning: found logic loop in module ")
	if !found {
		return ""
	}
	said, _, _ = strings.Cut(said, "\nFound and reported ")
	var wires []string
	for _, wire := range loopWire.FindAllStringSubmatch(said, -1) {
		if !printedWire.MatchString(wire[1]) && !slices.Contains(wires, wire[1]) {
			wires = append(wires, wire[1])
		}
	}
	if strings.Contains(said, "async2sync") {
		return fmt.Sprintf("the RTL has a combinational loop through an asynchronous reset, and %s,"+
			" but a proof needs logic without loops", strings.Join(wires, ", "))
	}
	return fmt.Sprintf("the RTL has a combinational loop through %s, but a proof needs logic without loops",
		strings.Join(wires, ", "))
}

type refusal struct {
	reason string
	late   bool
	large  bool
}

func refuse(format string, values ...any) *refusal {
	return &refusal{reason: fmt.Sprintf(format, values...)}
}

func (r *refusal) Error() string { return r.reason }

var errorLine = regexp.MustCompile(`(?m)^.*ERROR: (.*)$`)

func yosysError(said string) string {
	if found := errorLine.FindAllStringSubmatch(said, -1); found != nil {
		return cosim.OneLine([]byte(found[len(found)-1][0]))
	}
	return cosim.OneLine([]byte(said[max(0, len(said)-200):]))
}

var conflict = regexp.MustCompile(`Warning: (?:multiple conflicting drivers for (.*)|Driver-driver conflict for (\S+))`)

type signals struct {
	inputs  map[string]int // by name and bit: number of the input
	outputs map[string]int
	free    []int // inputs without a counterpart in the model: power-on values, X, undriven nets

	powerOnOf  map[int]int    // by latch: free input with the latch's initial value
	registerOf map[int]string // by input: bit of a register in the print whose initial value is this free input
}

func readMap(text string, inputs, outputs int) (*signals, error) {
	s := &signals{inputs: map[string]int{}, outputs: map[string]int{}, powerOnOf: map[int]int{},
		registerOf: map[int]string{}}
	begins := map[string]int{}
	named := make([]bool, inputs)
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 4 {
			continue
		}
		at, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("a map of AIGER with the line %q", strings.TrimSpace(line))
		}
		name := strings.TrimPrefix(fields[3], `\`)
		switch fields[0] {
		case "input":
			if at >= inputs {
				return nil, fmt.Errorf("a map of AIGER with input %d of %d", at, inputs)
			}
			s.inputs[name+"["+fields[2]+"]"], named[at] = at, true
		case "init":
			begins[name+"["+fields[2]+"]"] = at
			if register, ok := strings.CutPrefix(name, "rtl.side."); ok {
				s.registerOf[at] = register + "[" + fields[2] + "]"
			}
		case "latch", "invlatch": // latch lines follow all init lines
			if from, ok := begins[name+"["+fields[2]+"]"]; ok {
				s.powerOnOf[at] = from
			}
		case "output":
			if at >= outputs {
				return nil, fmt.Errorf("a map of AIGER with output %d of %d", at, outputs)
			}
			s.outputs[name+"["+fields[2]+"]"] = at
		}
	}
	for i, known := range named {
		if !known {
			s.free = append(s.free, i)
		}
	}
	return s, nil
}
