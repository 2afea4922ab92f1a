package bus

import (
	_ "embed"

	"starloom/fabric"
)

//go:embed metrics.yaml
var metrics string

func (Network) Meanings() []fabric.MeaningGroup { return fabric.ReadMeanings(metrics) }
