package traffic

// log keeps the packets of a run that have arrived or were lost, for a file.
type log struct{ rows []logged }

// logged is a packet: where it is from and goes, and when; slots are never if it was not.
type logged struct {
	source, number, destination    uint32
	created, before, sent, arrived uint32
	hops                           uint16
	size                           uint8
}

func (l *log) note(source uint32, x *flight, before, arrived uint32) {
	l.rows = append(l.rows, logged{source, x.number, x.destination, x.created, before, x.sent, arrived, x.hops, x.size})
}
