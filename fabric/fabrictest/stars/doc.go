// Package stars is a fabric in one file: groups of processors, each with two passive stars, as the
// guide docs/new-fabric.md builds it step by step.
package stars
