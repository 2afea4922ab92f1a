package twin

import "slices"

// All returns the twins of all components of packages hw and nic, and of common circuits that no machine contains.
func All() []Twin {
	return slices.Concat([]Twin{
		starCoupler(), link(), lightTap(), duplexLink(),
		fifo(), creditCounter(), lfsr(),
	}, arbiters(), []Twin{
		listAllocator(), capArbiter(), contention(), coin(), outputFilter(), outputPort(), crosspoint(),
		bus(), busTaps(), vcRouter(), routeTable(), packetSource(), packetSink(), packetEjector(),
		crc16(), serialiser(), requester(), deserialiser(),
		freeArbiter(), streamFIFO(), skidBuffer(), registerSlice(), counter(), delayLine(), asyncFIFO(),
	})
}
