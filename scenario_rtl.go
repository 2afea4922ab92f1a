package starloom

import (
	_ "embed"
	"fmt"
	"reflect"

	"starloom/cosim/pinmap"
	"starloom/hw"
	"starloom/nic"
)

// rtlSource is this file, whose comments describe keys of a scenario.
//
//go:embed scenario_rtl.go
var rtlSource string

// RTL puts Verilog or VHDL in the place of components of the machine. Firmware,
// frames, metrics and digest are those of the model, as long as the RTL is right.
type RTL struct {
	// what is replaced: a path or a glob of couplers, links (coupler[..].fibre, output[..].link, in an EJ
	// network link[..] and link[..].out.fibre), transmitters (nic[..].tx, port[..].tx), receivers (nic[..].rx,
	// port[..].rx), credit counters (port[..].credits), whole NICs or ports, of a crossbar filters
	// (output[..].filter), arbiters (output[..].arbiter) and crosspoints (input[..]), the taps where faults of
	// media act (coupler[..].fibre_tapped, output[..].link_tapped and so on), buses (bus[..]), and of those
	// with an arbiter that (bus[..].arbiter) or the taps (bus[..].taps); the name of a fabric with a twin of
	// its own is all hardware at once
	Replace string `json:"replace" jsonschema:"required,minLength=1"`
	// Starloom's own Verilog, such as star_coupler, link or the whole network; if twin and map are left out,
	// the twin of whatever is replaced
	Twin string `json:"twin,omitempty" jsonschema:"minLength=1"`
	// path of a pin map that attaches other RTL, relative to the scenario's folder
	Map string `json:"map,omitempty" jsonschema:"minLength=1"`
	// what runs the RTL: wasm (Verilator, sandboxed, the default), icarus (four states, slow) or shared
	// (Verilator, native; needs a build with the tag shared)
	Backend string `json:"backend,omitempty" jsonschema:"enum=wasm,enum=icarus,enum=shared"`

	// PinMap attaches RTL instead of Map, for programs. A machine fills in its
	// parameters; the caller closes it.
	PinMap *pinmap.Map `json:"-"`
}

// Declaration implements strict.Commented: comments say what its keys are.
func (RTL) Declaration() string { return rtlSource }

// checkRTL checks what the scenario alone can tell.
func (s *Scenario) checkRTL() error {
	if len(s.RTL) > 0 && s.Workload.Permutation.Kind == PermutationAll {
		return s.refuse("rtl", "rtl and every permutation", "choose one permutation; --seed gives others")
	}
	if len(s.RTL) > 0 && s.NIC.PayloadBytes > nic.PayloadBytesRTL {
		return s.refuse("nic.payload_bytes", fmt.Sprintf("payload_bytes is %d; with rtl at most %d are possible", s.NIC.PayloadBytes, nic.PayloadBytesRTL), "choose a smaller payload, or delete the key rtl")
	}
	for i := range s.RTL {
		if err := s.checkReplacement(hw.Index("rtl", i), &s.RTL[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Scenario) checkReplacement(at string, r *RTL) error {
	if err := s.checkRanges(reflect.ValueOf(r).Elem(), at); err != nil {
		return err
	}
	if _, err := hw.CompilePattern(r.Replace); err != nil {
		return s.refuse(at+".replace", err.Error(), "correct the pattern; components are, for example, "+s.network().Names().Medium(0)+" and "+s.network().Names().Link(0))
	}
	if r.Twin != "" && (r.Map != "" || r.PinMap != nil) {
		return s.refuse(at+".twin", at+" has both twin and map", "delete one")
	}
	return nil
}
