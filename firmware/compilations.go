package firmware

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// compilations holds what wazero has compiled for as long as a host has it loaded, so that all machines of a
// batch share one compilation of their image, and the last few after that: for the next point of a sweep.
var compilations = wazero.NewCompilationCache()

// keptImages are the images that stay compiled after their hosts are closed. Most have some 100 KiB.
const keptImages = 8

// recent keeps images compiled: its runtime has them loaded, too.
var recent struct {
	sync.Mutex
	runtime wazero.Runtime
	images  []recentImage // the last one used at the end
}

type recentImage struct {
	sum      [sha256.Size]byte
	compiled wazero.CompiledModule
}

// runtimeConfig is that of all hosts and of recent: what one has compiled the other finds.
//
// Reference types bring table.grow, with which an image could take any amount of
// the host's memory; only linear memory is limited.
func runtimeConfig(config wazero.RuntimeConfig) wazero.RuntimeConfig {
	return config.WithCoreFeatures(api.CoreFeaturesV2 &^ api.CoreFeatureReferenceTypes).WithCompilationCache(compilations)
}

func keepCompiled(ctx context.Context, binary []byte) {
	sum := sha256.Sum256(binary)
	recent.Lock()
	defer recent.Unlock()
	if k := slices.IndexFunc(recent.images, func(r recentImage) bool { return r.sum == sum }); k >= 0 {
		used := recent.images[k]
		recent.images = append(slices.Delete(recent.images, k, k+1), used)
		return
	}
	if recent.runtime == nil {
		recent.runtime = wazero.NewRuntimeWithConfig(ctx, runtimeConfig(wazero.NewRuntimeConfig()))
	}
	compiled, err := recent.runtime.CompileModule(ctx, binary)
	if err != nil {
		return // it was compiled before; then it is not kept
	}
	if len(recent.images) == keptImages {
		_ = recent.images[0].compiled.Close(ctx) // which always returns nil
		recent.images = slices.Delete(recent.images, 0, 1)
	}
	recent.images = append(recent.images, recentImage{sum, compiled})
}
