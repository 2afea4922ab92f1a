package firmware

import (
	"maps"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

// The exports of an image. Every argument and result is an i32.
const (
	exportABI        = "starloom_abi"
	exportBank       = "starloom_bank"
	exportAttach     = "starloom_attach"
	exportStart      = "starloom_start"
	exportSlot       = "starloom_slot"
	exportProbeNames = "starloom_probe_names"
	exportResults    = "starloom_result_names"
	exportParamNames = "starloom_param_names"
	exportChecked    = "starloom_checked" // of a checked build only
	exportCall       = "starloom_call_"   // and a name
	exportInitialise = "_initialize"
	exportMemory     = "memory"
)

// exportTypes are the signatures: how many i32 go in and come out.
var exportTypes = []struct {
	name            string
	params, results int
	optional        bool
}{
	{exportABI, 0, 1, false},
	{exportBank, 0, 1, true}, // describe wants it, when the version is known
	{exportAttach, 4, 1, false},
	{exportStart, 1, 0, false},
	{exportSlot, 2, 0, false},
	{exportProbeNames, 0, 1, true},
	{exportResults, 0, 1, true},
	{exportParamNames, 0, 1, true},
	{exportChecked, 0, 1, true},
}

// The imports are all that firmware can ask of the host.
const (
	importModule  = "starloom"
	importDeliver = "deliver"
	importResult  = "result"
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

// The imports of a language's runtime, such as Go's (GOOS=wasip1, c-shared): all that it
// asks for to start, and no more. The answers depend on the scenario only - the seed, the
// processor, the slot - and are the same in every run. Such an image serves one processor
// per instance: a panic leaves the runtime in the middle of something. From
// https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md.
const wasiModule = "wasi_snapshot_preview1"
