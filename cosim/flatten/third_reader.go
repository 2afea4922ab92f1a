package flatten

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"starloom/cosim"
	"starloom/cosim/slang"
)

// ThirdLimit is the default time limit of a third reader. Its first run compiles it to machine code.
const ThirdLimit = 3 * time.Minute

// A Third is the result of comparing a print with its source as slang reads it. Bits that are X on either side are
// not compared: Unknown and Valued report them, and are no verdict.
type Third struct{ Second }

// CompareThird compares a print with the netlist that slang makes of its source. Icarus Verilog runs both, because a
// netlist keeps X. If slang is missing, rejects the source, or does not end in time (0: ThirdLimit), Absent holds the
// reason.
//
// A difference is returned as a *Difference.
func CompareThird(ctx context.Context, s cosim.Source, m *Module, o cosim.BuildOptions, seed uint64,
	limit time.Duration) (Third, error) {
	if limit == 0 {
		limit = ThirdLimit
	}
	inTime, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	reader, err := slang.Open(inTime, o)
	if err == nil {
		defer func() { _ = reader.Close() }()
		var third Third
		if third, err = compareThird(inTime, reader, s, m, o, seed); err == nil {
			return third, nil
		}
	}
	var differs *Difference
	switch {
	case errors.As(err, &differs):
		return Third{}, err
	case ctx.Err() != nil:
		return Third{}, ctx.Err()
	case inTime.Err() != nil:
		err = fmt.Errorf("it did not end in %v", limit)
	}
	return Third{Second{Absent: cosim.OneLine([]byte(err.Error()))}}, nil
}

func compareThird(ctx context.Context, reader *slang.Reader, s cosim.Source, m *Module, o cosim.BuildOptions,
	seed uint64) (Third, error) {
	netlist, err := reader.Netlist(ctx, s)
	if err != nil {
		return Third{}, err
	}
	dir, err := os.MkdirTemp("", "starloom-third-")
	if err != nil {
		return Third{}, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "netlist.v")
	if err := os.WriteFile(path, []byte(inOrder(netlist, m)), 0o644); err != nil {
		return Third{}, err
	}
	read := cosim.Source{Top: s.Top, Files: []string{path}, Clocks: s.Clocks, DataDir: s.DataDir}
	second, err := compareWithin(ctx, read, m, o, seed)
	var differs *Difference
	if errors.As(err, &differs) {
		differs.Device, differs.Second, differs.Third, differs.Turned = s.Name(), false, true, nil
	}
	return Third{second}, err
}

// header matches the ports of a netlist, which slang sorts.
var header = regexp.MustCompile(`(?m)^module [^;]*;$`)

// inOrder returns a netlist with the ports in the order of a print.
func inOrder(netlist string, m *Module) string {
	names := make([]string, len(m.Ports))
	for i, p := range m.Ports {
		names[i] = cosim.VerilogName(p.Name)
	}
	at := header.FindStringIndex(netlist)
	if at == nil {
		return netlist
	}
	return netlist[:at[0]] + "module " + cosim.VerilogName(m.Top) + "(" + strings.Join(names, ", ") + ");" +
		netlist[at[1]:]
}

// Text returns the result as a sentence for reports.
func (t *Third) Text() string {
	if t.Absent != "" && t.Cycles == 0 {
		return "no third reader has read the RTL: " + t.Absent
	}
	text := fmt.Sprintf("slang, a third reader of SystemVerilog, reads the same: %s of random inputs without a "+
		"difference", cosim.Count(uint64(t.Cycles), "cycle"))
	if n := uint64(t.Branches); n > 0 {
		text += fmt.Sprintf(", %s of %s branches taken", cosim.Digits(uint64(t.Taken)), cosim.Digits(n))
	}
	if len(t.Unknown) > 0 {
		text += ", except where outputs are X in one of both: " + PartsText(t.Unknown)
	}
	if t.Absent != "" {
		text += ", and no more: " + t.Absent
	}
	return text
}
