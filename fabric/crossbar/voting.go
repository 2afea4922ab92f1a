package crossbar

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/contend"
	"starloom/hw"
	"starloom/traces/input"
)

// voting is N-modular redundancy: correct and faulty modules, and the expected results of the voters. Module i
// belongs to voter i. All voters are correct.
type voting struct {
	sessions int
	given    []int64 // values of the modules; nil if all modules have one random value
	fault    string
	faulty   []bool

	// For a seed.
	holds     []int64 // correct values of all modules; faulty modules send other values
	wrong     int64   // value that faulty modules send instead
	low, high int64   // range of the correct modules

	// By session, for the rules.
	vote  []uint8
	first []int64 // decision of the first voter
}

// timeoutMax is the maximum of the parameter timeout of voting.c in slots.
const timeoutMax = 1_000_000

func newVoting(x Network, w *fabric.Gossip) (*voting, error) {
	n := x.Ports
	if n < 3 || n%2 == 0 {
		return nil, &input.Error{
			Place:  "fabric.crossbar.ports",
			Reason: fmt.Sprintf("%d voters can be split evenly, or have no median", n),
			Remedy: "give an odd number of ports, at least 3",
		}
	}
	v := &voting{sessions: w.Count(), given: w.Vector, fault: w.Fault, faulty: make([]bool, n), holds: make([]int64, n)}
	v.vote, v.first = make([]uint8, v.sessions), make([]int64, v.sessions)
	if err := v.readFaults(x, w); err != nil {
		return nil, err
	}
	if x.program == votingProgram {
		if _, err := x.param("timeout", 0, 0, timeoutMax); err != nil {
			return nil, err
		}
	}
	remedy := fmt.Sprintf("give %d 64-bit integers, one for each module, without a header", n)
	const valueBytesMax = 24 // an integer, its comma and some blanks
	place := valuesKey
	if w.Vector == nil {
		rows, path, err := valuesOf(w, 4096+valueBytesMax*int64(n), remedy)
		if err != nil {
			return nil, err
		}
		if path == "" {
			return v, nil
		}
		place, v.given = path, []int64{}
		for _, row := range rows {
			v.given = append(v.given, row.values...)
		}
	}
	if len(v.given) != n {
		return nil, &input.Error{Place: place,
			Reason: fmt.Sprintf("there are %d values for %d modules", len(v.given), n), Remedy: remedy}
	}
	return v, nil
}

// readFaults reads the set of faulty modules and the kind of their fault.
func (v *voting) readFaults(x Network, w *fabric.Gossip) error {
	faults := []string{fabric.FaultValue, fabric.FaultTwoFaced, fabric.FaultSilent}
	switch {
	case v.fault == "":
		v.fault = fabric.FaultValue
	case !slices.Contains(faults, v.fault):
		return &input.Error{
			Place: faultKey, Reason: fmt.Sprintf("there is no fault %q", v.fault),
			Remedy: input.DidYouMean(v.fault, faults, "allowed: value, two-faced and silent"),
		}
	case len(w.Faulty) == 0:
		return &input.Error{Place: faultKey, Reason: "no module is faulty",
			Remedy: "give faulty, a list of ids, or delete fault"}
	}
	if v.fault == fabric.FaultTwoFaced && x.Matching == contend.MatchList {
		return &input.Error{
			Place: faultKey,
			Reason: "a frame to a list of addressees is the same for all of them: two-faced modules cannot send different " +
				"values",
			Remedy: "use scheduling 0 and matching head",
		}
	}
	for i, id := range w.Faulty {
		place := fmt.Sprintf("%s[%d]", faultyKey, i)
		switch {
		case id < 0 || id >= x.Ports:
			return &input.Error{Place: place, Reason: fmt.Sprintf("there is no module %d", id),
				Remedy: fmt.Sprintf("allowed: 0 to %d", x.Ports-1)}
		case v.faulty[id]:
			return &input.Error{Place: place, Reason: fmt.Sprintf("module %d is given twice", id), Remedy: "delete one"}
		}
		v.faulty[id] = true
	}
	if len(w.Faulty) == x.Ports {
		return &input.Error{Place: faultyKey, Reason: "all modules are faulty, so no correct value exists",
			Remedy: "leave one out"}
	}
	return nil
}

