package estimate

import (
	_ "embed"

	"starloom/internal/meaning"
)

//go:embed metrics.yaml
var metrics string

// Meanings says what the keys of an estimate mean.
func Meanings() []meaning.Group { return meaning.Must(metrics) }
