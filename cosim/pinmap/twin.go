package pinmap

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"starloom/cosim"
	"starloom/cosim/twin"
)

// OfTwin returns the pin map of a twin in the library. It writes the sources to the build cache; "" is the user's
// cache. Without parameters, OfTwin uses the twin's first set.
func OfTwin(library Library, name string, parameters twin.Parameters, cacheDir string) (*Map, error) {
	m := &Map{Library: library, Model: name, Parameters: twin.Parameters{}, Build: cosim.BuildOptions{Cache: cacheDir}}
	m.Places = map[string]string{"model": "--twin", "parameters": "-G"}
	t, err := m.Twin()
	if err != nil {
		return nil, err
	}
	maps.Copy(m.Parameters, t.Sets[0])
	maps.Copy(m.Parameters, parameters)
	if len(t.Sources) == 0 {
		return nil, m.refuse("model", "there is no Verilog of the model "+name, "attach your own RTL with a pin map")
	}
	model, err := m.NewModel()
	if err != nil {
		return nil, err
	}
	defer model.Close()
	files, err := twinFiles(t, cacheDir)
	if err != nil {
		return nil, err
	}
	m.connectTwin(model)
	m.Source = cosim.Source{Top: t.Name, Files: files, IncludeDirs: []string{filepath.Dir(files[0])},
		Params: m.Parameters.Verilog()}
	return m, nil
}

func (m *Map) connectTwin(model *twin.Model) {
	for _, p := range model.Ports() {
		switch p.Name {
		case "clock":
			m.Clock = p.Name
		case "reset":
			m.Reset = p.Name
		default:
			m.Pins = append(m.Pins, Wiring{p.Name, []string{p.Name}})
		}
	}
}

// twinFiles writes a twin's sources to a folder with a fixed name. The hash of a build includes names and texts, so a
// fixed name lets later builds reuse the result.
func twinFiles(t twin.Twin, cacheDir string) ([]string, error) {
	c, err := cosim.OpenCache(cacheDir)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	names := t.Files()
	texts := map[string][]byte{}
	for _, name := range names {
		if texts[name], err = t.Source(name); err != nil {
			return nil, err
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(texts[name]), texts[name])
	}
	c.Dir = filepath.Join(c.Dir, fmt.Sprintf("twin-%x", sum.Sum(nil)[:8]))
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, err
	}
	var files []string
	for _, name := range names {
		path := filepath.Join(c.Dir, name)
		if text, err := os.ReadFile(path); err != nil || !bytes.Equal(text, texts[name]) {
			_ = os.Remove(path)
			if path, err = c.Take(name, func(path string) error { return os.WriteFile(path, texts[name], 0o644) }); err != nil {
				return nil, err
			}
		}
		files = append(files, path)
	}
	return slices.Delete(files, 0, 1), nil
}
