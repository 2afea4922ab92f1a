package runs

import (
	"fmt"

	"starloom/fabric"
	"starloom/internal/config"
	"starloom/traces"
	"starloom/traces/input"
)

type packets struct {
	nothing
	file *traces.File // nil for none
}

func (p *packets) ask(r *run) error {
	if r.settings.Packets = r.options.Packets.Given(); !r.settings.Packets || r.config.Traffic != nil || fabric.RoutersOf(r.config.Network) != nil {
		return nil
	}
	return &input.Error{Place: "--packets", Reason: fmt.Sprintf("the workload %s has no packets of traffic", r.config.Workload.Kind()),
		Remedy: fmt.Sprintf("run a scenario with workload: {%s: %s}", fabric.WorkloadTraffic, config.WorkloadExample[fabric.WorkloadTraffic])}
}

func (p *packets) open(r *run) (err error) {
	p.file, err = r.out.Open("--packets", "packets", r.options.Packets)
	return err
}

func (p *packets) end(r *run) error {
	if p.file == nil {
		return nil
	}
	return r.machine.WritePackets(p.file)
}
