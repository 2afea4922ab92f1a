package prove

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"starloom/cosim"
)

// edition must change whenever the decision about an equal miter may change.
const edition = "proof-4"

func toolVersions(ctx context.Context) ([]string, error) {
	var all []string
	for _, t := range []cosim.Tool{yosysTool, verilatorTool} {
		v, err := t.Version(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, v.Text)
	}
	return all, nil
}

// decided returns the cached decision about the same content. If there is none, decided calls decide. An undecided
// cached decision is reused only if the current time limit is not longer.
func decided(ctx context.Context, dir string, o *Options, content []any,
	decide func() (*decision, error)) (*decision, error) {
	cache, err := cosim.OpenCache(dir)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("proof-%x.json", sha256.Sum256(fmt.Append(nil, edition, o.Cycles, content)))
	path := filepath.Join(cache.Dir, name)
	if !o.NoCache && o.Folder == "" {
		if d := readDecision(path); d != nil &&
			(d.Open == 0 || d.Witness != nil || o.Cycles > 0 && d.Frames > o.Cycles || d.Took >= o.limit()) {
			return d, nil
		}
	}
	d, err := decide()
	if err != nil || ctx.Err() != nil {
		return d, err
	}
	_ = os.Remove(path) // removes an undecided decision with a shorter limit
	_, err = cache.Take(name, func(path string) error {
		data, err := json.Marshal(d)
		if err != nil {
			return err
		}
		return os.WriteFile(path, data, 0o644)
	})
	return d, err
}

func readDecision(path string) *decision {
	d := &decision{cached: true}
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, d) != nil {
		return nil
	}
	return d
}
