package runs

import (
	"errors"
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/internal/config"
	"starloom/traces"
	"starloom/traces/input"
)

type runTable struct {
	nothing
	csv, svg *traces.File
}

func (p *runTable) ask(r *run) error {
	r.settings.RunTable = r.options.runTable()
	return nil
}

func (p *runTable) begin(r *run) error {
	m := r.machine
	if m.RunTable() != nil || !r.options.runTable() {
		return nil
	}
	if program := m.Program; program != nil && program.Workloads == nil {
		return &input.Error{Place: "--run-table", Reason: "the program " + program.Name + " has no run-table", Remedy: "delete the option"}
	}
	kind, remedy := r.config.Workload.Kind(), "delete the option"
	if own := tabled(m.Network); own != "" {
		remedy = own
	} else if kind != fabric.WorkloadGossip && kind != fabric.WorkloadOneToAll {
		remedy = fmt.Sprintf("run a scenario with workload: {%s: %s} or {%s: %s}",
			fabric.WorkloadGossip, config.WorkloadExample[fabric.WorkloadGossip],
			fabric.WorkloadOneToAll, config.WorkloadExample[fabric.WorkloadOneToAll])
	}
	return &input.Error{Place: "--run-table", Reason: fmt.Sprintf("%s with the workload %s has no run-table", m.Network.Kind(), kind), Remedy: remedy}
}

// tabled is what to run on a network to have a run-table of it, "" for nothing.
func tabled(network fabric.Network) string {
	for _, w := range []fabric.Workload{{Gossip: &fabric.Gossip{}}, {OneToAll: &fabric.OneToAll{}}, {}} {
		for _, p := range network.Programs() {
			if _, ok := network.Referee(&w, &p).(fabric.Tabled); ok && slices.Contains(p.Workloads, w.Kind()) {
				return fmt.Sprintf("write firmware: {program: %s} and workload: {%s: %s}", p.Name, w.Kind(), config.WorkloadExample[w.Kind()])
			}
		}
	}
	return ""
}

func (p *runTable) open(r *run) (err error) {
	if p.csv, err = r.out.Open("--run-table", "run-table", r.options.RunTableCSV); err != nil {
		return err
	}
	p.svg, err = r.out.Open("--run-table", "run-table", r.options.RunTableSVG)
	return err
}

func (p *runTable) end(r *run) (err error) {
	if p.csv != nil {
		err = r.machine.RunTable().WriteCSV(p.csv)
	}
	if p.svg != nil {
		err = errors.Join(err, r.machine.RunTable().WriteSVG(p.svg))
	}
	return err
}
