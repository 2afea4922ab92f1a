package meter

import "starloom/firmware/wasm"

// CPU is a core whose instructions take time.
type CPU struct {
	Model  string
	Meter  *wasm.Meter
	Ratio  uint64 // costs that it works off in a cycle of the fabric
	Budget uint64 // cycles of a handler in a slot; 0: any number
}
