// Package stars is a fabric in one file: groups of processors, each with two passive stars, as the
// guide docs/how-to/add-a-network.md builds it step by step.
package stars
