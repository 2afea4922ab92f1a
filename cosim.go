package starloom

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/cosim"
	"starloom/cosim/icarus"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/cosim/verilator"
	"starloom/fabric"
	"starloom/traces"
	"starloom/traces/vcd"
)

// LoadPinMap reads the pin map of RTL that stands for a model:
//
//	model: arbiter_round_robin           # a twin: `starloom cosim check --list`
//	parameters: {REQUESTERS: 16}         # of the model
//	top: rr_arb                          # module of the RTL
//	sources: [rr_arb.sv]                 # relative to the map's folder
//	include: [inc]                       # folders of `include
//	defines: {SYNTHESIS: ""}
//	params: {NUM: 16}                    # of the top module
//	image: rr_arb.wasm                   # of `starloom cosim build`, instead of sources
//	backend: wasm                        # or icarus, shared
//	clock: clk_i
//	reset: {pin: rst_ni, active: low}    # or only a name: active high
//	pins:                                # port of the model: pin of the RTL
//	  request: [valid_b, "valid_a[3:0]"] # first is highest, as in Verilog's braces
//	  grant: ~ready_no                   # inverted
//	ties: {test_en_i: 0}                 # constants for other inputs
//	feedback: {ack_i: gnt_o}             # an input that follows an output within a cycle
//	absent: [index]                      # outputs of the model that the RTL has not
//	latency: {grant: -1}                 # -1: combinational; see pinmap.Map
//
// Every error is an *InputError with file, line and column. Pins are looked up when
// a device is opened.
func LoadPinMap(path string) (*pinmap.Map, error) {
	data, err := readMap(path, pinMapRemedy)
	if err != nil {
		return nil, err
	}
	return parsePinMap(path, data)
}

const pinMapRemedy = "give the path of a pin map; `starloom cosim check --help` shows one"

// parsePinMap is LoadPinMap for the bytes of a file.
func parsePinMap(path string, data []byte) (*pinmap.Map, error) {
	d, root, err := parseMap(path, data, "the pin map", pinMapRemedy)
	if err != nil {
		return nil, err
	}
	m := &pinmap.Map{Library: rtlLibrary(), File: path, Places: map[string]string{}, Parameters: twin.Parameters{}, Latency: map[string]int{}}
	if fabric := fabricKey(root); fabric != nil {
		return nil, d.refuse(fabric, "this is a scenario, not a pin map", "give a pin map")
	}
	p := pinMapDecoder{d, m, filepath.Dir(path)}
	m.Source.DataDir = p.folder
	if err := p.object(root, "the pin map", p.keys()); err != nil {
		return nil, err
	}
	if m.Model == "" {
		return nil, d.refuse(root, "the pin map names no model", "add model: the twin that the RTL stands for; `starloom cosim check --list` lists them")
	}
	return m, nil
}

// Twins returns the twins of all components, and those that fabrics bring.
func Twins() []twin.Twin {
	all := twin.All()
	for _, n := range new(Fabric).kinds() {
		if own, _ := fabric.TwinOf(n); own != nil {
			all = append(all, *own)
		}
	}
	return all
}

// TwinMap returns the pin map of a twin; see pinmap.OfTwin.
func TwinMap(name string, parameters twin.Parameters, cacheDir string) (*pinmap.Map, error) {
	return pinmap.OfTwin(rtlLibrary(), name, parameters, cacheDir)
}

// rtlLibrary is all that a pin map can name.
func rtlLibrary() pinmap.Library {
	return pinmap.Library{Twins: Twins(), Backends: []cosim.Backend{verilator.Wasm(), icarus.Backend(), verilator.Native()}}
}

// pinMapDecoder fills a pin map and notes where everything stands.
type pinMapDecoder struct {
	*mapDecoder
	m      *pinmap.Map
	folder string
}

type readNode = func(*yaml.Node, string) error

