package starloom

import (
	"context"
	"errors"
	"slices"

	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/fabric/outcome"
	"starloom/internal/maps"
	"starloom/internal/runs"
	"starloom/internal/tools"
	"starloom/traces"
	"starloom/traces/input/strict"
)

// LoadPinMap reads the pin map of RTL that replaces a model; `starloom cosim check --help --all` shows an example.
//
// Every error is an *InputError with file, line and column. The pins are checked only when a device is opened.
func LoadPinMap(path string) (*pinmap.Map, error) { return Networks(nil).LoadPinMap(path) }

// LoadPinMap is the function LoadPinMap with the twins of these networks.
func (list Networks) LoadPinMap(path string) (*pinmap.Map, error) {
	return maps.LoadPin(path, list.library())
}

// PinMapPoint is a pin map with one value from each list of parameters.
type PinMapPoint = maps.Point

// LoadPinMaps reads a pin map whose parameters and params may be lists of equal length. It returns a map for each
// position in the lists.
func (list Networks) LoadPinMaps(path string) ([]PinMapPoint, error) {
	return maps.LoadPins(path, list.library())
}

// IsPinMap reports whether YAML is a pin map rather than a scenario. A pin map has the key model, but not the key
// fabric.
func IsPinMap(data []byte) bool {
	_, root, err := strict.Parse("", data, "", "")
	return err == nil && strict.Has(root, "model") && maps.FabricKey(root) == nil
}

// ParsePinMaps parses the content of a file like LoadPinMaps. place is the path of the file in errors; paths in the
// map are relative to its folder.
func (list Networks) ParsePinMaps(place string, data []byte) ([]PinMapPoint, error) {
	return maps.ParsePins(place, data, list.library())
}

// TwinMap returns the pin map of a twin; see pinmap.OfTwin.
func TwinMap(name string, parameters twin.Parameters, cacheDir string) (*pinmap.Map, error) {
	return Networks(nil).TwinMap(name, parameters, cacheDir)
}

// TwinMap is the function TwinMap with the twins of these networks.
func (list Networks) TwinMap(name string, parameters twin.Parameters, cacheDir string) (*pinmap.Map, error) {
	return pinmap.OfTwin(list.library(), name, parameters, cacheDir)
}

// CheckOptions select the runs and outputs of CosimCheck.
type CheckOptions struct {
	lockstep.Options

	StimulusFile string // CSV, VCD or FST file in place of the random stimulus; "" for none

	VCD  Output // waveform of the counterexample, or of the first cycles; a file has a GTKWave save file beside it
	Save Output // the case's stimulus as CSV, for StimulusFile
	JSON Output // the report

	Among *traces.Files // outputs that the caller commits together with these; nil if they appear at the end of the check

	// Coverage of RTL and model. The format depends on the file extension: JSON for .json, LCOV for .info,
	// Verilator's format for .dat, otherwise text.
	Cover Output
}

// CosimCheck runs RTL in lockstep with the model that it replaces. The outputs show the counterexample or, if nothing
// diverges, the first cycles of the first run. Outputs are opened before the work begins, and their files appear
// together or not at all. Errors about the map, the RTL and files are *InputErrors.
func CosimCheck(ctx context.Context, m *pinmap.Map, o CheckOptions) (*lockstep.Report, error) {
	files, err := tools.OpenFiles(o.Among, o.VCD, o.Save, o.JSON, o.Cover)
	if err != nil {
		return nil, err
	}
	defer files.Abort()
	if err := m.Prepare(ctx); err != nil {
		return nil, err
	}
	if m.Goals != nil {
		m.Goals.Evaluated = true
	}
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
	report.Provenance = MapProvenance(m)
	return report, files.Write(report)
}

// MapProvenance returns the version of Starloom and the hash of a pin map's file for reports.
func MapProvenance(m *pinmap.Map) *traces.Provenance {
	return &traces.Provenance{Version: outcome.Version(), SHA256: m.SHA256}
}

// RTLRun holds the inputs of a scenario's RTL, recorded in a run of the models.
type RTLRun struct {
	Parts []RTLPartRun

	maps       []*pinmap.Map
	provenance *traces.Provenance
}

// Close closes the pin maps.
func (r *RTLRun) Close() error {
	var err error
	for _, m := range r.maps {
		err = errors.Join(err, m.Close())
	}
	return err
}

// RecordRTL runs a scenario with models in place of its RTL and records the inputs of each replaced part. CosimCheck
// can then check a part with the part's Map, and with its Stimulus as the option Stimulus. The caller closes the
// result.
func RecordRTL(ctx context.Context, s *Scenario) (run *RTLRun, err error) {
	if len(s.RTL) == 0 {
		return nil, s.refuse("", "the scenario has no RTL to check", "add the key rtl; `starloom cosim check --help --all` "+
			"shows how to check RTL without a scenario")
	}
	c, err := s.elaborate()
	if err != nil {
		return nil, err
	}
	run = &RTLRun{provenance: c.Source.Provenance}
	if run.Parts, run.maps, err = runs.RecordRTL(ctx, c); err != nil {
		return nil, err
	}
	return run, nil
}

// RTLCheck is the comparison of a scenario's RTL with the models on the inputs of a run.
type RTLCheck struct {
	Brief   []*lockstep.Report // reports by part
	Part    int                // number of the part with the earliest difference, 0 without a difference
	Report  *lockstep.Report   // report on Part with its counterexample; cycles are cycles of the run
	Differs []int              // the parts that differ, the earliest first
}

// CheckRTL runs the RTL of all parts in lockstep with their models. It orders differences by number of the power-on
// state (the lowest is the state in runs with RTL), then by cycle. The outputs show the counterexample of the
// earliest difference or, if nothing differs, the first cycles of the first part. step, unless nil, is called for
// each part.
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
	if err := c.Report.CheckExclusions(); err != nil {
		return nil, err
	}
	c.Report.Provenance = run.provenance
	return c, files.Write(c.Report)
}

// IsScenario reports whether YAML is a scenario rather than a pin map. A scenario has the key fabric.
func IsScenario(data []byte) bool {
	_, root, err := strict.Parse("", data, "", "")
	return err == nil && maps.FabricKey(root) != nil
}
