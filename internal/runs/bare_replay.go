package runs

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"starloom/hw"
	"starloom/internal/outputs"
	"starloom/traces"
)

// openReplay opens what is told of one processor, nil for none.
func (r *bareRun) openReplay(o *Options, out *outputs.Set) (*traces.File, error) {
	if !o.Replay.Given() {
		return nil, nil
	}
	if err := o.checkReplay(r.config.Network.Shape().Processors()); err != nil {
		return nil, err
	}
	return out.OpenQuietly("--replay", "replay", o.Replay)
}

// writeReplay tells what the source and the sink of a processor have done in the run, a line for each cycle.
func (r *bareRun) writeReplay(file io.Writer, processor int) error {
	type event struct {
		cycle uint32
		what  string
	}
	var events []event
	note := func(cycle uint32, format string, values ...any) {
		if cycle != hw.PacketPending && uint64(cycle) >= r.begin && uint64(cycle) < r.kernel.Cycle() {
			events = append(events, event{cycle, fmt.Sprintf(format, values...)})
		}
	}
	p := r.packets
	for i := range uint32(p.Count()) {
		id := p.ID(i)
		if int(p.Source[i]) == processor {
			note(p.Created[i], "packet %d to %d is created, %s", id, p.Destination[i], traces.Plural(uint64(p.Size[i]), "flit", "flits"))
			note(p.Sent[i], "sends the head of packet %d", id)
		}
		if int(p.Destination[i]) == processor {
			note(p.Received[i], "receives the tail of packet %d from %d, created in cycle %d, over %s", id, p.Source[i], p.Created[i],
				traces.Plural(uint64(p.Hops[i]), "router", "routers"))
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.cycle, b.cycle) })
	out, since := bufio.NewWriter(file), ""
	if r.begin > 0 {
		since = fmt.Sprintf(" from cycle %d on", r.begin)
	}
	fmt.Fprintf(out, "%s has no firmware: its source and its sink in %s%s\n", r.config.Network.Names().Processor(processor),
		traces.Plural(r.kernel.Cycle()-r.begin, "cycle", "cycles"), since)
	for len(events) > 0 {
		cycle, line := events[0].cycle, []string(nil)
		for ; len(events) > 0 && events[0].cycle == cycle; events = events[1:] {
			line = append(line, events[0].what)
		}
		fmt.Fprintf(out, "cycle %d: %s\n", cycle, strings.Join(line, "; "))
	}
	return out.Flush()
}
