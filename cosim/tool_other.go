//go:build !linux

package cosim

import "os/exec"

// bind does nothing: a tool ends with its context, and outlives a Starloom that is killed.
func bind(*exec.Cmd) {}
