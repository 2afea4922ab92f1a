package bus

import "starloom/fabric"

func (Network) Example(program string) fabric.Example {
	shared := []string{"fabric.bus.vertices=4", "fabric.bus.buses=[[1, 2, 3, 0]]"}
	switch program {
	case "bus/sensors":
		return fabric.Example{Set: append(shared, "fabric.bus.arbiter=fixed", "firmware.params={period: 8, spread: 2, readings: 10}")}
	case "bus/traffic":
		return fabric.Example{Set: append(shared, "fabric.bus.arbiter=round_robin", "workload.traffic={pattern: uniform, rate: 0.05}")}
	}
	return fabric.Example{Set: []string{"fabric.bus.vertices=12", "fabric.bus.length=4"}}
}
