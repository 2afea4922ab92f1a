package prove

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"starloom/cosim"
)

type answer struct {
	proved  bool
	refuted bool     // true even without a counterexample
	inputs  [][]bool // counterexample by cycle and input of the graph; nil for none
	frames  int      // cycles without a counterexample
}

type engine struct {
	name    string
	bounded bool // the engine only finds counterexamples, and reports its depth
	reduces bool // the engine reduces a graph and decides nothing
	script  func(seconds int) string
}

var (
	pdr = engine{name: "pdr", script: func(seconds int) string { return fmt.Sprintf("strash; pdr -T %d", seconds) }}

	// reach computes all reachable states as a BDD. It handles tens of thousands of cycles of a counter in a second.
	reach = engine{name: "reach", script: func(seconds int) string {
		return fmt.Sprintf("strash; reach -F 1000000 -T %d", seconds)
	}}

	// deeper finds equivalences by induction over more cycles.
	deeper = engine{name: "scorr, pdr", script: func(seconds int) string {
		return fmt.Sprintf("strash; scleanup; scorr -F 2; dc2; scorr -F 4; pdr -T %d", seconds)
	}}

	dprove = engine{name: "dprove",
		script: func(seconds int) string { return fmt.Sprintf("strash; dprove -T %d", seconds) }}

	bmc3 = engine{name: "bmc3", bounded: true,
		script: func(seconds int) string { return fmt.Sprintf("strash; bmc3 -v -T %d", seconds) }}

	// scorr merges equivalent signals. Two circuits in a similar style have many.
	scorr = engine{name: "scorr", reduces: true, script: func(int) string {
		return "strash; scleanup; lcorr; scorr; " +
			"scorr -F 2; dc2"
	}}
)

// reachLatches is the maximum number of registers in graphs for the engine reach, which rarely decides larger graphs.
const reachLatches = 128

func bounded(cycles int) engine {
	return engine{name: "bmc3", bounded: true, script: func(seconds int) string {
		return fmt.Sprintf("strash; bmc3 -v -F %d -T %d", cycles+1, seconds)
	}}
}

var (
	statusLine = regexp.MustCompile(`(?m)^Status = (-?\d)`) // value 1: proved, 0: refuted
	framesLine = regexp.MustCompile(`No output asserted in (\d+) frames?`)
	frameLine  = regexp.MustCompile(`(?m)^ *(\d+) \+ : Var =`) // output of bmc3 -v: all outputs are 0 up to this frame
)

func (e *engine) command(name string, limit time.Duration) string {
	return fmt.Sprintf("read_aiger %s.aig; %s", name, e.script(max(1, int(limit.Seconds()))))
}

// run runs an engine on a graph for a limited time. The caller must verify the counterexample by simulation.
func (e *engine) run(ctx context.Context, dir, name string, g *graph, limit time.Duration) (answer, error) {
	in, cex := filepath.Join(dir, name+".aig"), filepath.Join(dir, name+".cex")
	if err := writeGraph(in, g); err != nil {
		return answer{}, err
	}
	defer os.Remove(cex)
	ctx, cancel := context.WithTimeout(ctx, limit+limit/4+2*time.Second)
	defer cancel()
	script := fmt.Sprintf("%s; print_status; write_cex -a %s.cex", e.command(name, limit), name)
	c := cosim.Command(ctx, dir, abcTool.Command, "-q", script)
	said, err := c.CombinedOutput()
	if ctx.Err() != nil {
		return answer{frames: framesIn(string(said))}, nil
	}
	if err != nil {
		return answer{}, fmt.Errorf("%s of abc fails: %w: %s", e.name, err, cosim.OneLine(said))
	}
	return e.read(string(said), cex, g)
}

func (e *engine) reduce(ctx context.Context, dir, name string, g *graph, limit time.Duration) (*graph, error) {
	in, out := filepath.Join(dir, name+".aig"), filepath.Join(dir, name+"-reduced.aig")
	if err := writeGraph(in, g); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := cosim.Command(ctx, dir, abcTool.Command, "-q",
		fmt.Sprintf("%s; write_aiger %s-reduced.aig", e.command(name, limit), name))
	if said, err := c.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return nil, nil
		}
		return nil, fmt.Errorf("%s of abc fails: %w: %s", e.name, err, cosim.OneLine(said))
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	reduced, err := readAIGER(data)
	if err == nil && (reduced.inputs != g.inputs || len(reduced.outputs) != len(g.outputs)) {
		err = fmt.Errorf("%s of abc has changed inputs or outputs", e.name)
	}
	return reduced, err
}

func writeGraph(path string, g *graph) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := g.write(f); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// framesIn returns the number of frames that an engine has checked. A stopped engine may not have printed its last
// frames.
func framesIn(said string) (most int) {
	for _, found := range framesLine.FindAllStringSubmatch(said, -1) {
		if n, err := strconv.Atoi(found[1]); err == nil {
			most = max(most, n)
		}
	}
	for _, found := range frameLine.FindAllStringSubmatch(said, -1) {
		if n, err := strconv.Atoi(found[1]); err == nil {
			most = max(most, n+1)
		}
	}
	return most
}

func (e *engine) read(said, cex string, g *graph) (answer, error) {
	status := statusLine.FindStringSubmatch(said)
	switch {
	case status == nil:
		return answer{}, fmt.Errorf("%s of abc reports no result: %s", e.name, cosim.OneLine([]byte(said)))
	case status[1] == "1":
		return answer{proved: true}, nil
	case status[1] == "0":
		text, err := os.ReadFile(cex)
		if err != nil {
			return answer{refuted: true}, nil
		}
		inputs, err := readWitness(string(text), g.inputs)
		return answer{refuted: true, inputs: inputs}, err
	}
	return answer{frames: framesIn(said)}, nil
}

// readWitness reads a counterexample: a line of latches, all 0, then a line of inputs for every cycle.
func readWitness(text string, inputs int) (rows [][]bool, err error) {
	text, _, _ = strings.Cut(text, "#")
	for i, line := range strings.Split(strings.TrimRight(text, " \n"), "\n") {
		if i == 0 {
			continue
		}
		if line = strings.TrimSpace(line); len(line) != inputs {
			return nil, fmt.Errorf("a counterexample with %d inputs of %d", len(line), inputs)
		}
		row := make([]bool, inputs)
		for j := range row {
			row[j] = line[j] == '1'
		}
		rows = append(rows, row)
	}
	return rows, nil
}
