package starloom

import (
	"context"
	"errors"
	"slices"

	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/internal/maps"
	"starloom/internal/runs"
	"starloom/internal/tools"
	"starloom/traces"
	"starloom/traces/input/strict"
)

// LoadPinMap reads the pin map of RTL that stands for a model; `starloom cosim check --help` shows one.
//
// Every error is an *InputError with file, line and column. Pins are looked up when
// a device is opened.
func LoadPinMap(path string) (*pinmap.Map, error) { return Networks(nil).LoadPinMap(path) }

// LoadPinMap is LoadPinMap with the twins of these networks.
func (list Networks) LoadPinMap(path string) (*pinmap.Map, error) {
	return maps.LoadPin(path, list.library())
}

// PinMapPoint is a pin map with one value of each list of parameters.
type PinMapPoint = maps.Point

// LoadPinMaps is LoadPinMap of a map of which parameters and params may have lists, all equally long: it
// returns a map for each place in them.
func (list Networks) LoadPinMaps(path string) ([]PinMapPoint, error) {
	return maps.LoadPins(path, list.library())
}

// IsPinMap reports whether YAML is a pin map and no scenario: it has a model.
func IsPinMap(data []byte) bool {
	_, root, err := strict.Parse("", data, "", "")
	return err == nil && strict.Has(root, "model") && maps.FabricKey(root) == nil
}

// ParsePinMaps is LoadPinMaps for the bytes of a file; place stands in errors, and what the map names is beside it.
func (list Networks) ParsePinMaps(place string, data []byte) ([]PinMapPoint, error) {
	return maps.ParsePins(place, data, list.library())
}

// TwinMap returns the pin map of a twin; see pinmap.OfTwin.
func TwinMap(name string, parameters twin.Parameters, cacheDir string) (*pinmap.Map, error) {
	return Networks(nil).TwinMap(name, parameters, cacheDir)
}

// TwinMap is TwinMap with the twins of these networks.
func (list Networks) TwinMap(name string, parameters twin.Parameters, cacheDir string) (*pinmap.Map, error) {
	return pinmap.OfTwin(list.library(), name, parameters, cacheDir)
}

// CheckOptions are the runs of CosimCheck and what it writes.
type CheckOptions struct {
	lockstep.Options

	StimulusFile string // CSV, VCD or FST, in the place of the random stimulus; "" for none

	VCD  Output // the case as a waveform, and its save file for GTKWave beside it if it is a file
	Save Output // the case's stimulus as CSV, for StimulusFile
	JSON Output // the report

	Among *traces.Files // with which they appear, when the caller commits them; nil: when the check is over

	// Cover is what the runs have covered of RTL and model: JSON, LCOV or Verilator's form for a file that
	// ends in .json, .info or .dat, else a text.
	Cover Output
}

// CosimCheck runs RTL in lockstep with the model that it stands for. The case that
// the outputs show is that of the divergence; where there is none, the first cycles of
// the first run. Files appear together or not at all; they are opened before the
// work. Errors about the map, the RTL and files are *InputError.
func CosimCheck(ctx context.Context, m *pinmap.Map, o CheckOptions) (*lockstep.Report, error) {
	files, err := tools.OpenFiles(o.Among, o.VCD, o.Save, o.JSON, o.Cover)
	if err != nil {
		return nil, err
	}
	defer files.Abort()
	if o.StimulusFile != "" {
		if o.Stimulus, err = lockstep.ReadStimulus(m, o.StimulusFile); err != nil {
			return nil, err
		}
		o.Stimulus.Place = o.StimulusFile
	}
	o.Internals, o.Coverage = o.VCD.Given(), o.Coverage || o.Cover.Given()
	report, err := lockstep.Run(ctx, m, o.Options)
	if err != nil {
		return nil, err
	}
	return report, files.Write(report)
}

// RTLRun is what the inputs of a scenario's RTL are in a run of the model.
type RTLRun struct {
	Parts []RTLPartRun

	maps []*pinmap.Map
}

// Close closes the pin maps.
func (r *RTLRun) Close() error {
	var err error
	for _, m := range r.maps {
		err = errors.Join(err, m.Close())
	}
	return err
}

// RecordRTL runs a scenario with models in the place of its RTL and keeps the inputs of
// each. CosimCheck runs the RTL of a part in lockstep with its model on them: Map and,
// as the options' Stimulus, Stimulus. The caller closes what it gets.
func RecordRTL(ctx context.Context, s *Scenario) (run *RTLRun, err error) {
	if len(s.RTL) == 0 {
		return nil, s.refuse("", "the scenario has no RTL to check", "add the key rtl; `starloom cosim check --help` shows how to check RTL without a scenario")
	}
	c, err := s.elaborate()
	if err != nil {
		return nil, err
	}
	run = &RTLRun{}
	if run.Parts, run.maps, err = runs.RecordRTL(ctx, c); err != nil {
		return nil, err
	}
	return run, nil
}

// RTLCheck is how the RTL of a scenario compares with its models on the inputs of a run.
type RTLCheck struct {
	Brief   []*lockstep.Report // by part
	Part    int                // of the earliest difference, 0 for none
	Report  *lockstep.Report   // of that part, with what it shows; its cycles are those of the run
	Differs []int              // the parts that differ, the earliest first
}

// CheckRTL runs the RTL of all parts in lockstep with their models. The earliest difference is
// that of the lowest power-on state, which is that of runs with RTL, then of the lowest cycle. The
// case that the outputs of the options show is its; without a difference the first part's.
// step, which may be nil, is told of each part.
func CheckRTL(ctx context.Context, run *RTLRun, o CheckOptions, step func(path string)) (*RTLCheck, error) {
	files, err := tools.OpenFiles(o.Among, o.VCD, o.Save, o.JSON, o.Cover)
	if err != nil {
		return nil, err
	}
	defer files.Abort()
	c := &RTLCheck{}
	check := func(part int, brief bool) (*lockstep.Report, error) {
		if step != nil {
			step(run.Parts[part].Path)
		}
		options := o.Options
		options.Stimulus, options.Brief, options.Internals = run.Parts[part].Stimulus, brief, o.VCD.Given()
		options.Coverage = o.Cover.Given()
		return lockstep.Run(ctx, run.Parts[part].Map, options)
	}
	for i := range run.Parts {
		report, err := check(i, true)
		if err != nil {
			return nil, err
		}
		c.Brief = append(c.Brief, report)
		if report.Divergence != nil {
			c.Differs = append(c.Differs, i)
		}
	}
	slices.SortStableFunc(c.Differs, func(a, b int) int { return c.Brief[a].Divergence.Compare(c.Brief[b].Divergence) })
	if len(c.Differs) > 0 {
		c.Part = c.Differs[0]
	}
	if c.Report, err = check(c.Part, false); err != nil {
		return nil, err
	}
	c.Report.MergeCoverage(c.Brief)
	return c, files.Write(c.Report)
}

// IsScenario reports whether YAML is a scenario and no pin map: it has a fabric.
func IsScenario(data []byte) bool {
	_, root, err := strict.Parse("", data, "", "")
	return err == nil && maps.FabricKey(root) != nil
}