// onlyVoting rejects faults in programs without votes.
func onlyVoting(w *fabric.Gossip) error {
	place := faultyKey
	switch {
	case w.Fault != "":
		place = faultKey
	case len(w.Faulty) == 0:
		return nil
	}
	return &input.Error{
		Place: place, Reason: "only the modules of " + votingProgram + " can be faulty",
		Remedy: "delete faulty and fault, or run " + votingProgram,
	}
}

// draw draws the values for a seed. The wrong value is outside the range of the correct modules.
func (v *voting) draw(seed uint64) {
	d := newDraws(seed)
	common := d.int64()
	first := true
	for i := range v.holds {
		if v.holds[i] = common; v.given != nil {
			v.holds[i] = v.given[i]
		}
		if v.faulty[i] {
			continue
		}
		if first {
			v.low, v.high, first = v.holds[i], v.holds[i], false
		}
		v.low, v.high = min(v.low, v.holds[i]), max(v.high, v.holds[i])
	}
	v.wrong = d.outside(v.low, v.high)
}

// says returns the value that a module sends to a voter.
func (v *voting) says(module, voter int) int64 {
	if v.faulty[module] && (v.fault == fabric.FaultValue || v.fault == fabric.FaultTwoFaced && voter%2 == 1) {
		return v.wrong
	}
	return v.holds[module]
}

func (v *voting) silent(module int) bool {
	return v.faulty[module] && v.fault == fabric.FaultSilent
}

func (v *voting) words() (processor, machine int) { return 1 + 2*len(v.holds), 0 }

// processor writes the words of voting.c for a module: a flag for a silent module, and the module's value for every
// voter.
func (v *voting) processor(module int, dst []uint32) {
	dst[0] = 0
	if v.silent(module) {
		dst[0] = 1
	}
	for voter := range v.holds {
		value := uint64(v.says(module, voter))
		dst[1+2*voter], dst[2+2*voter] = uint32(value), uint32(value>>32)
	}
}

func (v *voting) machine([]uint32) {}

func (v *voting) mute(module int) string {
	if v.silent(module) {
		return "its module, which is silent"
	}
	return ""
}

// verdict is the result of a voter in a session.
type verdict struct {
	decided bool
	value   int64
}

func (d verdict) String() string {
	if !d.decided {
		return "no majority"
	}
	return fmt.Sprint(d.value)
}

// verdict returns the result of a voter. given reports whether the voter has a result.
func (v *voting) verdict(r *fabric.Results, voter, session int) (d verdict, given bool) {
	decided, given := r.Get(voter, uint32(2*session+1))
	if !given {
		return verdict{}, false
	}
	value, valued := r.Get(voter, uint32(2*session))
	return verdict{decided != 0 && valued, int64(value)}, true
}

func (v *voting) valid(d verdict) bool { return d.decided && v.low <= d.value && d.value <= v.high }

// correct describes the values of the correct modules.
func (v *voting) correct() string {
	if v.low == v.high {
		return fmt.Sprint(v.low)
	}
	return fmt.Sprintf("%d to %d", v.low, v.high)
}

// metrics describes the last session. correct lists the values of correct modules. results lists the values by voter,
// null without a value. agreed is the number of voters with the most frequent value, 0 without any. wrong_voters
// lists the ids of voters whose value no correct module has. agreed and wrong_voters are unknown until a voter has a
// result.
func (v *voting) metrics(r *fabric.Results, m *fabric.Metrics) {
	results, wrong := make([]*int64, len(v.holds)), []int{}
	votes, agreed, came := map[int64]int{}, 0, false
	for voter := range results {
		d, given := v.verdict(r, voter, v.sessions-1)
		if !given {
			continue
		}
		came = true
		if d.decided {
			results[voter] = &d.value
			votes[d.value]++
			agreed = max(agreed, votes[d.value])
		}
		if !v.valid(d) {
			wrong = append(wrong, voter)
		}
	}
	m.Add("correct", v.correct())
	m.Add("results", results)
	m.AddKnown(came, "agreed", agreed)
	m.AddKnown(came, "wrong_voters", wrong)
}

