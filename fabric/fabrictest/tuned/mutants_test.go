package tuned

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/fabrictest"
)

// bug is the mistake of a mutant of the slot engine.
type bug string

const (
	hearsPastWindow bug = "receivers ignore windows"
	sendsPastWindow bug = "senders ignore windows"
	lastListenerOut bug = "the last cell of a window hears nothing"
	lastSenderOut   bug = "the last cell of a window sends nothing"
	illegalGoesOn   bug = "an illegal sender is not silenced"
	sourceNotSet    bug = "the source is not set"
	firstWins       bug = "a collision delivers the first frame"
	allIsOne        bug = "a frame to all reaches one port"
	wrongSlot       bug = "frames are those of another slot"
	notCounted      bug = "frames that have met are not counted"
	wrongCycle      bug = "a collision is seen a cycle late"
	wrongMedium     bug = "a collision is on another medium"
	heardTwice      bug = "a frame that two have heard counts twice"
	neverDeaf       bug = "a deaf processor hears"
	faultsIgnored   bug = "faults of media are ignored"
	missIgnored     bug = "a receiver hears what it misses"
	missForAll      bug = "a frame that one misses counts as lost"
	lightStays      bug = "a reset leaves light"
	columnNotSaved  bug = "a column is not saved"
	txStatusUntold  bug = "transmitters do not say that they have sent"
	shardTooShort   bug = "a shard ends one transmitter too early"
	oneColumn       bug = "what is sent overwrites what others have yet to hear"
	notJudged       bug = "the referee is not told"
)

// TestMutants requires that the suite finds each mutant.
func TestMutants(t *testing.T) {
	for _, mutant := range []bug{
		hearsPastWindow, sendsPastWindow, lastListenerOut, lastSenderOut, illegalGoesOn, sourceNotSet, firstWins, allIsOne,
		wrongSlot, notCounted, wrongCycle,
		wrongMedium, heardTwice, neverDeaf, faultsIgnored, missIgnored, missForAll, lightStays, columnNotSaved,
		txStatusUntold, shardTooShort, oneColumn, notJudged,
	} {
		t.Run(string(mutant), func(t *testing.T) {
			err := fabrictest.Flood{Fabric: starloom.Fabric{Custom: Network{Groups: 5, Size: 4, bug: mutant}}}.Check(t.Context())
			require.Error(t, err, "it lives")
			t.Log(err)
		})
	}
}
