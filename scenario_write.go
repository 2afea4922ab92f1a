package starloom

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"starloom/internal/config"

	"starloom/internal/check"
	"starloom/internal/strict"
)

// keys are those of a scenario file that says the same. The image is beside it; what else it reads
// is named by its whole path.
func (s *Scenario) keys() (map[string]any, error) {
	own := *s
	own.RTL, own.Traces, own.Workload.File = nil, Traces{}, ""
	if own.Firmware.Program == "" {
		own.Firmware.Image = own.Firmware.imageName()
	}
	if g := own.Workload.Gossip; g != nil {
		whole := *g
		own.Workload.Gossip = &whole
		for _, file := range []struct {
			path string
			to   *string
		}{{g.Path, &whole.Orders}, {g.ValuesPath, &whole.Values}} {
			if file.path == "" {
				continue
			}
			absolute, err := filepath.Abs(file.path)
			if err != nil {
				return nil, err
			}
			*file.to = absolute
		}
	}
	data, err := json.Marshal(&own)
	if err != nil {
		return nil, err
	}
	keys := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // a seed has 64 bits
	if err := decoder.Decode(&keys); err != nil {
		return nil, err
	}
	delete(keys, "traces")
	if workload := keys["workload"].(map[string]any); workload["permutation"] == PermutationRandom { // which is the default, and excludes others
		delete(workload, "permutation")
		if len(workload) == 0 {
			delete(keys, "workload")
		}
	}
	return keys, nil
}

// checkedKeys is what a check of firmware makes smaller scenarios with.
func (s *Scenario) checkedKeys() check.Keys {
	k := check.Keys{YAML: strict.WriteYAML, Read: func(keys map[string]any) (*config.Config, error) {
		data, err := json.Marshal(keys)
		if err != nil {
			return nil, err
		}
		small, err := ParseScenario("scenario", data)
		if err != nil {
			return nil, err
		}
		return small.elaborate()
	}}
	if s.Fabric.Custom == nil {
		k.Own = s.keys
	}
	return k
}
