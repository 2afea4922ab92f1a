package slurm

import (
	_ "embed"
	"reflect"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/hw"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// source is this file. Its comments describe keys of settings files.
//
//go:embed settings.go
var source string

// Settings are the keys under slurm: in a file. All keys are optional.
type Settings struct {
	// partition for the jobs (default: the cluster's)
	Partition string `json:"partition,omitempty"`
	// account that is charged
	Account string `json:"account,omitempty"`
	// quality of service
	QOS string `json:"qos,omitempty"`
	// maximum number of concurrent tasks of an array
	ArrayParallelism int `json:"array_parallelism,omitempty" jsonschema:"minimum=1,maximum=1000000"`
	// shell lines at the beginning of a task, such as module load ...
	Setup string `json:"setup,omitempty"`
	// further options of sbatch: --constraint=avx2
	Options []string `json:"options,omitempty"`

	places map[string]string
}

func (Settings) Declaration() string { return source }

const settingsBytesMax = 1 << 20

// Load reads a file of settings in the form of the keys under slurm:. For "" it returns empty settings.
func Load(path string) (*Settings, error) {
	if path == "" {
		return &Settings{}, nil
	}
	const remedy = "write the keys of a sweep file under slurm: partition: NAME"
	data, err := input.Read(path, settingsBytesMax)
	if err != nil {
		return nil, input.Unreadable(path, err, remedy)
	}
	root, err := strict.Document(path, data, "settings", remedy)
	if err != nil {
		return nil, err
	}
	return Read(path, root)
}

// Read reads the settings under slurm: in a file. For a nil node it returns empty settings.
func Read(file string, node *yaml.Node) (*Settings, error) {
	s := &Settings{}
	if node == nil {
		return s, nil
	}
	d := strict.Decoder{File: file, Whole: "the sweep", Places: map[string]string{}}
	s.places = d.Places
	if err := d.Decode(node, reflect.ValueOf(s).Elem(), "slurm", strict.Limits{}); err != nil {
		return nil, err
	}
	for i, option := range s.Options {
		if !strings.HasPrefix(option, "-") || strings.ContainsAny(option, "\n\r") {
			return nil, d.Refuse(node, hw.Index("slurm.options",
				i)+" is not an option of sbatch: "+strict.Clip(option), "write --NAME=VALUE")
		}
	}
	for _, word := range []string{s.Partition, s.Account, s.QOS} {
		if strings.ContainsAny(word, " \t\n\r\"'") {
			return nil, d.Refuse(node, "slurm: "+strict.Clip(word)+" is not a name", "give the name of a partition, an "+
				"account or a quality of service")
		}
	}
	return s, nil
}
