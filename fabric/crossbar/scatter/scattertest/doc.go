// Package scattertest scatters by the letter of the specification, without hardware and
// firmware, for tests to compare with.
package scattertest
