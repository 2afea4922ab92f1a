package starloom

import (
	"context"

	"starloom/firmware/check"
)

// CheckFirmware runs a scenario in all the ways that must not change what it finds - banked
// and isolated, compiler and interpreter, one worker and two, banks of several sizes, both
// engines, metered and not - compares reports and explains the first difference, slot by slot.
// A banked run in which every handler is called alone finds what handlers write that is not
// their processor's. An image that serves one processor per instance runs isolated only.
// Bad input is an *InputError; when ctx ends, the error is that of ctx.
func CheckFirmware(ctx context.Context, s *Scenario, o FirmwareCheckOptions) (*FirmwareCheck, error) {
	if s.Workload.Permutation.Kind == PermutationAll {
		return nil, s.refuse("workload.permutation", "permutation: all is many runs, and one is checked", "choose one of them, such as random or reverse")
	}
	c, err := s.elaborate()
	if err != nil {
		return nil, err
	}
	return check.Firmware(ctx, c, s.checkedKeys(), &o)
}

// What a check of firmware says.
type (
	// FirmwareCheckOptions say how CheckFirmware looks.
	FirmwareCheckOptions = check.Options
	// FirmwareCheck is what CheckFirmware has found.
	FirmwareCheck = check.Report
	// CheckedRun is one way to execute the scenario.
	CheckedRun = check.Run
	// CheckDifference is the first difference between two ways to execute a scenario.
	CheckDifference = check.Difference
	// CheckWrite is something that a handler has changed and that is not its processor's.
	CheckWrite = check.Write
	// CheckWatched says how much of a banked run was watched, handler by handler.
	CheckWatched = check.Watched
	// CheckBranches says how much of the firmware sequences of arbitrary input have reached.
	CheckBranches = check.Branches
	// FuzzFinding is what a handler has done on arbitrary input and must not do on any.
	FuzzFinding = check.FuzzFinding
	// FuzzInput is input that the run itself does not bring.
	FuzzInput = check.FuzzInput
	// FuzzStep is what a processor gets in one slot.
	FuzzStep = check.FuzzStep
	// FuzzFrame is a frame that was received.
	FuzzFrame = check.FuzzFrame
	// FuzzLane is the status of a receiver or transmitter.
	FuzzLane = check.FuzzLane
	// FuzzWord is a word of the network's tables.
	FuzzWord = check.FuzzWord
	// FuzzCall is a call by name.
	FuzzCall = check.FuzzCall
)
