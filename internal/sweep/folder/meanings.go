package folder

import (
	_ "embed"

	"starloom/internal/meaning"
)

//go:embed metrics.yaml
var metrics string

// Meanings says what the columns of a sweep's tables mean.
func Meanings() []meaning.Group { return meaning.Must(metrics) }
