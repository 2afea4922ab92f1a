package engines

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"starloom/internal/inside"
	"testing"

	"starloom"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// TestCheckpoints stops runs at a slot and at a broken rule, and goes on from the file: the
// report is that of the run without a break.
func TestCheckpoints(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "state")
	for name, make := range map[string]func() *starloom.Scenario{
		"routing": func() *starloom.Scenario { return systemtest.Routing(4, 4) },
		"globals": func() *starloom.Scenario { return systemtest.ImageScenario(t, "counts") },
		"traps":   func() *starloom.Scenario { return systemtest.ImageScenario(t, "traps") },
		"loses": func() *starloom.Scenario {
			s := systemtest.Routing(7, 3)
			s.Seed, s.Link.PhitBits = 8, 8
			return s
		},
	} {
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			o := starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}}
			whole, err := starloom.Run(ctx, make(), o)
			require.NoError(t, err)
			if name == "traps" || name == "loses" {
				require.Equal(t, starloom.VerdictFail, whole.Verdict)
			}
			want := systemtest.ReportText(t, whole)

			o.State.Save, o.BreakOn = path, starloom.Break{Slot: 1}
			part, err := starloom.Run(ctx, make(), o)
			require.NoError(t, err)
			require.EqualValues(t, 1, part.Slots, name)
			require.Contains(t, part.Notes[len(part.Notes)-1], "stopped before slot 1")
			for _, v := range part.Violations {
				require.NotEqual(t, starloom.RuleFinishes, v.Rule, "a break is no end")
			}
			o.State.Save, o.BreakOn, o.State.Restore = "", starloom.Break{}, path
			rest, err := starloom.Run(ctx, make(), o)
			require.NoError(t, err)
			require.Equal(t, want, systemtest.ReportText(t, rest), "%s %s", name, engine)

			// Checkpoints on the way, and the state at the end, change nothing.
			o.State.Save, o.State.Restore, o.State.CheckpointEvery = path, "", 1
			saved, err := starloom.Run(ctx, make(), o)
			require.NoError(t, err)
			require.Equal(t, want, systemtest.ReportText(t, saved))
			o.State.Save, o.State.Restore, o.State.CheckpointEvery = "", path, 0
			ended, err := starloom.Run(ctx, make(), o)
			require.NoError(t, err)
			require.Equal(t, want, systemtest.ReportText(t, ended), "%s %s, from the end", name, engine)
		}
	}
	o := starloom.RunOptions{State: starloom.StateFiles{Save: path}, BreakOn: starloom.Break{Rule: starloom.RuleTrap}}
	broken, err := starloom.Run(ctx, systemtest.ImageScenario(t, "traps"), o)
	require.NoError(t, err)
	require.EqualValues(t, 1, broken.Slots)
	require.Equal(t, starloom.VerdictFail, broken.Verdict, "what was broken before the break counts")
	_, err = starloom.Run(ctx, systemtest.ImageScenario(t, "traps"),
		starloom.RunOptions{State: starloom.StateFiles{Save: path + "2", Restore: path},
			BreakOn: starloom.Break{Rule: starloom.RuleTrap}})
	require.ErrorContains(t, err, "is already past the first violation of firmware_trap")
}

