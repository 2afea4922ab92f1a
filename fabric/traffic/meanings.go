package traffic

import (
	_ "embed"

	"starloom/traces/meaning"
)

//go:embed metrics.yaml
var metrics string

// Meanings says what figures of traffic mean.
func Meanings() []meaning.Group { return meaning.Must(metrics) }
