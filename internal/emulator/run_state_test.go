package emulator

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/hw"
)

// fill gives a value, and all that it is made of, other than zero.
func fill(t *testing.T, v reflect.Value) {
	v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem() // fields that are not exported, too
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(1)
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	default:
		require.Fail(t, "a column is a number or a flag", "%s", v.Type())
	}
}

// stateFunc is a function as a hw.Stateful.
type stateFunc func(v *hw.StateVisitor)

func (f stateFunc) Path() string             { return "tested" }
func (f stateFunc) State(v *hw.StateVisitor) { f(v) }

// carry saves with one function and restores with another.
func carry(t *testing.T, save, restore func(v *hw.StateVisitor)) {
	var saved bytes.Buffer
	require.NoError(t, hw.Save(&saved, stateFunc(save)))
	require.NoError(t, hw.Restore(&saved, stateFunc(restore)))
}

// TestColumns requires every new plain figure of a run to be saved, or to have a reason here. Reset and restore leave
// nothing of the run before.
func TestColumns(t *testing.T) {
	notSaved := []string{"Interrupted", "Paused", "notArrived"} // the state of a run that is cut off is refused
	var all, restored columns
	fill(t, reflect.ValueOf(&all).Elem())
	fill(t, reflect.ValueOf(&restored).Elem())
	state := func(c *columns) func(v *hw.StateVisitor) {
		return func(v *hw.StateVisitor) { c.state(v, 1, func(slot uint32) { require.EqualValues(t, 1, slot) }) }
	}
	carry(t, state(&all), state(&restored))
	want := all
	for _, name := range notSaved {
		field := reflect.ValueOf(&want).Elem().FieldByName(name)
		reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().SetZero()
	}
	require.Equal(t, want, restored, "state does not visit all columns")

	all.reset(7)
	require.Equal(t, columns{Seed: 7}, all)
}

// TestLedgerState: all counters of a ledger are saved.
func TestLedgerState(t *testing.T) {
	var all, restored fabric.Ledger
	fill(t, reflect.ValueOf(&all.Frames).Elem())
	all.HeldMax, all.FindingsTotal = 1, 1
	state := func(l *fabric.Ledger) func(v *hw.StateVisitor) {
		return func(v *hw.StateVisitor) { stateLedger(v, "shard", l) }
	}
	carry(t, state(&all), state(&restored))
	require.Equal(t, all, restored)
}

// TestParts checks that each field of running, and each built field with a state, is a part with reset, save and
// restore.
func TestParts(t *testing.T) {
	derived := []string{"scheduled", "boundary"} // follow from the workload; are over between steps
	built := []string{"Referee", "Shards", "Parking", "transport"}
	m := new(Machine)
	m.transport, m.Referee = struct{ fabric.Transport }{}, struct{ fabric.Referee }{}
	var parts []string
	for _, p := range (&machineState{Machine: m}).parts() {
		require.NotNil(t, p.reset, p.name)
		require.NotNil(t, p.state, p.name)
		parts = append(parts, p.name)
	}
	want := slices.Concat(derived, parts)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[running]()) {
		if len(f.Index) == 1 {
			require.Contains(t, want, f.Name, "neither a part nor derived")
			want = slices.DeleteFunc(want, func(name string) bool { return name == f.Name })
		}
	}
	require.ElementsMatch(t, built, want, "parts that are no fields")
}
