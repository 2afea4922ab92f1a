package bus

import (
	_ "embed"

	"starloom/fabric"
)

//go:embed metrics.yaml
var metrics string

// Meanings implements fabric.Explained.
func (Network) Meanings() []fabric.MeaningGroup { return fabric.ReadMeanings(metrics) }
