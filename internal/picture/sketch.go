package picture

import (
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/traces"
)

func (t *Topology) sketch(w *wired, s *fabric.Sketch) {
	numbered := len(s.Processors) > 0 // all processors have one name and differ in their index
	for i, p := range s.Processors {
		word, _, _ := strings.Cut(s.Processors[0].Name, "[")
		numbered = numbered && p.Name == fmt.Sprintf("%s[%d]", word, i) && !strings.Contains(word, ".")
	}
	for i, p := range s.Processors {
		label := p.Name
		if numbered {
			label = ""
		}
		t.Nodes = append(t.Nodes, Node{Number: i, Name: w.names.Processor(i), Label: label, X: p.X, Y: p.Y})
	}
	for i, m := range s.Media {
		n := Node{Number: -1, Name: m.Name, Label: m.Name, Kind: m.Kind, Shape: m.Shape, X: m.X, Y: m.Y}
		if medium := slices.Index(s.At, i); medium >= 0 {
			if n.Name = w.names.Medium(medium); m.Path != "" {
				n.Name = m.Path
			}
			if latency := latencyOf(s, medium); latency != "" {
				n.Label += ": " + latency
			}
		}
		t.Nodes = append(t.Nodes, n)
	}
	hearer := map[int]int{}
	for i := range s.Processors {
		for port := range w.ports(i) {
			hearer[w.names.HeardOn(i, uint16(port))] = i
		}
	}
	joined := map[[2]int]int{}
	join := func(from, to int, latency string, paths ...string) {
		if k, ok := joined[[2]int{to, from}]; ok && from != to {
			t.Links[k].OneWay = false
			t.Links[k].Paths = append(t.Links[k].Paths, paths...)
			return
		}
		if k, ok := joined[[2]int{from, to}]; ok {
			t.Links[k].Paths = append(t.Links[k].Paths, paths...)
			return
		}
		joined[[2]int{from, to}] = len(t.Links)
		t.Links = append(t.Links, Link{From: from, To: to, Number: -1, OneWay: true, Paths: paths, Label: latency})
	}
	for _, l := range s.Lines {
		paths, from := []string{w.names.Medium(l.Medium), w.names.Link(l.Medium)}, len(s.Processors)+l.From
		if round, leads := s.Round[l.Medium]; leads {
			t.Links = append(t.Links, Link{From: from, To: -1, DX: round.X, DY: round.Y, Number: l.Number, Paths: paths})
			continue
		}
		join(from, len(s.Processors)+l.To, latencyOf(s, l.Medium), paths...)
	}
	for i := range s.Processors {
		w.sends(i, w.shape.Processors(), func(_, medium int) {
			paths := []string{w.names.Medium(medium), w.names.Link(medium)}
			to, heard := hearer[medium]
			switch round, leads := s.Round[medium]; {
			case s.At[medium] >= 0:
				join(i, len(s.Processors)+s.At[medium], "", paths[0])
			case !heard:
			case leads:
				t.Links = append(t.Links, Link{From: i, To: -1, DX: round.X, DY: round.Y, Number: to, Paths: paths})
			default:
				join(i, to, latencyOf(s, medium), paths...)
			}
		})
		for port := range w.ports(i) {
			if medium := w.names.HeardOn(i, uint16(port)); medium >= 0 && s.At[medium] >= 0 {
				join(len(s.Processors)+s.At[medium], i, "", w.names.Link(medium))
			}
		}
	}
}

// latencyOf returns the latency of a medium, "" if it is the usual latency.
func latencyOf(s *fabric.Sketch, medium int) string {
	if s.Latencies == nil {
		return ""
	}
	return s.Latencies[medium]
}

// Load adds the number of frames on each medium, and names idle media in the note.
func (t *Topology) Load(c *Collector) {
	if c == nil || c.loads == nil {
		return
	}
	t.frames = map[string]uint64{}
	var idle []string
	all := 0
	for medium, frames := range c.loads {
		path := c.names.Medium(medium)
		counts := c.counts(medium)
		if counts {
			all++
		}
		if t.frames[path] = frames; frames == 0 && counts {
			idle = append(idle, path)
		}
	}
	for _, l := range t.Links {
		t.most = max(t.most, t.load(l))
	}
	for _, n := range t.Nodes {
		if n.Shape != fabric.Crossed {
			continue
		}
		for medium, frames := range c.loads {
			if strings.HasPrefix(c.names.Medium(medium), n.Name+".") {
				t.frames[n.Name] += frames
			}
		}
	}
	note := c.since() + c.counted()
	if len(idle) > 0 {
		some := strings.Join(idle[:min(len(idle), 4)], ", ")
		note += fmt.Sprintf("No frame was sent on %d of %s: %s", len(idle), traces.Plural(all, "medium", "media"), some)
		if len(idle) > 4 {
			note += ", ..."
		}
		note += ". "
	}
	t.Note = note + t.Note
}
