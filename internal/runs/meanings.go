package runs

import (
	_ "embed"

	"starloom/traces/meaning"
)

//go:embed metrics.yaml
var metrics string

// Meanings says what the figures of every run, and of many, mean.
func Meanings() []meaning.Group { return meaning.Must(metrics) }
