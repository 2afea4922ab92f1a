package starloom

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"starloom/internal/debug"
	"starloom/traces/input"
)

// DebugOptions control a run under gdb.
type DebugOptions struct {
	MachineOptions
	Processors []int           // followed: gdb's threads
	Address    string          // loopback address and port at which gdb connects; port 0: any free port
	Ready      func(at string) // called before the run waits for gdb; nil for none
}

// Debug runs a scenario with firmware for RISC-V under gdb, which connects at an address of this computer. Followed
// processors run in the interpreter, all others translated. While gdb has stopped one of them, the whole machine stands
// still. The report is that of the run without gdb. Invalid input yields an *InputError.
func Debug(ctx context.Context, s *Scenario, o DebugOptions) (report *Report, err error) {
	numbers, err := s.followed(o.Processors)
	if err != nil {
		return nil, err
	}
	listener, err := listenLocally(o.Address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = listener.Close() }() // closed once gdb has connected
	session := debug.New(numbers)
	o.Workers, o.more.Debugger = 1, session
	m, err := NewMachine(ctx, s, o.MachineOptions)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.own.Release()) }()
	if o.Ready != nil {
		o.Ready(listener.Addr().String())
	}
	if err := session.Run(ctx, m.own, listener); err != nil {
		return nil, err
	}
	return m.own.Sum(), nil
}

func (s *Scenario) followed(processors []int) ([]int, error) {
	numbers := slices.Clone(processors)
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	count := s.Processors()
	for _, number := range numbers {
		if number < 0 || number >= count {
			return nil, input.Mistake("--processor", fmt.Sprintf("there is no processor %d", number),
				fmt.Sprintf("allowed: 0 to %d", count-1))
		}
	}
	if len(numbers) == 0 {
		return nil, input.Mistake("--processor", "no processor is given", "give the processors to follow: --processor 3,7")
	}
	return numbers, nil
}

// listenLocally refuses addresses that other computers reach.
func listenLocally(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, input.Mistake("--gdb", fmt.Sprintf("%q is not an address with a port", address), "write 127.0.0.1:1234")
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, input.Mistake("--gdb", host+" is not an address of this computer alone, and gdb needs no password",
			"use 127.0.0.1, [::1] or localhost; from elsewhere, use ssh -L")
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, input.Mistake("--gdb", err.Error(), "choose another port; 127.0.0.1:0 chooses a free one")
	}
	return listener, nil
}
