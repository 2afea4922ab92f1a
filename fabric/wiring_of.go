package fabric

// wiredBy is a discipline that says where each port leads.
type wiredBy interface{ wiredBy() *Wiring }

// WiringOf returns where each port sends, and what it hears: what the discipline of a network says, else
// its names.
func WiringOf(n Network) *Wiring {
	shape, names := n.Shape(), n.Names()
	if d, ok := shape.Chosen().(wiredBy); ok && d.wiredBy() != nil {
		return d.wiredBy()
	}
	w := NewWiring(shape.Processors() * shape.Ports)
	for processor := range shape.Processors() {
		for port := range shape.PortsOf(processor) {
			at := processor*shape.Ports + port
			w.Sends[at] = uint32(names.SentOn(processor, uint16(port), 0))
			w.Hears[at] = uint32(names.HeardOn(processor, uint16(port)))
		}
	}
	if d, ok := n.(Directed); ok {
		w.Opposite = d.Opposites()
	}
	return w
}
