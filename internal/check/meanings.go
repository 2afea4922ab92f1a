package check

import (
	_ "embed"

	"starloom/internal/meaning"
)

//go:embed metrics.yaml
var metrics string

// Meanings says what the keys of a check's report mean.
func Meanings() []meaning.Group { return meaning.Must(metrics) }
