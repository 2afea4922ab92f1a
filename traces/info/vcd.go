package info

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

// VCD summarises a VCD.
type VCD struct {
	Version   string   `json:"version,omitempty"`
	Date      string   `json:"date,omitempty"`
	Comments  []string `json:"comments,omitempty"`
	Timescale string   `json:"timescale"`
	Scopes    int      `json:"scopes"`
	Variables int      `json:"variables"`
	Nets      int      `json:"nets"` // number of nets; a net represents all variables with one identifier code
	Bits      int      `json:"bits"` // bits of all nets

	Span
	Bytes int64 `json:"bytes"`

	Active []Activity `json:"most_active"`

	// Unknown lists signals with bits x or z after the first time. Undriven lists signals that were always x.
	Unknown  UnknownList     `json:"unknown"`
	Undriven traces.NameList `json:"never_known"`

	FST       bool     `json:"fst,omitempty"`
	Truncated bool     `json:"truncated,omitempty"` // the last line is incomplete and was not read
	Passed    []string `json:"passed,omitempty"`    // contents of the file other than values
	Unread    uint64   `json:"unread,omitempty"`    // number of values whose kind differs from the kind of their signal
	Signals   []Signal `json:"signals,omitempty"`
}

// Span is the time span of the file and its amount of data.
type Span struct {
	From    string `json:"from"` // first time with its unit; To is the last
	To      string `json:"to"`
	FirstAt uint64 `json:"first_time"` // first time in units of the time scale; LastAt is the last
	LastAt  uint64 `json:"last_time"`
	Times   uint64 `json:"times"` // number of different times
	Changes uint64 `json:"changes"`
}

// Activity is a signal and the number of its changes.
type Activity struct {
	Signal  string `json:"signal"`
	Changes uint64 `json:"changes"`
}

// UnknownList is the number of unknown signals, and the first of these signals.
type UnknownList struct {
	Count   int             `json:"count"`
	Signals []UnknownSignal `json:"signals,omitempty"`
}

// UnknownSignal is a signal that has been x or z, with the last time at which it became known again.
type UnknownSignal struct {
	Signal string `json:"signal"`
	Until  string `json:"until"` // time, "" for the end of the file
}

// Signal is a declared variable.
type Signal struct {
	Path    string `json:"path"`
	Type    string `json:"type"`
	Range   string `json:"range,omitempty"`
	Bits    int    `json:"bits"`
	Changes uint64 `json:"changes"`
}

func readVCD(s *input.Stream, o Options) (*VCD, error) {
	patterns, err := vcd.CompilePatterns(o.Signals, "--signals")
	if err != nil {
		_ = s.Close() // read-only
		return nil, err
	}
	r, err := vcd.OpenStream(s)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := r.WatchAll(); err != nil {
		return nil, err
	}
	h := r.Header()
	info := &VCD{
		Version: h.Version, Date: h.Date, Comments: h.Comments, Timescale: r.Duration(h.Tick).String(),
		Scopes: h.Scopes, Variables: len(h.Vars), Nets: r.Nets(),
	}
	seen, err := watchUnknown(r, info, o)
	if err != nil {
		return nil, err
	}
	info.From, info.To = r.Duration(info.FirstAt).String(), r.Duration(info.LastAt).String()
	info.Bytes, info.FST, info.Passed = r.Bytes(), r.FST(), r.Passed()
	info.Truncated, info.Unread = r.Truncated(), r.Unread()
	for id := range vcd.NetID(r.Nets()) {
		_, bits := r.Net(id)
		info.Bits += bits
		info.Changes += r.Changes(id)
	}
	names := netNames(r)
	info.Active = mostActive(r, names, o.Top)
	seen.list(r, names, info)
	for i := range h.Vars {
		if v := &h.Vars[i]; patterns.Match(v.Path) {
			info.Signals = append(info.Signals,
				Signal{Path: v.Path, Type: v.Type, Range: rangeText(v), Bits: v.Bits, Changes: r.Changes(v.Net)})
		}
	}
	return info, nil
}

func rangeText(v *vcd.Var) string {
	if !v.HasRange || v.MSB == v.LSB {
		return ""
	}
	return fmt.Sprintf("[%d:%d]", v.MSB, v.LSB)
}

func netNames(r *vcd.Reader) []string {
	names := make([]string, r.Nets())
	for i := range r.Header().Vars {
		if v := &r.Header().Vars[i]; names[v.Net] == "" {
			names[v.Net] = v.Path
		}
	}
	return names
}

func holdsBits(r *vcd.Reader, id vcd.NetID) bool {
	kind, _ := r.Net(id)
	return kind == vcd.KindBits
}

type unknownSeen struct {
	now   []bool   // nets that are x or z
	ever  []bool   // nets that were x or z after the first time
	known []bool   // nets that were known at some time
	until []uint64 // times at which nets became known again
}