// TestRestoreRefused: a state of something else is refused, and the reason is that.
func TestRestoreRefused(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	path := filepath.Join(dir, "state")
	o := starloom.RunOptions{State: starloom.StateFiles{Save: path}, BreakOn: starloom.Break{Slot: 3}}
	_, err := starloom.Run(ctx, systemtest.Routing(4, 4), o)
	require.NoError(t, err)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	write := func(data []byte) string {
		name := filepath.Join(dir, "other")
		require.NoError(t, os.WriteFile(name, data, 0o644))
		return name
	}
	seed, isolated, other, both := systemtest.Routing(4, 4), systemtest.Routing(4, 4),
		systemtest.Routing(4, 4), systemtest.Routing(4, 4)
	seed.Seed, isolated.Firmware.Mode, other.Stop.Slots = 2, starloom.ModeIsolated, 77
	image := systemtest.ImageScenario(t, "traps").Firmware
	both.Seed, both.Firmware, both.Rules = 2, image, &inside.Decided(other).Program.Rules
	text := write([]byte("hello\n"))
	for _, c := range []struct {
		s    *starloom.Scenario
		o    starloom.RunOptions
		want string
	}{
		{seed, starloom.RunOptions{State: starloom.StateFiles{Restore: path}}, "the state is of another seed; restore it with"},
		{other, starloom.RunOptions{State: starloom.StateFiles{Restore: path}}, "the state is of another scenario; restore it with"},
		{both, starloom.RunOptions{State: starloom.StateFiles{Restore: path}}, "the state is of another firmware, another seed, another scenario; restore it with"},
		{isolated, starloom.RunOptions{State: starloom.StateFiles{Restore: path}}, "the state is of a different mode of the firmware (this is isolated); "},
		{systemtest.Routing(4, 4), starloom.RunOptions{State: starloom.StateFiles{Restore: path},
			MachineOptions: starloom.MachineOptions{Engine: starloom.EngineCycle}}, "the state is of another engine (this is cycle); "},
		{systemtest.Routing(4, 4), starloom.RunOptions{State: starloom.StateFiles{Restore: path},
			MachineOptions: starloom.MachineOptions{BankSize: 4}},
			"banks of a different size (these are of 4 processors); "},
		{systemtest.Routing(4, 4), starloom.RunOptions{State: starloom.StateFiles{Restore: text}}, "other: this is not a saved state; give a file that --save-state wrote"},
		{systemtest.Routing(4, 4), starloom.RunOptions{State: starloom.StateFiles{Restore: dir}}, "not a regular file"},
		{systemtest.Routing(4, 4), starloom.RunOptions{State: starloom.StateFiles{Restore: path + "x"}}, "no such file"},
		{systemtest.Routing(4, 4), starloom.RunOptions{State: starloom.StateFiles{CheckpointEvery: 2}}, "add --save-state F"},
		{systemtest.Routing(4, 4), starloom.RunOptions{BreakOn: starloom.Break{Slot: 2}}, "add --save-state F"},
		{systemtest.Routing(4, 4), starloom.RunOptions{State: starloom.StateFiles{Save: path}, BreakOn: starloom.Break{Rule: "exactly-once"}}, `did you mean "exactly_once"`},
		{systemtest.Routing(4, 4), starloom.RunOptions{State: starloom.StateFiles{Save: filepath.Join(dir, "no", "state")}}, "make the folder first"},
		{systemtest.Routing(4, 4), starloom.RunOptions{State: starloom.StateFiles{Save: path}, Reports: starloom.ReportFiles{JSON: starloom.File(path)}}, "two outputs have this path"},
	} {
		_, err := starloom.Run(ctx, c.s, c.o)
		var refused *starloom.InputError
		require.ErrorAs(t, err, &refused, c.want)
		require.ErrorContains(t, err, c.want)
		now, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, whole, now, "what is refused writes nothing")
	}
	damaged := [][]byte{whole[:len(whole)/2], append(bytes.Clone(whole), 0), whole[:len(whole)-1], whole[:16]}
	for at := 16; at < len(whole); at += 1 + len(whole)/50 {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1
		damaged = append(damaged, flipped)
	}
	for _, data := range damaged {
		_, err := starloom.Run(ctx, systemtest.Routing(4, 4),
			starloom.RunOptions{State: starloom.StateFiles{Restore: write(data)}})
		var refused *starloom.InputError
		require.ErrorAs(t, err, &refused)
		require.Contains(t, err.Error(), "other: the checksum is wrong: the state is damaged or truncated; give a file "+
			"that --save-state wrote")
	}
	_, err = starloom.RunSeeds(ctx, systemtest.Routing(4, 4), starloom.Seeds{First: 1, Last: 2},
		starloom.RunOptions{State: starloom.StateFiles{Restore: path}})
	require.ErrorContains(t, err, "a state belongs to a single run")
	for _, bad := range []string{"slot=0", "slot=x", "slot=4294967295"} {
		_, err := starloom.ParseBreak(bad)
		require.ErrorContains(t, err, "is not a slot")
	}
}

// TestRandomSavePoints saves runs at random slots, each a step or more after the one before,
// and goes on in another machine: it does what the first one does.
func TestRandomSavePoints(t *testing.T) {
	points := 200
	if *systemtest.Full {
		points = 10_000
	}
	draw := rand.New(rand.NewPCG(1, 13))
	for done := 0; done < points; {
		var s *starloom.Scenario
		switch draw.IntN(3) {
		case 0:
			s = systemtest.ImageScenario(t, "counts") // state in a global of WebAssembly
		case 1:
			var err error
			s, err = starloom.LoadScenario("examples/languages/assemblyscript/router.yaml")
			require.NoError(t, err)
			require.NoError(t, s.Override(context.Background(), starloom.Overrides{Image: "examples/languages/testdata/assemblyscript.wasm"}))
		default:
			s = systemtest.Routing(1+draw.IntN(4), 1+draw.IntN(4))
		}
		s.Seed = draw.Uint64N(1 << 32)
		if draw.IntN(2) == 0 {
			s.Firmware.Mode = starloom.ModeIsolated
		}
		o := starloom.MachineOptions{Engine: []string{starloom.EngineSlot, starloom.EngineCycle}[draw.IntN(2)],
			BankSize: 1 + draw.IntN(8), Workers: 1 + draw.IntN(2)}
		want := systemtest.Result(t, s, o)
		first, second := systemtest.Machine(t, s, o), systemtest.Machine(t, s, o)
		for ; !first.Ended() && done < points; done++ {
			for range draw.IntN(3) {
				require.NoError(t, first.Step())
			}
			var before, after bytes.Buffer
			require.NoError(t, first.Save(&before))
			require.NoError(t, second.Restore(bytes.NewReader(before.Bytes())))
			require.NoError(t, second.Save(&after))
			require.True(t, bytes.Equal(before.Bytes(), after.Bytes()), "the state of slot %d is not what was saved", first.Slots())
			if draw.IntN(4) == 0 {
				first, second = second, first
				continue
			}
			require.NoError(t, second.Run(context.Background(), nil))
			require.Equal(t, want, systemtest.ReportText(t, second.Report()), "saved before slot %d", first.Slots())
		}
		require.NoError(t, first.Close())
		require.NoError(t, second.Close())
	}
}

