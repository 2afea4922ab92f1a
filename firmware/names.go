package firmware

import (
	"maps"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

// The exports of an image. All arguments and results are i32.
const (
	exportABI        = "starloom_abi"
	exportBank       = "starloom_bank"
	exportAttach     = "starloom_attach"
	exportStart      = "starloom_start"
	exportSlot       = "starloom_slot"
	exportProbeNames = "starloom_probe_names"
	exportResults    = "starloom_result_names"
	exportParamNames = "starloom_param_names"
	exportChecked    = "starloom_checked" // only in a checked build
	exportCall       = "starloom_call_"   // prefix of the name
	exportInitialise = "_initialize"
	exportMemory     = "memory"

	// of translated programs
	exportInterpreted = "program_interpreted_at"
	exportLeft        = "program_left"
	exportAllow       = "program_allow"
	exportRelease     = "program_release"
	exportDeep        = "program_deep"
	exportWindowLoad  = "window_load"
	exportWindowStore = "window_store"
)

// Numbers of i32 parameters and results.
var exportTypes = []struct {
	name            string
	params, results int
	optional        bool
}{
	{exportABI, 0, 1, false},
	{exportBank, 0, 1, true}, // describe requires this export only for a known version
	{exportAttach, 4, 1, false},
	{exportStart, 1, 0, false},
	{exportSlot, 2, 0, false},
	{exportProbeNames, 0, 1, true},
	{exportResults, 0, 1, true},
	{exportParamNames, 0, 1, true},
	{exportChecked, 0, 1, true},
}

const (
	importModule    = "starloom"
	importDeliver   = "deliver"
	importResult    = "result"
	importInterpret = "interpret" // of translated programs only
)

var importTypes = map[string][]api.ValueType{
	"log":         {api.ValueTypeI32, api.ValueTypeI32},
	"logf":        {api.ValueTypeI32, api.ValueTypeI32},
	"assert":      {api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32},
	"probe":       {api.ValueTypeI32, api.ValueTypeI64},
	"fail":        {api.ValueTypeI32},
	importDeliver: {api.ValueTypeI32},
	importResult:  {api.ValueTypeI32, api.ValueTypeI64},
}

func importList() string {
	names := slices.Sorted(maps.Keys(importTypes))
	for i := range names {
		names[i] = importModule + "." + names[i]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// wasiModule is the module of the imports that a language runtime such as Go's (GOOS=wasip1, c-shared) needs to
// start. The results of these imports depend only on seed, processor and slot. An image with these imports serves one
// processor per instance, because a panic leaves the runtime inconsistent. See
// https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md.
const wasiModule = "wasi_snapshot_preview1"
