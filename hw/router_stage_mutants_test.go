package hw

// wrongStage is a mutant of an option: the numbers of packets that differ in the logs come from another model of the
// specification. Logs that are not named stay equal.
type wrongStage struct {
	name  string
	want  map[string]int
	edits []string // file, old, new, ...
}

const (
	general    = "router_general.go"
	rounds     = "router_allocator_islip.go"
	separables = "router_allocator_separable.go"
	waves      = "router_allocator_wavefront.go"
	stagesFile = "router_stages.go"
	routerFile = "router.go"
)

var generalFiles = []string{general, rounds, separables}

func stageMutants() []wrongStage {
	const bank = "int(s.memberVC[member])%s.InputSpeedup"
	const mutantBank = "mutantBank(MUTANT, int(s.memberVC[member]), x.config.VCs, s.InputSpeedup)"
	const put = "\t\tx.flits.put(w.shard, to.wire, to.delay, uint64(f))\n"
	return []wrongStage{
		{"no mutant", nil, nil},
		{"crossbar inputs by blocks of VCs", map[string]int{"is2": 1166, "is3": 520, "ispd15": 1030}, []string{
			general, bank, mutantBank, general, bank, mutantBank,
			general, "bank := vc % s.InputSpeedup", "bank := mutantBank(MUTANT, vc, x.config.VCs, s.InputSpeedup)"}},
		{"the choice moves by one", map[string]int{"is3": 331, "ispd15": 821}, []string{
			general, "+ s.InputSpeedup) %", "+ s.InputSpeedup - (s.InputSpeedup-1)*mutantOne(MUTANT)) %"}},
		{"sources ignore priorities", map[string]int{"class": 655}, []string{
			"packet_classes.go", "\tcase PriorityClass:\n\t\treturn x",
			"\tcase PriorityClass:\n\t\tif MUTANT { return 0 }\n\t\treturn x"}},
		// a count of this program: the other model's mutant is another one
		{"requests go before replies", map[string]int{"rw": 691}, []string{
			"packet_classes.go", "reply != 0 && uint64(p.Created[reply-1]) < now {",
			"reply != 0 && uint64(p.Created[reply-1]) < now && " +
				"!(MUTANT && c.next[at] < c.end[at] && uint64(p.Created[c.queue[c.next[at]]]) <= now) {"}},
		{"no place is kept", map[string]int{"shared": 367}, []string{"router_buffers.go", "\tif keeps {", "\tif keeps && !MUTANT {"}},
		{"a credit message for each VC", map[string]int{"is2": 1046, "is3": 343, "ispd15": 804}, []string{
			stagesFile, "s.queued = ", "s.queued = MUTANT || ",
			stagesFile, "s.creditful, s.ordered = ", "s.creditful, s.ordered = MUTANT || ",
			general, "\tif s.queued {\n\t\tx.beginCrossing", "\tif MUTANT { slices.Sort(w.moving) }\n\tif s.queued {\n\t\tx.beginCrossing",
			general, "import \"math/bits\"", "import (\n\"math/bits\"\n\"slices\"\n)",
			general, "if !w.opened[i] {", "if MUTANT || !w.opened[i] {"}},
		{"the queue of the switch is sorted by index", map[string]int{"os2": 1137, "os2b": 216}, []string{
			"router_order.go", "w.inOrder(w.asks, x.stage.body)", "if MUTANT { slices.Sort(w.asks) } else { w.inOrder(w.asks, x.stage.body) }"}},
		{"flits in the crossbar count in the output buffer", map[string]int{"os2b": 1329, "ispd15": 1011, "ob_g2": 200, "ob_xb2": 736}, []string{
			general, "int(s.outReady[w.port+o]) <", "int(s.outReady[w.port+o]+uint32(mutantOne(MUTANT))*(s.outCrossing[w.port+o]+s.outWaits[w.port+o])) <"}},
		{"credit messages of a cycle are joined", map[string]int{"ispd2": 1368, "ispd15": 1307, "ob_g2": 588}, []string{
			"router_options.go", "return max(1, c.Stages.InputSpeedup)", "return max(1, c.Stages.InputSpeedup) * (1 + mutantOne(MUTANT))",
			general, "\tfor range steps {\n", "\tfor i := range steps {\n\t\trouterMutantStep = i\n",
			general, "\tif !s.creditful {\n", `	if !s.creditful || MUTANT {
		if MUTANT {
			key := w.vc + i*x.config.VCs + vc
			if since, ok := routerMutantSince[key]; ok && since == x.flits.clock.cycle { return }
			routerMutantSince[key] = x.flits.clock.cycle
			bank += routerMutantStep * s.InputSpeedup
		}
`}},
		{"the extra step is in even cycles", map[string]int{"ispd15": 1183}, []string{
			general, "w.steps(s.InternalSpeedup, x.flits.clock.cycle)", "w.steps(s.InternalSpeedup, x.flits.clock.cycle+uint64(mutantOne(MUTANT)))"}},
		{"speculative requests have equal priority", map[string]int{"spec": 981, "spec_islip": 954}, []string{
			general, "priority+leastPriority", "priority+int32(1-mutantOne(MUTANT))*leastPriority"}},
		{"the choice stays after a dropped speculative grant", map[string]int{"spec_blind": 320}, []string{
			general, "\tx.choice[w.port*s.InputSpeedup+int(q.in)] = uint8(vc)\n",
			"routerMutantPointers[w.port*s.InputSpeedup+int(q.in)] = x.choice[w.port*s.InputSpeedup+int(q.in)]\n" +
				"\tx.choice[w.port*s.InputSpeedup+int(q.in)] = uint8(vc)\n",
			general, "kept = append(kept, member)\n\t\t\t}", `kept = append(kept, member)
			} else if MUTANT {
				x.choice[x.crossbarInput(w, int(member))] = routerMutantPointers[x.crossbarInput(w, int(member))]
			}`}},
		{"a connection is kept over an empty buffer", map[string]int{"hold": 1213, "ob_g2": 277}, []string{
			general, "; tail || empty {", "; tail || empty && !MUTANT {",
			general, "!tail && !empty {", "!tail && (!empty || MUTANT) {"}},
		{"a connection is kept without credit", map[string]int{"hold": 1116, "ob_g2": 126}, []string{
			general, "\t\tif !w.passes[i] {\n\t\t\tx.release(w, int(member))", "\t\tif !w.passes[i] {\n\t\t\tif !MUTANT { x.release(w, int(member)) }"}},
		{"the crossbar is a pipeline", map[string]int{"xb3": 753, "ob_xb2": 667}, []string{
			stagesFile, "|| s.CrossbarDelay > 1\n", "|| s.CrossbarDelay > 1 && !MUTANT\n",
			general, put, "\t\tx.flits.put(w.shard, to.wire, to.delay+uint16(mutantOne(MUTANT)*(s.CrossbarDelay-1)), uint64(f))\n",
			"router_network.go", "clock, readers, w.delayMax,", "clock, readers, w.delayMax + 2*mutantOne(MUTANT),"}},
		{"routing is a pipeline", map[string]int{"rd3": 1130}, []string{
			general, "\t\trouting, end := x.of(s.routing, w.router), &s.routeEnd[w.router]\n", `
			if MUTANT {
				due := w.idle[:0]
				for _, member := range w.idle {
					since, ok := routerMutantSince[w.vc+int(member)]
					if !ok { since = now; routerMutantSince[w.vc+int(member)] = now }
					if now+1 >= since+uint64(x.config.RoutingDelay) { delete(routerMutantSince, w.vc+int(member)); due = append(due, member) }
				}
				for _, member := range due {
					x.routeHeadWide(w, int(member))
					include(x.of(x.waiting, w.router), int(member))
				}
				return
			}
			routing, end := x.of(s.routing, w.router), &s.routeEnd[w.router]
			`}},
		{"wavefront moves without requests", map[string]int{"wave": 1337, "rrwave": 869, "localage": 1118, "hops": 969}, []string{
			waves, "\tif len(m.requests) == 0 {\n", "\tif len(m.requests) == 0 {\n\t\tif MUTANT { a.first[m.router] = (a.first[m.router]+1)%uint32(max(m.ins, m.outs)) }\n",
			general, "m.matches, m.closed = m.matches[:0], m.closed[:0]\n\tif len(m.requests) == 0 {",
			"m.matches, m.closed = m.matches[:0], m.closed[:0]\n\tif len(m.requests) == 0 && !(MUTANT && x.mutantMembers(w, x.active, nil)) {",
			general, "m.matches = m.matches[:0]; len(m.requests) == 0 {",
			"m.matches = m.matches[:0]; len(m.requests) == 0 && !(MUTANT && x.mutantMembers(w, x.waiting, w.idle)) {",
			routerFile, "\tif !shows {", "\tif !shows && !MUTANT {",
			routerFile, "if something == 0 && !x.backAt(r) {", "if something == 0 && !x.backAt(r) && !MUTANT {"}},
		{"islip moves pointers in all rounds", map[string]int{"islip3": 777}, []string{
			rounds, "\t\tif round == 0 {", "\t\tif round == 0 || MUTANT {"}},
		{"matrix starts with the lowest index", map[string]int{"matrix": 902}, []string{
			separables, "uint16(ins-1-i%ins)", "uint16((ins-1-i%ins)*(1-mutantOne(MUTANT))+i%ins*mutantOne(MUTANT))",
			separables, "uint16(s.outs[r]-1-i%s.outs[r])", "uint16((s.outs[r]-1-i%s.outs[r])*(1-mutantOne(MUTANT))+i%s.outs[r]*mutantOne(MUTANT))"}},
		{"select forgets grants of earlier rounds", map[string]int{"select2": 1000, "spec_select2": 89}, []string{
			"router_allocator_select.go", "\tm.order = m.order[:0]\n", "\tif MUTANT { for _, q := range m.requests { m.best[q.out] = -1 } }\n"}},
	}
}
