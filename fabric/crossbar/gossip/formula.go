package gossip

import "math"

// formula is a conjunction of clauses that is satisfiable if the automaton of Fig. 1 has a run of a given length. A
// model is such a run; the sequence of its sends yields the orders. Steps count from 1.
type formula struct {
	N, steps int
	shape    shape

	clauses   [][]int // each clause has at least one true literal; -v means "not v"
	variables int
	sends     [][][]int // [from][to][step]: the message passes in the step
	starts    [][]int   // [processor][step]: the processor is in stage B or C
	ends      [][]int   // [processor][step]: the processor is in stage C
	waits     [][][]int // [processor][addressee][step]: the processor is blocked; see waitForAReason
}

// shape restricts the runs of a search. An unrestricted formula without a model proves that no such run exists.
type shape struct {
	// mirrored runs equal their image in reversed time, with i replaced by N-i
	mirrored bool
	// number of steps by which a processor may start earlier than with Optimal; N for any number
	early int
}

// yes and -yes are the literals of known facts.
const yes = math.MaxInt

func newFormula(N, steps int, shape shape) *formula {
	f := &formula{N: N, steps: steps, shape: shape}
	for p := range N + 1 {
		if f.lastStart(p) < f.firstStart(p) {
			f.add()
			return f
		}
	}
	f.declare()
	for p := range N + 1 {
		f.stagesFollow(p)
		for q := range N + 1 {
			if p != q {
				f.messageOnce(p, q)
				f.waitForAReason(p, q)
			}
		}
		for step := 1; step <= steps; step++ {
			f.oneAction(p, step)
			f.stagesChangeAtOnce(p, step)
		}
	}
	return f
}

// firstStart returns the first step in which a processor may send, after p received messages.
func (f *formula) firstStart(p int) int { return max(p, MayStart(p)-f.shape.early) + 1 }

// lastSend returns the last step in which a processor may send, because N-p messages must follow. It is the mirror
// image of firstStart.
func (f *formula) lastSend(p int) int { return f.steps + 1 - f.firstStart(f.N-p) }

// lastStart returns 1 + the last step in which a processor may be in stage A.
func (f *formula) lastStart(p int) int { return f.lastSend(p) - f.N + 1 }

// firstEnd returns the first step in which a processor may be in stage C.
func (f *formula) firstEnd(p int) int { return f.firstStart(p) + f.N }

func (f *formula) variable() int {
	f.variables++
	return f.variables
}

func (f *formula) add(literals ...int) {
	clause := make([]int, 0, len(literals))
	for _, literal := range literals {
		switch literal {
		case yes:
			return
		case -yes:
		default:
			clause = append(clause, literal)
		}
	}
	f.clauses = append(f.clauses, clause)
}

func (f *formula) declare() {
	n := f.N + 1
	f.sends, f.waits = make([][][]int, n), make([][][]int, n)
	f.starts, f.ends = make([][]int, n), make([][]int, n)
	for p := range n {
		f.starts[p] = f.monotone(f.firstStart(p), f.lastStart(p))
		f.ends[p] = f.monotone(f.firstEnd(p), f.lastSend(p)+1)
		f.sends[p], f.waits[p] = make([][]int, n), make([][]int, n)
		for q := range n {
			f.sends[p][q], f.waits[p][q] = f.never(), f.never()
			if p != q {
				f.declareMessage(p, q)
			}
		}
	}
}

// never returns a fact that is false in every step. Its steps include one before the first and one after the last.
func (f *formula) never() []int {
	fact := make([]int, f.steps+2)
	for step := range fact {
		fact[step] = -yes
	}
	return fact
}

// monotone returns a fact that becomes true in a step between first and last and remains true.
func (f *formula) monotone(first, last int) []int {
	fact := f.never()
	for step := first; step < len(fact); step++ {
		fact[step] = yes
		if step < last {
			fact[step] = f.variable()
		}
		f.add(-fact[step-1], fact[step])
	}
	return fact
}