func watchUnknown(r *vcd.Reader, info *VCD, o Options) (*unknownSeen, error) {
	count := r.Nets()
	seen := &unknownSeen{now: make([]bool, count), ever: make([]bool, count), known: make([]bool, count),
		until: make([]uint64, count)}
	for r.Next() {
		if info.Times%checkEvery == 0 {
			if err := o.Interrupted(); err != nil {
				return nil, err
			}
		}
		changed, err := r.Step()
		if err != nil {
			return nil, err
		}
		if info.Times == 0 {
			info.FirstAt = r.Time()
			for id := range seen.now {
				seen.now[id] = holdsBits(r, vcd.NetID(id))
			}
		}
		info.Times++
		info.LastAt = r.Time()
		for _, id := range changed {
			if !holdsBits(r, id) {
				continue
			}
			unknown := !r.Value(id).Known()
			if seen.now[id] && !unknown {
				seen.until[id] = r.Time()
				seen.ever[id] = seen.ever[id] || info.Times > 1
			}
			seen.known[id] = seen.known[id] || !unknown
			seen.now[id] = unknown
		}
	}
	return seen, r.Err()
}

func (s *unknownSeen) list(r *vcd.Reader, names []string, info *VCD) {
	var undriven []string
	for id, name := range names {
		if !holdsBits(r, vcd.NetID(id)) || info.Times == 0 {
			continue
		}
		if !s.known[id] {
			undriven = append(undriven, name)
			continue
		}
		if !s.ever[id] && !s.now[id] {
			continue
		}
		info.Unknown.Count++
		if len(info.Unknown.Signals) < traces.NamesKept {
			until := ""
			if !s.now[id] {
				until = r.Duration(s.until[id]).String()
			}
			info.Unknown.Signals = append(info.Unknown.Signals, UnknownSignal{Signal: name, Until: until})
		}
	}
	info.Undriven = traces.NewNameList(undriven)
}

func mostActive(r *vcd.Reader, names []string, count int) []Activity {
	ids := make([]vcd.NetID, len(names))
	for i := range ids {
		ids[i] = vcd.NetID(i)
	}
	slices.SortStableFunc(ids, func(x, y vcd.NetID) int {
		switch a, b := r.Changes(x), r.Changes(y); {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	var list []Activity
	for _, id := range ids[:min(count, len(ids))] {
		list = append(list, Activity{Signal: names[id], Changes: r.Changes(id)})
	}
	return list
}

func (i *VCD) write(w io.Writer) {
	t := newTable(w)
	t.row("kind", "%s%s", map[bool]string{true: "FST", false: "VCD"}[i.FST],
		map[bool]string{true: ", ends within a line, which is ignored"}[i.Truncated])
	if i.Unread > 0 {
		t.row("skipped", "%s of another kind than the signal", traces.Plural(i.Unread, "value", "values"))
	}
	for _, what := range i.Passed {
		t.row("skipped", "%s", what)
	}
	if i.Version != "" {
		t.row("written by", "%s", i.Version)
	}
	for _, comment := range i.Comments {
		t.lines("comment", comment)
	}
	t.row("timescale", "%s", i.Timescale)
	t.row("signals", "%d in %s, %s of %s", i.Variables, traces.Plural(uint64(i.Scopes), "scope", "scopes"),
		traces.Plural(uint64(i.Nets), "net", "nets"), traces.Plural(uint64(i.Bits), "bit", "bits"))
	if i.Times == 0 {
		t.row("time", "no value is written")
	} else {
		t.row("time", "%s to %s, %s at %s", i.From, i.To, traces.Plural(i.Changes, "change", "changes"),
			traces.Plural(i.Times, "time", "times"))
	}
	for _, a := range i.Active {
		t.row("most active", "%s  %s", a.Signal, traces.Plural(a.Changes, "change", "changes"))
	}
	if i.Undriven.Count > 0 {
		t.row("never known", "%s: %s", traces.Plural(uint64(i.Undriven.Count), "signal", "signals"), i.Undriven.Some())
	}
	if i.Unknown.Count > 0 {
		t.row("x or z", "%s after the first time: %s",
			traces.Plural(uint64(i.Unknown.Count), "signal", "signals"), i.Unknown.some())
	} else {
		t.row("x or z", "none after the first time")
	}
	for _, s := range i.Signals {
		t.row("signal", "%s%s  %s, %s", s.Path, s.Range, s.Type, traces.Plural(uint64(s.Bits), "bit", "bits"))
	}
	t.flush()
}

func (l UnknownList) some() string {
	var parts []string
	for _, s := range l.Signals[:min(len(l.Signals), traces.NamesShown)] {
		until := "to the end"
		if s.Until != "" {
			until = "until " + s.Until
		}
		parts = append(parts, s.Signal+" ("+until+")")
	}
	text := strings.Join(parts, ", ")
	if l.Count > traces.NamesShown {
		text += ", ..."
	}
	return text
}
