package netlist

import (
	"fmt"
	"slices"

	"starloom/hw"
)

// drawConcentrated draws the network, and ports for further channels of NICs after all other ports of a router.
func (w *routed) drawConcentrated(c *concentrated) error {
	refuse := func(reason, remedy string) error { return w.refuse(c.place, c.key+": "+reason, remedy) }
	routers, ports, each := c.value.routers()
	switch all := ports + (w.nicPorts-1)*each; {
	case all > hw.RouterPortsMax:
		return refuse(fmt.Sprintf("routers of %d ports", all), fmt.Sprintf("at most %d are allowed", hw.RouterPortsMax))
	case routers > nodesMax || times(routers, each*w.nicPorts) > hw.PacketNodesMax:
		return refuse(fmt.Sprintf("%d routers with %d processors each", routers, each),
			fmt.Sprintf("at most %d routers and %d processors are allowed", nodesMax, hw.PacketNodesMax/w.nicPorts))
	}
	w.usual, w.Graph.Ports = routesShortest, slices.Repeat([]int{ports + (w.nicPorts-1)*each}, routers)
	if reason, remedy := c.value.draw(&w.Graph); reason != "" {
		return refuse(reason, remedy)
	}
	switch v := c.value.(type) {
	case *Fly:
		if w.Graph.Sources != nil {
			w.stages, w.usual = v, routesDestTag
		}
	case *FatTree:
		w.tree, w.usual = v, routesNCA
	}
	if w.nicPorts > 1 && w.usual != routesShortest {
		return refuse("processors have one port", "delete ports of streaming")
	}
	own := w.Graph.Nodes
	for port := 1; port < w.nicPorts; port++ {
		for _, node := range own {
			node.Port += ports + (port-1)*each
			w.Graph.Nodes = append(w.Graph.Nodes, node)
		}
	}
	return nil
}
