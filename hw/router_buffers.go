package hw

// sharedBuffers counts the flits of shared buffers at the far ends of channels. A packet keeps its last place while
// its virtual channel is empty.
//
// Reset: all places free.
type sharedBuffers struct {
	vcs, pools         int
	private, shared    uint16
	pool               []uint8  // by VC: its pool
	inPool             []uint16 // [channel * pools + pool]: places in use, kept ones included
	inShared, reserved []uint16 // by channel: shared places in use; by [channel * VCs + VC]: kept places
}

// newSharedBuffers returns the buffers of a number of channels, nil for private buffers.
func newSharedBuffers(c *RouterConfig, channels int) *sharedBuffers {
	s := c.Stages.Buffers
	if !s.Shared {
		return nil
	}
	b := &sharedBuffers{vcs: c.VCs, pools: s.Pools, private: uint16(s.Private),
		shared: uint16(c.Depth - s.Pools*s.Private), inPool: make([]uint16, channels*s.Pools),
		inShared: make([]uint16, channels), reserved: make([]uint16, channels*c.VCs)}
	for pool := range s.Pools {
		for len(b.pool) < (pool+1)*c.VCs/s.Pools {
			b.pool = append(b.pool, uint8(pool))
		}
	}
	return b
}

func (b *sharedBuffers) registers() []Register {
	if b == nil {
		return nil
	}
	return []Register{Column("in_pool", b.inPool), Column("in_shared", b.inShared), Column("reserved", b.reserved)}
}

// sends counts a flit on a virtual channel.
func (b *sharedBuffers) sends(channel, vc int, tail bool) {
	at, kept := channel*b.pools+int(b.pool[vc]), &b.reserved[channel*b.vcs+vc]
	if *kept > 0 {
		*kept--
	} else if b.inPool[at]++; b.inPool[at] > b.private {
		b.inShared[channel]++
	}
	for ; tail && *kept > 0; *kept-- {
		b.free(channel, vc)
	}
}

func (b *sharedBuffers) free(channel, vc int) {
	at := channel*b.pools + int(b.pool[vc])
	if b.inPool[at]--; b.inPool[at] >= b.private {
		b.inShared[channel]--
	}
}

// credits counts a credit. keeps is set if a packet owns the virtual channel, which is now empty.
func (b *sharedBuffers) credits(channel, vc int, keeps bool) {
	if keeps {
		b.reserved[channel*b.vcs+vc]++
		return
	}
	b.free(channel, vc)
}

// full reports whether a virtual channel has no place for a flit.
func (b *sharedBuffers) full(channel, vc int) bool {
	return b.reserved[channel*b.vcs+vc] == 0 && b.inPool[channel*b.pools+int(b.pool[vc])] >= b.private &&
		b.inShared[channel] >= b.shared
}
