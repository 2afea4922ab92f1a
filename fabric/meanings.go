package fabric

import (
	_ "embed"

	"starloom/traces/meaning"
)

//go:embed metrics.yaml
var metrics string

// Meanings says what rules, faults and the figures of packets mean.
func Meanings() []MeaningGroup { return ReadMeanings(metrics) }

// MeaningGroup is what belongs together among the figures of a network, as `starloom explain` shows it.
type MeaningGroup = meaning.Group

// Meaning is what one of them means.
type Meaning = meaning.Entry

// ReadMeanings reads groups from text that is part of the program, as metrics.yaml of this package. It panics
// where there is a fault in it.
func ReadMeanings(text string) []MeaningGroup { return meaning.Must(text) }
