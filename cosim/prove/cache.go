package prove

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"starloom/cosim"
)

// edition changes whenever the same miter may be decided in another way.
const edition = "proof-1"

// A decision is how a race has ended, as the cache keeps it.
type decision struct {
	Proved   map[int]string `json:"proved"` // by output of the graph: the engine
	Witness  [][]bool       `json:"witness,omitempty"`
	Failed   int            `json:"failed"`
	By       string         `json:"by,omitempty"`
	Frames   int            `json:"frames"`
	Open     int            `json:"open"` // outputs that are not decided
	Commands []string       `json:"commands"`
	Took     time.Duration  `json:"took"`
	cached   bool
}

// toolVersions are those of the engines: a part of what a verdict is known by.
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

// cached returns what is known of a miter from an earlier proof, or decides it. What was not decided in
// time is known for this time only.
func (p *prover) cached(decide func() (*decision, error)) (*decision, error) {
	cache, err := cosim.OpenCache(p.m.Build.Cache)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(p.path("miter.aig"))
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, edition, p.report.Tools, p.options.Cycles, len(text))
	_, _ = sum.Write(text)
	name := fmt.Sprintf("proof-%x.json", sum.Sum(nil)[:16])
	known := func(path string) *decision {
		d := &decision{cached: true}
		data, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(data, d) != nil || d.Open > 0 && d.Took < p.options.limit() && p.options.Cycles == 0 {
			return nil
		}
		return d
	}
	path := filepath.Join(cache.Dir, name)
	if !p.options.NoCache && p.options.Folder == "" {
		if d := known(path); d != nil {
			return d, nil
		}
	}
	d, err := decide()
	if err != nil || p.ctx.Err() != nil {
		return d, err
	}
	_ = os.Remove(path) // an earlier one that was given less time
	_, err = cache.Take(name, func(path string) error {
		data, err := json.Marshal(d)
		if err != nil {
			return err
		}
		return os.WriteFile(path, data, 0o644)
	})
	return d, err
}