func (d *pinMapDecoder) keys() map[string]readNode {
	m := d.m
	keys := map[string]readNode{
		"model": d.textTo(&m.Model),
		"parameters": d.each(func(n *yaml.Node, key, where string) error {
			return d.integerTo(n, where, m.Parameters, key, 0, math.MaxUint32)
		}),
		"top":     d.textTo(&m.Source.Top),
		"sources": d.pathsTo(&m.Source.Files),
		"include": d.pathsTo(&m.Source.IncludeDirs),
		"defines": d.constants(&m.Source.Defines),
		"params":  d.constants(&m.Source.Params),
		"image": func(n *yaml.Node, where string) error {
			err := d.text(n, where, &m.Image)
			m.Image = d.relative(m.Image)
			return err
		},
		"backend": func(n *yaml.Node, where string) error {
			i, err := d.word(n, where, cosim.Backends...)
			m.Backend = cosim.Backends[i]
			return err
		},
		"clock":  d.textTo(&m.Clock),
		"reset":  d.reset,
		"pins":   d.each(d.pin),
		"ties":   d.each(d.tie),
		"absent": func(n *yaml.Node, where string) error { return d.noted(n, where, &m.Absent) },
		"feedback": d.each(func(n *yaml.Node, key, where string) error {
			f := pinmap.Feedback{To: key}
			err := d.text(n, where, &f.From)
			m.Feedback = append(m.Feedback, f)
			return err
		}),
		"latency": d.each(func(n *yaml.Node, key, where string) error {
			return d.integerTo(n, where, m.Latency, key, math.MinInt32, math.MaxInt32)
		}),
	}
	for key, read := range keys {
		keys[key] = func(n *yaml.Node, where string) error {
			m.Places[key] = d.place(n)
			return read(n, where)
		}
	}
	return keys
}

func (d *pinMapDecoder) textTo(to *string) readNode {
	return func(n *yaml.Node, where string) error { return d.text(n, where, to) }
}

// each reads an object whose keys are the user's names.
func (d *pinMapDecoder) each(read func(n *yaml.Node, key, where string) error) readNode {
	return func(n *yaml.Node, where string) error {
		if n.Kind != yaml.MappingNode {
			return d.wrong(n, where, "an object: {NAME: VALUE}")
		}
		seen := map[string]string{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, err := d.key(n.Content[i], where, seen)
			if err != nil {
				return err
			}
			at := join(where, key)
			d.m.Places[at] = d.place(n.Content[i])
			if err := read(target(n.Content[i+1]), key, at); err != nil {
				return err
			}
		}
		return nil
	}
}

func (d *pinMapDecoder) integerTo(n *yaml.Node, where string, to map[string]int, key string, least int64, most uint64) error {
	number, err := d.integer(n, where, span{min: least, max: most})
	to[key] = int(number.int64())
	return err
}

// noted reads texts and notes where each stands.
func (d *pinMapDecoder) noted(n *yaml.Node, where string, to *[]string) error {
	if err := d.texts(n, where, to); err != nil {
		return err
	}
	for i, entry := range n.Content {
		d.m.Places[fmt.Sprintf("%s[%d]", where, i)] = d.place(entry)
	}
	return nil
}

func (d *pinMapDecoder) pathsTo(to *[]string) readNode {
	return func(n *yaml.Node, where string) error {
		err := d.noted(n, where, to)
		for i, path := range *to {
			(*to)[i] = d.relative(path)
		}
		return err
	}
}

func (d *pinMapDecoder) relative(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(d.folder, path)
}

// constants reads names and values that the RTL's tools understand.
func (d *pinMapDecoder) constants(to *map[string]string) readNode {
	*to = map[string]string{}
	return d.each(func(n *yaml.Node, key, where string) error {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" && n.ShortTag() != "!!str" {
			return d.wrong(n, where, `an integer, or a text: "8'hff"`)
		}
		(*to)[key] = n.Value
		if n.ShortTag() == "!!int" {
			number, err := d.integer(n, where, span{min: math.MinInt32, max: math.MaxUint32})
			if err != nil {
				return err
			}
			(*to)[key] = strconv.FormatInt(number.int64(), 10)
		}
		return nil
	})
}

// reset reads {pin: rst_ni, active: low}, or the name of a pin.
func (d *pinMapDecoder) reset(n *yaml.Node, where string) error {
	if n.Kind == yaml.ScalarNode {
		return d.text(n, where, &d.m.Reset)
	}
	err := d.object(n, where, map[string]readNode{
		"pin": d.textTo(&d.m.Reset),
		"active": func(n *yaml.Node, where string) error {
			i, err := d.word(n, where, "high", "low")
			d.m.ResetLow = i == 1
			return err
		},
	})
	if err == nil && d.m.Reset == "" {
		err = d.refuse(n, "reset names no pin", "write reset: {pin: rst_ni, active: low}")
	}
	return err
}

