package outcome

import (
	_ "embed"

	"starloom/traces/meaning"
)

//go:embed metrics.yaml
var metrics string

// Meanings says what the keys of reports, the columns of tables and the endings of figures mean.
func Meanings() []meaning.Group { return meaning.Must(metrics) }