func (v *voting) keeps() []string { return []string{fabric.RuleAgreement, fabric.RuleValidity} }

// Agreement among the voters of a session.
const (
	openVote    = iota // no voter has decided
	agreedVote         // all decisions are equal
	disputeVote        // decisions differ, and the difference was reported
)

// judge applies the rules to verdicts. The second word completes a verdict.
func (v *voting) judge(r *fabric.Results, rules *fabric.Rules, given []fabric.Result, yield func(fabric.Finding)) {
	type ballot struct{ session, voter int }
	var ballots []ballot
	for _, x := range given {
		if session := int(x.Word / 2); session < v.sessions {
			ballots = append(ballots, ballot{session, x.Processor})
		}
	}
	slices.SortFunc(ballots,
		func(a, b ballot) int { return cmp.Or(cmp.Compare(a.session, b.session), cmp.Compare(a.voter, b.voter)) })
	for _, b := range slices.Compact(ballots) {
		d, given := v.verdict(r, b.voter, b.session)
		if !given {
			continue
		}
		if rules.Validity && !v.valid(d) {
			yield(fabric.Finding{Kind: fabric.FindInvalid, Index: b.voter,
				Text: fmt.Sprintf("has found %v%s; the correct modules hold %s", d, v.inSession(b.session), v.correct())})
		}
		if rules.Agreement && d.decided {
			v.agree(r, b.session, d.value, yield)
		}
	}
}

// agree compares the decision of a voter with those of the other voters.
func (v *voting) agree(r *fabric.Results, session int, value int64, yield func(fabric.Finding)) {
	switch vote := &v.vote[session]; {
	case *vote == openVote:
		*vote, v.first[session] = agreedVote, value
	case *vote == agreedVote && v.first[session] != value:
		var values []int64 // distinct values, in the order of voters
		voters := map[int64][]int{}
		for voter := range v.holds {
			d, given := v.verdict(r, voter, session)
			if !given || !d.decided {
				continue
			}
			if voters[d.value] == nil {
				values = append(values, d.value)
			}
			voters[d.value] = append(voters[d.value], voter)
		}
		if len(values) == 1 { // the first voter has changed its decision
			v.first[session] = value
			return
		}
		*vote = disputeVote
		var found []string
		for _, value := range values {
			found = append(found, fmt.Sprintf("%s found %v", listOf("voter", voters[value]), value))
		}
		yield(fabric.Finding{Kind: fabric.FindDisagreement, Index: voters[values[1]][0],
			Text: "has not found what others have" + v.inSession(session) + ": " + strings.Join(found, "; ")})
	}
}

func (v *voting) reset() {
	clear(v.vote)
	clear(v.first)
}

func (v *voting) state(s *hw.StateVisitor) {
	hw.StateColumn(s, hw.Future, "vote", v.vote, hw.AtMost[uint8](disputeVote))
	hw.StateColumn(s, hw.Future, "vote.first", v.first)
}

func (v *voting) inSession(session int) string {
	if v.sessions == 1 {
		return ""
	}
	return fmt.Sprintf(" in session %d", session)
}

// listOf names the first few members of a list, such as "processors 1, 2 and 7".
func listOf(noun string, ids []int) string {
	const named = 8
	if len(ids) == 1 {
		return fmt.Sprintf("%s %d", noun, ids[0])
	}
	text, shown := noun+"s ", min(len(ids), named)
	for i, id := range ids[:shown] {
		switch {
		case i == 0:
		case i == len(ids)-1:
			text += " and "
		default:
			text += ", "
		}
		text += fmt.Sprint(id)
	}
	if more := len(ids) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
