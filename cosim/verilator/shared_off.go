//go:build !shared || !unix

package verilator

import (
	"context"
	"errors"

	"starloom/cosim"
)

// Shared is RTL as a native library, which only a build with the tag shared can load.
type Shared struct{ Description }

var errNoShared = errors.New("native RTL is not part of this build of Starloom: build it with -tags shared, or use wasm, which is faster")

// BuildShared returns an error: this build was made without the tag shared.
func BuildShared(context.Context, cosim.Source, cosim.BuildOptions) (*Shared, error) {
	return nil, errNoShared
}

// OpenShared returns an error: this build was made without the tag shared.
func OpenShared(*Shared, cosim.Options) (cosim.Device, error) { return nil, errNoShared }
