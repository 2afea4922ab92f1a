package starloom_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"starloom"
	"starloom/fabric/pops"
	"starloom/firmware"
)

// A scenario is data: it comes from YAML, wherever that is from, or is built in Go. Every
// output of a run goes to an io.Writer or to a file. A network of your own is
// Scenario.Fabric.Custom; fabric/fabrictest/ring has a whole one in a folder.
func Example() {
	scenario, err := starloom.ParseScenario("", []byte(`
starloom: 1
name: pops-4x4
fabric: {pops: {groups: 4, group_size: 4}}
firmware: {program: pops/random}
`))
	if err != nil {
		log.Fatal(err) // place, reason, remedy
	}
	var capture bytes.Buffer
	report, err := starloom.Run(context.Background(), scenario, starloom.RunOptions{
		Record: starloom.RecordOptions{PCAPNG: starloom.Writer(&capture)}, // or starloom.File("run.pcapng")
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Verdict, "after", report.Slots, "slots")
	fmt.Println(report.Frames.Sent, "frames sent,", report.Metrics.Get("delivered"), "packets delivered")
	fmt.Println("digest", report.Digest)
	fmt.Println("capture is pcapng:", strings.HasPrefix(capture.String(), "\n\r\r\n"))
	// Output:
	// pass after 25 slots
	// 102 frames sent, 16 packets delivered
	// digest f6ef7c04863ac2b570c7fdbcb313fc7f
	// capture is pcapng: true
}

// A run that breaks rules is not an error: the report names the rule, the cycle and the place.
func ExampleRun() {
	s := starloom.DefaultScenario()
	s.Fabric.POPS = &pops.Network{Groups: 4, GroupSize: 4}
	s.Firmware.Program = "pops/random"
	s.Workload.Permutation.Kind = starloom.PermutationReverse
	s.Stop.Slots = 4 // too few
	report, err := starloom.Run(context.Background(), s, starloom.RunOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Verdict, report.ViolationsTotal, "violations, the first:")
	v := report.Violations[0]
	message, _, _ := strings.Cut(v.Message, ";") // what it did last follows
	fmt.Printf("%s, cycle %d: %s\n", v.Rule, v.Cycle, message)
	// Output:
	// fail 12 violations, the first:
	// finishes, cycle 24: processor 0 was not done when the run ended
}

// A machine that is stepped can be looked at between any two slots.
func ExampleMachine() {
	s := starloom.DefaultScenario()
	s.Fabric.POPS = &pops.Network{Groups: 2, GroupSize: 2}
	s.Firmware.Program = "pops/random"
	m, err := starloom.NewMachine(context.Background(), s, starloom.MachineOptions{Engine: starloom.EngineCycle})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	var wave bytes.Buffer
	recording, err := m.Record(starloom.RecordOptions{VCD: starloom.Writer(&wave)})
	if err != nil {
		log.Fatal(err)
	}
	for !m.Ended() {
		if err := m.Step(); err != nil {
			log.Fatal(err)
		}
		if p, _ := m.Processor(3); p.Done {
			fmt.Printf("slot %d: %s is done and holds %d packets\n", m.Slots(), p.Path, p.Held)
		}
	}
	if err := recording.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Report().Verdict, "-", strings.Count(wave.String(), "$var"), "signals in the waveform")
	// Output:
	// slot 19: pops.group[1].nic[1] is done and holds 2 packets
	// slot 20: pops.group[1].nic[1] is done and holds 1 packets
	// pass - 61 signals in the waveform
}

// Watch sees every cycle, for assertions that are about wires. An error of it stops the
// run, which can go on.
func ExampleMachine_Watch() {
	s := starloom.DefaultScenario()
	s.Fabric.POPS = &pops.Network{Groups: 4, GroupSize: 4}
	s.Firmware.Program = "pops/random"
	m, err := starloom.NewMachine(context.Background(), s, starloom.MachineOptions{Engine: starloom.EngineCycle})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	couplers, err := m.Signals("**.coupler[*].violation")
	if err != nil {
		log.Fatal(err)
	}
	errCollision := errors.New("frames have met")
	if err := m.Watch(func(cycle uint64) error {
		for _, violation := range couplers {
			if violation.Value() == 1 {
				return fmt.Errorf("cycle %d, %s: %w", cycle, violation.Path, errCollision)
			}
		}
		return nil
	}); err != nil {
		log.Fatal(err)
	}
	err = m.Run(context.Background(), nil)
	fmt.Println(err, "-", errors.Is(err, errCollision), "- slots:", m.Slots())
	// Output:
	// cycle 0, pops.group[0].coupler[0].violation: frames have met - true - slots: 1
}

// An image need not be a file. In place of a program it is held to that program's rules.
func ExampleScenario_Override() {
	wasm, err := firmware.ProgramImage("pops/random") // or from a compiler, a test, a request
	if err != nil {
		log.Fatal(err)
	}
	s := starloom.DefaultScenario()
	s.Fabric.POPS = &pops.Network{Groups: 4, GroupSize: 4}
	s.Firmware.Program = "pops/random"
	if err := s.Override(context.Background(), starloom.Overrides{Image: "mine.wasm", ImageBytes: wasm}); err != nil {
		log.Fatal(err)
	}
	report, err := starloom.Run(context.Background(), s, starloom.RunOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Verdict, report.Firmware.Image)
	fmt.Println(strings.Join(report.Rules[4:], ", "))
	// Output:
	// pass mine.wasm
	// finishes, collision_free, packets_per_processor_max, exactly_once
}
