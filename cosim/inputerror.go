package cosim

import "starloom/traces/input"

// InputError says that something the user gave cannot be used: where it is, what
// is wrong with it and what to do.
type InputError = input.Error

// WithInclude ends remedies that name a directory of sources; a map has a key for it.
const WithInclude = "with -I"
