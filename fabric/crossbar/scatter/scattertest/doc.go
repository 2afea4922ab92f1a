// Package scattertest scatters by the letter of the specification, without hardware and
// firmware, for tests to compare with.
//
//	file   what it holds
//	scatter.go   SYNC and ASYNC, node by node
package scattertest
