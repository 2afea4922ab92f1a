package nic

import (
	_ "embed"

	"starloom/internal/meaning"
)

//go:embed metrics.yaml
var metrics string

// Meanings says what receive statuses mean.
func Meanings() []meaning.Group { return meaning.Must(metrics) }