// declareMessage declares the variables of a message from p to q. p sends the message in stage B; q receives it
// before its own stage B if p < q, otherwise after.
func (f *formula) declareMessage(p, q int) {
	first, last := f.firstStart(p), f.lastSend(p)
	for step := first; step < last; step++ {
		f.waits[p][q][step] = f.variable()
	}
	if p < q {
		last = min(last, f.lastStart(q)-1)
	} else {
		first = max(first, f.firstEnd(q))
	}
	for step := first; step <= last; step++ {
		if f.shape.mirrored && f.N-p < p {
			f.sends[p][q][step] = f.sends[f.N-p][f.N-q][f.steps+1-step]
		} else {
			f.sends[p][q][step] = f.variable()
		}
	}
}

// messageOnce: p sends to q once, in stage B of p; q is then in stage A if p < q, otherwise in stage C.
func (f *formula) messageOnce(p, q int) {
	sends := f.sends[p][q]
	f.add(sends...)
	f.atMostOne(sends)
	for step, send := range sends {
		f.add(-send, f.starts[p][step])
		f.add(-send, -f.ends[p][step])
		if p < q {
			f.add(-send, -f.starts[q][step])
		} else {
			f.add(-send, f.ends[q][step])
		}
	}
}

// oneAction: in a step a processor sends one message, receives one message, or waits for one addressee.
func (f *formula) oneAction(p, step int) {
	var actions []int
	for q := range f.N + 1 {
		actions = append(actions, f.sends[p][q][step], f.sends[q][p][step], f.waits[p][q][step])
	}
	f.atMostOne(actions)
}

// stagesFollow: stage B of a processor has at least N steps.
func (f *formula) stagesFollow(p int) {
	for step := f.N; step < len(f.ends[p]); step++ {
		f.add(-f.ends[p][step], f.starts[p][step-f.N])
	}
}

// stagesChangeAtOnce: stage B begins in the step after the last message of stage A, stage C in the step after the
// last send; in between, a processor sends or is blocked.
func (f *formula) stagesChangeAtOnce(p, step int) {
	starts, ends := f.starts[p], f.ends[p]
	began := []int{-starts[step], starts[step-1]}
	ended := []int{-ends[step+1], ends[step]}
	busy := []int{-starts[step], ends[step]}
	for q := range f.N + 1 {
		if q < p {
			began = append(began, f.sends[q][p][step-1])
		}
		ended = append(ended, f.sends[p][q][step])
		busy = append(busy, f.sends[p][q][step], f.waits[p][q][step])
	}
	if p > 0 { // processor 0 begins at once
		f.add(began...)
	}
	f.add(ended...)
	f.add(busy...)
}

// waitForAReason: p waits for q until p sends to q, and only while q is in stage B or receives from a lower
// processor. Without this rule, a run of the orders would differ from the model: it would not wait there, and would
// disturb other messages.
func (f *formula) waitForAReason(p, q int) {
	for step := 1; step <= f.steps; step++ {
		wait := f.waits[p][q][step]
		f.add(-wait, f.sends[p][q][step+1], f.waits[p][q][step+1])
		taken := []int{-wait}
		for lower := range p {
			taken = append(taken, f.sends[lower][q][step])
		}
		f.add(append(taken, f.starts[q][step])...)
		f.add(append(taken, -f.ends[q][step])...)
	}
}

// atMostOne: at most one of the facts is true. A variable for "no fact of the first part is true" splits a long list.
func (f *formula) atMostOne(facts []int) {
	const pairsMax = 5
	open := make([]int, 0, len(facts))
	for _, fact := range facts {
		if fact != -yes {
			open = append(open, fact)
		}
	}
	for len(open) > pairsMax {
		none := f.variable()
		f.inPairs(append(open[:pairsMax-1:pairsMax-1], none))
		open = append([]int{-none}, open[pairsMax-1:]...)
	}
	f.inPairs(open)
}

// inPairs: at most one of the facts is true, expressed by a clause for each pair.
func (f *formula) inPairs(facts []int) {
	for i, fact := range facts {
		for _, other := range facts[:i] {
			f.add(-fact, -other)
		}
	}
}

// orders returns the orders of a model: by processor, the addressees in the order of steps.
func (f *formula) orders(model []bool) Orders {
	return newOrders(f.N, func(row []uint32, p int) []uint32 {
		for step := 1; step <= f.steps; step++ {
			for q, sends := range f.sends[p] {
				if send := sends[step]; send != -yes && model[send-1] {
					row = append(row, uint32(q))
				}
			}
		}
		return row
	})
}
