package twin

// All returns the twins of all components of packages hw and nic, and of circuits that only people's RTL has.
func All() []Twin {
	return []Twin{
		starCoupler(), link(), lightTap(), duplexLink(),
		fifo(), creditCounter(), lfsr(),
		arbiter("fixed"), arbiter("round_robin"), arbiter("matrix"), arbiter("tdma"),
		listAllocator(), capArbiter(), contention(), coin(), outputFilter(), outputPort(), crosspoint(),
		bus(), busTaps(), vcRouter(),
		crc16(), serialiser(), requester(), deserialiser(),
		freeArbiter(), streamFIFO(), skidBuffer(), registerSlice(), counter(), delayLine(), asyncFIFO(),
	}
}
