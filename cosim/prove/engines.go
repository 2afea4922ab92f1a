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

// An answer is what an engine says of a graph with one output.
type answer struct {
	proved  bool
	refuted bool     // with or without inputs that show it
	inputs  [][]bool // of a counterexample, cycle by cycle, by input of the graph; nil for none
	frames  int      // cycles in which there is none
}

// An engine is a way to decide a graph with one output.
type engine struct {
	name    string
	bounded bool // finds counterexamples only, and says how far it has looked
	reduces bool // makes a graph smaller and decides nothing else
	script  func(seconds int) string
}

var (
	pdr = engine{name: "pdr", script: func(seconds int) string { return fmt.Sprintf("strash; pdr -T %d", seconds) }}

	// reach goes through all states that can be reached, as a BDD: tens of thousands of cycles of a counter in a second.
	reach = engine{name: "reach", script: func(seconds int) string {
		return fmt.Sprintf("strash; reach -F 1000000 -T %d", seconds)
	}}

	// deeper looks for what is always equal after a longer past.
	deeper = engine{name: "scorr, pdr", script: func(seconds int) string {
		return fmt.Sprintf("strash; scleanup; scorr -F 2; dc2; scorr -F 4; pdr -T %d", seconds)
	}}

	dprove = engine{name: "dprove", script: func(seconds int) string { return fmt.Sprintf("strash; dprove -T %d", seconds) }}

	bmc3 = engine{name: "bmc3", bounded: true, script: func(seconds int) string { return fmt.Sprintf("strash; bmc3 -v -T %d", seconds) }}

	// scorr merges signals that are always equal, which two circuits of one style have many of.
	scorr = engine{name: "scorr", reduces: true, script: func(int) string { return "strash; scleanup; lcorr; scorr; scorr -F 2; dc2" }}
)

// reachLatches bounds the registers of a graph that reach is asked of: of more it seldom knows anything.
const reachLatches = 128

// bounded looks at some cycles only; the first one is that of the reset.
func bounded(cycles int) engine {
	return engine{name: "bmc3", bounded: true, script: func(seconds int) string {
		return fmt.Sprintf("strash; bmc3 -v -F %d -T %d", cycles+1, seconds)
	}}
}

var (
	statusLine = regexp.MustCompile(`(?m)^Status = (-?\d)`) // 1: proved, 0: refuted
	framesLine = regexp.MustCompile(`No output asserted in (\d+) frames?`)
	frameLine  = regexp.MustCompile(`(?m)^ *(\d+) \+ : Var =`) // of bmc3 -v: no output asserted in it, nor in those before
)

func (e *engine) command(name string, limit time.Duration) string {
	return fmt.Sprintf("read_aiger %s.aig; %s", name, e.script(max(1, int(limit.Seconds()))))
}

// run gives a graph to an engine for a time. Its counterexample is not believed: the caller simulates it.
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
		return answer{frames: framesIn(string(said))}, nil // late, or no longer needed
	}
	if err != nil {
		return answer{}, fmt.Errorf("%s of abc fails: %w: %s", e.name, err, cosim.OneLine(said))
	}
	return e.read(string(said), cex, g)
}

// reduce lets an engine make a graph smaller; nil if it takes too long.
func (e *engine) reduce(ctx context.Context, dir, name string, g *graph, limit time.Duration) (*graph, error) {
	in, out := filepath.Join(dir, name+".aig"), filepath.Join(dir, name+"-reduced.aig")
	if err := writeGraph(in, g); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := cosim.Command(ctx, dir, abcTool.Command, "-q", fmt.Sprintf("%s; write_aiger %s-reduced.aig", e.command(name, limit), name))
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

// framesIn is how many frames an engine has looked at. One that is ended within a hard frame has said so of
// the earlier ones only, and may have kept the last lines to itself.
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
		return answer{}, fmt.Errorf("%s of abc says nothing of its result: %s", e.name, cosim.OneLine([]byte(said)))
	case status[1] == "1":
		return answer{proved: true}, nil
	case status[1] == "0":
		text, err := os.ReadFile(cex)
		if err != nil {
			return answer{refuted: true}, nil // it does not write its counterexample
		}
		inputs, err := readWitness(string(text), g.inputs)
		return answer{refuted: true, inputs: inputs}, err
	}
	return answer{frames: framesIn(said)}, nil
}

// readWitness reads a counterexample: a line of latches, all 0 at first, then the inputs of every cycle.
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
