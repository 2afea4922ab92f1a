package rtl

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/internal/config"
	"starloom/internal/maps"
	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

type rtlSource struct {
	at      string // key of the entry
	key     string // key for errors
	own     *pinmap.Map
	places  []place  // first component with each set of its own parameters
	derived []string // missing outputs that are computed from others
	model   string   // "" selects the twin of the replaced component
	backend string
}

type place struct {
	path string
	pins *pinmap.Map
}

// open returns the source of an entry's RTL. It rejects RTL that this machine cannot use.
func (r *Devices) open(at string, x *config.RTL) (*rtlSource, error) {
	s := r.Source
	source := &rtlSource{at: at, key: at + ".twin", own: x.PinMap, model: x.Twin, backend: x.Backend}
	if x.Map != "" {
		source.key = at + ".map"
		var err error
		if source.own, err = maps.LoadPin(x.Map, r.Source.Library()); err != nil {
			return nil, err
		}
		r.Maps = append(r.Maps, source.own)
	}
	if source.own == nil {
		switch {
		case x.Twin == "":
			source.key = at + ".replace"
		case !slices.Contains(r.twins(), x.Twin):
			return nil, s.Refuse(source.key, noPlaceFor(x.Twin), "choose one of "+strings.Join(r.twins(), ", "))
		case r.isWholeModel(x.Twin) != r.isWhole(x.Replace):
			return nil, r.misfit(source.key, x.Twin, x.Replace)
		}
		source.backend = cmp.Or(x.Backend, cosim.BackendWasm)
		return source, nil
	}
	if source.own.Given() != nil {
		return nil, s.Refuse(source.key, "the model of the pin map is RTL, but the machine has the models of Starloom",
			"name one of "+strings.Join(r.twins(), ", ")+" as the model")
	}
	source.own.Backend = cmp.Or(x.Backend, source.own.Backend)
	source.backend = cmp.Or(source.own.Backend, cosim.BackendWasm)
	source.model = source.own.Model
	if !slices.Contains(r.twins(), source.model) {
		return nil,
			s.Refuse(source.key, noPlaceFor(source.model), "attach RTL whose model is one of "+strings.Join(r.twins(), ", "))
	}
	if r.isWholeModel(source.model) != r.isWhole(x.Replace) {
		return nil, r.misfit(source.key, source.model, x.Replace)
	}
	for _, output := range source.own.Absent {
		if source.own.Derives(output) {
			source.derived = append(source.derived, strings.TrimSuffix(output, "_o")+"_o")
			continue
		}
		if !r.watched(source.model, output) {
			return nil,
				s.Refuse(source.key, fmt.Sprintf("the RTL has no %s, but the machine needs it", output),
					"add the output in a wrapper of the RTL")
		}
	}
	for output, latency := range source.own.Latency {
		if latency > 0 {
			late := traces.Plural(latency, "cycle", "cycles")
			return nil,
				s.Refuse(source.key, fmt.Sprintf("the RTL shows %s %s too late, so all later values would be wrong", output, late),
					"attach it to the registers that hide the delay, or compare it alone with `starloom cosim check`")
		}
	}
	return source, nil
}

func noPlaceFor(model string) string {
	return fmt.Sprintf("this machine has no component of kind %s", strict.Clip(model))
}

func (r *Devices) misfit(key, model, path string) error {
	all := r.whole.Path(0)
	return r.Source.Refuse(key, fmt.Sprintf("%s does not fit %s", model, path),
		fmt.Sprintf("%s is the whole of %s: write replace: %s and twin: %s, or another twin for a part",
			r.whole.Twin, all, all, r.whole.Twin))
}

func (r *Devices) refuse(source *rtlSource, err error) error {
	place := r.Source.Place(source.key)
	var bad *input.Error
	var fault *cosim.Fault
	switch {
	case errors.As(err, &bad):
		reason := bad.Reason
		if bad.Place != "" {
			reason = bad.Place + ": " + reason
		}
		return input.Mistake(place, reason, bad.Remedy)
	case errors.As(err, &fault):
		return input.Mistake(place, "before the first cycle, "+FaultText(fault), "correct it, or its parameters")
	}
	return fmt.Errorf("%s: %w", place, err)
}
