package tools

import (
	_ "embed"

	"starloom/internal/meaning"
)

//go:embed metrics.yaml
var metrics string

// Meanings says what the keys of the report of a lockstep mean.
func Meanings() []meaning.Group { return meaning.Must(metrics) }
