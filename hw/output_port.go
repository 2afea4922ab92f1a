package hw

// OutputPorts combines the filters and arbiters of a crossbar's outputs, so that RTL can replace both as one
// component.
//
// Inputs: the inputs of the filter. Output: the arbiter's grant. Latency 1 cycle. The parts hold the registers and
// reset themselves. Twin: output_port.v.
type OutputPorts struct {
	filters  *Filters
	arbiters *Arbiters
}

// NewOutputPorts combines filters with their arbiters.
func NewOutputPorts(filters *Filters, arbiters *Arbiters) *OutputPorts {
	return &OutputPorts{filters, arbiters}
}

func (o *OutputPorts) Parts() []Sited { return []Sited{o.filters, o.arbiters} }

func (o *OutputPorts) Path() string { return o.bank().Path() }

func (o *OutputPorts) bank() Bank {
	bank := o.filters.bank
	bank.Part = "port"
	return bank
}

func (o *OutputPorts) Inputs() []Wire { return o.filters.Inputs() }

// Outputs returns the grants and the internal request lines.
func (o *OutputPorts) Outputs() []Wire { return append(o.arbiters.Drives(), o.filters.Outputs()...) }

func (o *OutputPorts) Settle(s Shard) {
	o.arbiters.Drive(s)
	o.filters.Settle(s)
}

func (o *OutputPorts) Latches() []Wire { return o.arbiters.Latches() }

func (o *OutputPorts) Latch(s Shard) {
	o.arbiters.Latch(s)
	o.filters.Latch(s)
}

func (o *OutputPorts) Reset() {
	o.filters.Reset()
	o.arbiters.Reset()
}

func (o *OutputPorts) State(v *StateVisitor) {
	v.Within(o.filters)
	v.Within(o.arbiters)
}

// Cells yields the registers of both parts.
func (o *OutputPorts) Cells(yield func(Probe)) {
	o.filters.Cells(yield)
	o.arbiters.Cells(yield)
}

func (o *OutputPorts) Probes(yield func(Probe)) {
	o.filters.Probes(yield)
	o.arbiters.Probes(yield)
}

// Site describes an output. If RTL replaces the output, its filter passes no requests, and only the RTL's grant
// counts.
func (o *OutputPorts) Site() *Site {
	filter, arbiter, bank := o.filters.Site(), o.arbiters.Site(), o.bank()
	return &Site{
		Twin: "output_port", What: "ports of outputs",
		Parameters: Same(map[string]int{"INPUTS": o.arbiters.shape.Requesters, "KIND": int(o.arbiters.kind)}),
		Elements:   bank.Size(), Path: bank.Element, Clocked: true, Combinational: true,
		Ports: []Port{
			filter.Port("load_i"), filter.Port("listen_i"), filter.Port("accept_i"),
			filter.Port("request_i"), filter.Port("tag_i"),
			arbiter.Port("grant_o"),
		},
		Replace: filter.Replace,
	}
}
