package firmware

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// compilations shares compiled code among all hosts of a batch; recent keeps the last images for a sweep.
var compilations = wazero.NewCompilationCache()

// keptImages is the number of images that stay compiled after their hosts are closed. An image usually takes about
// 100 KiB.
const keptImages = 8

var recent struct {
	sync.Mutex
	runtime wazero.Runtime
	images  []recentImage // most recently used last
}

type recentImage struct {
	sum      [sha256.Size]byte
	compiled wazero.CompiledModule
}

// runtimeConfig is common to all hosts and recent, so that they share compilations. It disables reference types,
// because their table.grow could take any amount of the host's memory; only linear memory is limited.
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
		return // the image is then not kept
	}
	if len(recent.images) == keptImages {
		_ = recent.images[0].compiled.Close(ctx) // always returns nil
		recent.images = slices.Delete(recent.images, 0, 1)
	}
	recent.images = append(recent.images, recentImage{sum, compiled})
}