// pin reads one pin, or a list of them.
func (d *pinMapDecoder) pin(n *yaml.Node, key, where string) error {
	w := pinmap.Wiring{Port: key}
	if n.Kind == yaml.SequenceNode {
		if err := d.noted(n, where, &w.Pins); err != nil {
			return err
		}
	} else {
		var text string
		if err := d.text(n, where, &text); err != nil {
			return err
		}
		w.Pins = []string{text}
	}
	d.m.Places[where] = d.place(n)
	d.m.Pins = append(d.m.Pins, w)
	return nil
}

func (d *pinMapDecoder) tie(n *yaml.Node, key, where string) error {
	t := pinmap.Tie{Pin: key}
	err := d.natural(n, where, math.MaxUint64, &t.Value)
	d.m.Ties = append(d.m.Ties, t)
	return err
}

// CheckOptions are the runs of CosimCheck and what it writes.
type CheckOptions struct {
	lockstep.Options

	StimulusFile string // CSV or VCD, in the place of the random stimulus; "" for none

	VCD  Output // the case as a waveform, and its save file for GTKWave beside it if it is a file
	Save Output // the case's stimulus as CSV, for StimulusFile
	JSON Output // the report
}

// CosimCheck runs RTL in lockstep with the model that it stands for. The case that
// the outputs show is that of the divergence; where there is none, the first cycles of
// the first run. Files appear together or not at all; they are opened before the
// work. Errors about the map, the RTL and files are *InputError.
func CosimCheck(ctx context.Context, m *pinmap.Map, o CheckOptions) (*lockstep.Report, error) {
	files, err := openCheckFiles(o)
	if err != nil {
		return nil, err
	}
	defer files.abort()
	if o.StimulusFile != "" {
		if o.Stimulus, err = lockstep.ReadStimulus(m, o.StimulusFile); err != nil {
			return nil, err
		}
		o.Stimulus.Place = o.StimulusFile
	}
	report, err := lockstep.Run(ctx, m, o.Options)
	if err != nil {
		return nil, err
	}
	return report, files.write(report)
}

// checkFiles are what a check writes.
type checkFiles struct {
	outputs
	gtkwPath, vcdPath      string
	wave, gtkw, save, json *traces.File // nil for none
}

// openCheckFiles opens the files of a check before its work.
func openCheckFiles(o CheckOptions) (*checkFiles, error) {
	beside := o.VCD.beside(Output{}, ".gtkw")
	c := &checkFiles{gtkwPath: beside.path, vcdPath: o.VCD.path}
	for _, f := range []struct {
		option, kind string
		output       Output
		to           **traces.File
	}{
		{"--vcd", "vcd", o.VCD, &c.wave}, {"--vcd", "gtkw", beside, &c.gtkw},
		{"--save", "csv", o.Save, &c.save}, {"--json", "json", o.JSON, &c.json},
	} {
		var err error
		if *f.to, err = c.open(f.option, f.kind, f.output); err != nil {
			c.abort()
			return nil, err
		}
	}
	return c, nil
}

// write writes the files; they appear together.
func (c *checkFiles) write(report *lockstep.Report) error {
	if c.wave != nil {
		signals, err := report.Shown.WriteVCD(c.wave, []string{vcdComment(report.Title())})
		if err != nil {
			return err
		}
		if c.gtkw != nil {
			save := vcd.SaveFile{Path: c.gtkwPath, VCD: c.vcdPath, Signals: signals}
			if err := save.Write(c.gtkw); err != nil {
				return err
			}
		}
	}
	if c.save != nil {
		if report.Shown.Stimulus == nil {
			return &InputError{Place: "--save", Reason: "the case has too many cycles to keep them", Remedy: "leave --save out, or give fewer --cycles"}
		}
		if err := report.Shown.Stimulus.WriteCSV(c.save); err != nil {
			return err
		}
	}
	if c.json != nil {
		if err := report.WriteJSON(c.json); err != nil {
			return err
		}
	}
	return c.files.Commit()
}

// vcdComment keeps what a comment of a VCD may hold.
func vcdComment(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '$' {
			return '?'
		}
		return r
	}, text)
}