// TestAlteredFile checks that any alteration of a state with a correct checksum is bad input, with place, reason and
// remedy.
func TestAlteredFile(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "state")
	_, err := starloom.Run(ctx, systemtest.Routing(4, 4),
		starloom.RunOptions{State: starloom.StateFiles{Save: path}, BreakOn: starloom.Break{Slot: 3},
			MachineOptions: starloom.MachineOptions{Engine: starloom.EngineCycle}})
	require.NoError(t, err)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	reasons := map[string]string{ // by column: reason if all bits of its last element are set
		"machine.slot": "ends with slot", "machine.digest.next_slot": "the last slot of the digest", "machine.destination": "at most 15 is allowed",
		"pops.group.nic.tx.length": "at most", "pops.group.nic.rx.state": "at most", "machine.identity.firmware": "another firmware",
		"fabric.sent": "", "kernel.cycle": "the hardware is in cycle", "machine.violations": "",
	}
	for _, c := range systemtest.StateColumns(t, whole) {
		want, known := reasons[c.Name]
		if !known || want == "" {
			continue
		}
		altered := bytes.Clone(whole)
		for i := c.End - c.Size; i < c.End; i++ {
			altered[i] = 0xFF
		}
		require.NoError(t, os.WriteFile(path, systemtest.Sealed(altered), 0o644))
		_, err := starloom.Run(ctx, systemtest.Routing(4, 4),
			starloom.RunOptions{State: starloom.StateFiles{Restore: path},
				MachineOptions: starloom.MachineOptions{Engine: starloom.EngineCycle}})
		var refused *starloom.InputError
		require.ErrorAs(t, err, &refused, c.Name)
		require.Equal(t, "--restore", refused.Place)
		require.Contains(t, refused.Reason, want, c.Name)
		require.NotEmpty(t, refused.Remedy)
		delete(reasons, c.Name)
	}
	require.Len(t, reasons, 2, "columns that are not there")

	// What is possible by itself, and breaks the hardware later: a transmitter with a frame that is over.
	for _, c := range systemtest.StateColumns(t, whole) {
		if c.Name != "pops.group.nic.tx.length" {
			continue
		}
		for at := c.First; at < c.End; at += c.Size {
			altered := bytes.Clone(whole)
			altered[at], altered[at+1] = 1, 0
			require.NoError(t, os.WriteFile(path, systemtest.Sealed(altered), 0o644))
			_, err := starloom.Run(ctx, systemtest.Routing(4, 4),
				starloom.RunOptions{State: starloom.StateFiles{Restore: path},
					MachineOptions: starloom.MachineOptions{Engine: starloom.EngineCycle}})
			var refused *starloom.InputError
			if err != nil {
				require.ErrorAs(t, err, &refused)
				require.Equal(t, "--restore", refused.Place)
			}
		}
	}
}

// TestAlteredEnd: how far a run is follows from the rest of its state: other values of "end" are refused, in
// the middle of a run and at its end, and none restores as an interruption.
func TestAlteredEnd(t *testing.T) {
	scatter, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {crossbar: {ports: 50}}\nfirmware: {program: scatter/sync}\nworkload: {scatter: {origin: 0}}\n"))
	require.NoError(t, err)
	for name, s := range map[string]*starloom.Scenario{"routing": systemtest.Routing(4, 4), "scatter": scatter} {
		for _, slots := range []int{0, 3, 1000} {
			m := systemtest.Machine(t, s, starloom.MachineOptions{})
			for range slots {
				require.NoError(t, m.Step())
			}
			var state bytes.Buffer
			require.NoError(t, m.Save(&state))
			require.Equal(t, slots == 1000, m.Ended())
			for _, c := range systemtest.StateColumns(t, state.Bytes()) {
				if c.Name != "machine.end" {
					continue
				}
				values := 0
				for bits := range 1 << (c.End - c.First) {
					altered := bytes.Clone(state.Bytes())
					for k := range c.End - c.First {
						altered[c.First+k] = byte(bits >> k & 1)
					}
					err := m.Restore(bytes.NewReader(systemtest.Sealed(altered)))
					if name != "scatter" && slots == 1000 && bits == 1 {
						require.NoError(t, err, "it might have gone on: what the last slot has sent is not known any more")
						continue
					}
					if bytes.Equal(altered, state.Bytes()) {
						require.NoError(t, err)
						values++
						continue
					}
					require.NoError(t, m.Reset(s.Seed))
					require.ErrorContains(t, err, "a run in slot", "%s in slot %d: %04b", name, m.Slots(), bits)
				}
				require.Equal(t, 1, values)
			}
		}
	}
}
