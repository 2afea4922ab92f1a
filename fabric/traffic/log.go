package traffic

type log struct{ rows []logged }

// logged is a packet of a log; sent and arrived are never if it was not.
type logged struct {
	source, number, destination    uint32
	created, before, sent, arrived uint32
	hops                           uint16
	size                           uint8
}

func (l *log) note(source uint32, x *flight, before, arrived uint32) {
	l.rows = append(l.rows, logged{source, x.number, x.destination, x.created, before, x.sent, arrived, x.hops, x.size})
}
