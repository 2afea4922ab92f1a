package page

// words are those of a page that a reader may not know, as the glossary of the documentation explains them.
var words = [][2]string{
	{"cycle", "one period of the clock that all hardware shares; 1 ns in traces"},
	{"slot", "the cycles in which one frame crosses a medium"},
	{"processor", "a controller with its NIC"},
	{"NIC", "network interface of a processor: transmitter, receiver, FIFOs, registers"},
	{"port", "a connection of a NIC to a medium"},
	{"medium", "what carries frames: a coupler, a bus, an output of a crossbar, a link"},
	{"frame", "what a NIC sends in a slot: a header, a payload, a CRC"},
	{"packet", "what is to be carried from a source to a destination, in one frame or more, over one hop or more"},
	{"handler", "a function of the firmware that the host calls: at the start, and in every slot"},
	{"path", "the name of a part, such as `pops.group[3].nic[0]`; `*` and `**` stand for one part and for any parts"},
}

func wordsSection() *Section {
	t := &Table{Caption: "Words.", Columns: columns([]string{"word", "means"})}
	for _, w := range words {
		t.Rows = append(t.Rows, []string{w[0], w[1]})
	}
	return &Section{Title: "Words", Blocks: []Block{{Table: t}}}
}
