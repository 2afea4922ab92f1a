package picture

import (
	"fmt"
	"strings"

	"starloom/fabric"
	"starloom/traces"
)

// Load gives the picture the frames that were sent on each medium, and names those on which there was none.
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
