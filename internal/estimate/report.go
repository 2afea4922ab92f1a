package estimate

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"starloom/internal/emulator"
	"starloom/traces/input"
	"starloom/traces/meaning"
)

// Schema is the version of Estimate's JSON form. New keys do not change the version.
const Schema = 1

// Estimate is the predicted cost of a scenario on this machine.
type Estimate struct {
	Schema          int                  `json:"schema"`
	Scenario        string               `json:"scenario"`
	Engine          string               `json:"engine"`
	Processors      int                  `json:"processors"`
	SlotsMax        uint32               `json:"slots_max"`              // limit after which an unfinished run fails
	MemoryBytes     uint64               `json:"memory_bytes"`           // a run is refused if less is available
	MemoryAvailable uint64               `json:"memory_available_bytes"` // bytes available now; 0 if unknown
	MemoryParts     emulator.MemoryParts `json:"memory_parts"`           // sum: MemoryBytes
	Time            Time                 `json:"time"`
	Larger          []Larger             `json:"larger"`
	Measurements    []Measurement        `json:"measurements"` // measured runs, largest last

	RunCommand string `json:"-"` // command of the estimated run, for the page; "" for none
	// Measured tells that this call ran part of the scenario; false if all measurements were cached.
	Measured bool `json:"-"`
}

// Larger is a larger size of the same scenario.
type Larger struct {
	Keys        []Key                `json:"keys"`
	Processors  int                  `json:"processors"`
	MemoryBytes uint64               `json:"memory_bytes"`
	MemoryParts emulator.MemoryParts `json:"memory_parts"`
	Time        Time                 `json:"time"`
}

// Measurement is a measured run of this or a smaller size. Times are in seconds, summed over all processors.
type Measurement struct {
	Processors int     `json:"processors"`
	Whole      bool    `json:"whole"` // the run ended; otherwise it was stopped after Places
	Places     uint64  `json:"slots"` // number of slots, or of runs if there are several
	Begin      float64 `json:"begin_seconds"`
	Between    float64 `json:"slots_seconds"`
	Rest       float64 `json:"end_seconds"` // time after the last slot: report, repeats
}

func (m *Measurement) total() float64 { return m.Begin + m.Between + m.Rest }

// Time is the predicted time of a run.
type Time struct {
	Seconds   float64 `json:"seconds"`           // 0 if unknown
	Processor float64 `json:"processor_seconds"` // sum over all processors
	Slots     float64 `json:"slots"`             // number of slots, or of runs if there are several; 0 if unknown
	Basis     string  `json:"basis"`
	From      string  `json:"from"` // the measured part, such as 40 slots
	runs      bool    // Slots counts runs
}

const (
	BasisItself  = "run"           // the whole run
	BasisPart    = "first slots"   // first slots of the run, and the distribution of time in smaller runs
	BasisLimit   = "limit"         // first slots of the run, extrapolated to the slot limit; the run may end earlier
	BasisSmaller = "smaller sizes" // runs of smaller sizes
	BasisNothing = ""              // no measurement was possible
)

func (t *Time) set(processor time.Duration, cores, slots float64, basis, from string) {
	t.Processor, t.Slots, t.Basis, t.From = processor.Seconds(), math.Round(slots), basis, from
	t.Seconds = t.Processor / cores
}

// Duration returns the time, 0 if unknown.
func (t *Time) Duration() time.Duration { return time.Duration(t.Seconds * float64(time.Second)) }

// WriteJSON writes the stable, versioned form.
func (e *Estimate) WriteJSON(w io.Writer) error {
	return input.WriteJSON(w, e)
}

func (e *Estimate) WriteText(w io.Writer) error {
	var b bytes.Buffer
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	available := ""
	if e.MemoryAvailable > 0 {
		available = fmt.Sprintf(" of %s available", MemoryText(e.MemoryAvailable))
		if e.MemoryBytes > e.MemoryAvailable {
			available = fmt.Sprintf(", but only %s are available: a run is refused here", MemoryText(e.MemoryAvailable))
		}
	}
	fmt.Fprintf(table, "memory\t%s%s\n", MemoryText(e.MemoryBytes), available)
	fmt.Fprintf(table, "time\t%s, engine %s\n", e.Time.text(), e.Engine)
	fmt.Fprintf(table, "based on\t%s\n", e.Time.basis())
	if err := table.Flush(); err != nil {
		return err
	}
	if len(e.Larger) > 0 {
		fmt.Fprintf(table, "\nlarger\tprocessors\tmemory\ttime\n")
	}
	for i := range e.Larger {
		l := &e.Larger[i]
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\n", l.text(), l.Processors, MemoryText(l.MemoryBytes), l.Time.text())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// text formats the time with at most two digits, the accuracy of the prediction.
func (t *Time) text() string {
	if t.Basis == BasisNothing {
		return "-"
	}
	text := "about " + DurationText(t.Duration())
	if t.Basis == BasisLimit {
		text = "at most" + strings.TrimPrefix(text, "about")
	}
	return text
}

func (t *Time) basis() string {
	switch t.Basis {
	case BasisItself:
		return fmt.Sprintf("the run itself: it ended after %.0f %s", t.Slots, t.unit())
	case BasisPart:
		if t.runs {
			return "its first " + t.From
		}
		return fmt.Sprintf("its first %s; the whole run will probably take %.0f slots", t.From, t.Slots)
	case BasisLimit:
		return fmt.Sprintf("its first %s; the run may end before its limit of %.0f slots", t.From, t.Slots)
	case BasisSmaller:
		return fmt.Sprintf("runs of smaller sizes, %s; the run will probably take %.0f slots", t.From, t.Slots)
	}
	return "no measurement: the run is too large to begin here, and has no smaller sizes"
}

func (t *Time) unit() string {
	if t.runs {
		return "runs"
	}
	return "slots"
}

// DurationText formats a time with two digits.
func DurationText(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 0.095:
		return fmt.Sprintf("%.2f s", math.Max(s, 0.01))
	case s < 9.5:
		return fmt.Sprintf("%.1f s", s)
	case s < 95:
		return fmt.Sprintf("%.0f s", s)
	case s < 5700:
		return fmt.Sprintf("%.0f min", s/60)
	case s < 48*3600:
		return fmt.Sprintf("%.1f h", s/3600)
	default:
		return fmt.Sprintf("%.1f days", s/86400)
	}
}

// MemoryText formats a number of bytes in MiB or GiB.
func MemoryText(bytes uint64) string {
	if bytes < 10<<30 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

// Key is a key of the scenario and its value at another size.
type Key struct {
	Key   string `json:"key"` // name of the key in the syntax of --set
	Value int    `json:"value"`
}

//go:embed metrics.yaml
var metrics string

// Meanings describes the keys of an estimate.
func Meanings() []meaning.Group { return meaning.Must(metrics) }
