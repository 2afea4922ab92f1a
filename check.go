package starloom

import (
	"context"

	"starloom/firmware/check"
)

// CheckFirmware runs a scenario in all ways that must not change its results: banked and isolated, with compiler and
// interpreter, with one worker and with two, with banks of several sizes, in both engines, metered and unmetered. It
// compares the reports and explains the first difference, slot by slot. A banked run that calls handlers one at a
// time finds changes by a handler outside its processor's memory. An image for one processor per instance runs only
// isolated. Invalid input yields an *InputError; after the end of ctx, the error is that of ctx.
func CheckFirmware(ctx context.Context, s *Scenario, o FirmwareCheckOptions) (*FirmwareCheck, error) {
	if s.Workload.Permutation.Kind == PermutationAll {
		return nil,
			s.refuse("workload.permutation", "permutation: all requires many runs, but a check needs a single run",
				"choose one permutation, such as random or reverse")
	}
	c, err := s.elaborate()
	if err != nil {
		return nil, err
	}
	return check.Firmware(ctx, c, s.checkedKeys(), &o)
}

// The results of a check of firmware.
type (
	// FirmwareCheckOptions control CheckFirmware.
	FirmwareCheckOptions = check.Options
	// FirmwareCheck is the result of CheckFirmware.
	FirmwareCheck = check.Report
	// CheckedRun is one way to execute the scenario.
	CheckedRun = check.Run
	// CheckDifference is the first difference between two ways to execute a scenario.
	CheckDifference = check.Difference
	// CheckWrite is a change by a handler outside its processor's memory.
	CheckWrite = check.Write
	// CheckWatched is the part of a banked run that was observed handler by handler.
	CheckWatched = check.Watched
	// CheckBranches counts the sides of branches, entries and loop heads reached by arbitrary input.
	CheckBranches = check.Branches
	// FuzzFinding is a fault of a handler with arbitrary input.
	FuzzFinding = check.FuzzFinding
	// FuzzInput is input that does not occur in the run.
	FuzzInput = check.FuzzInput
	// FuzzStep is the input of a processor in one slot.
	FuzzStep = check.FuzzStep
	// FuzzFrame is a received frame.
	FuzzFrame = check.FuzzFrame
	// FuzzLane is the status of a receiver or transmitter.
	FuzzLane = check.FuzzLane
	// FuzzWord is a word of the network's tables.
	FuzzWord = check.FuzzWord
	// FuzzCall is a call by name.
	FuzzCall = check.FuzzCall
)
