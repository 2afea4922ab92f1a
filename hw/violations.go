package hw

// violations holds flags for observers: by medium, 1 if both rails of a bit were lit since ClearSlot. Components that
// drive media embed violations.
type violations struct {
	light *Light

	Violation []uint8    // by medium: 1 if frames have collided
	violated  [][]uint32 // by shard: media with Violation 1
}

func newViolations(light *Light) violations {
	return violations{light: light, Violation: make([]uint8, light.bank.Size()), violated: make([][]uint32, light.shards)}
}

func (v *violations) register() Register {
	return Column("violation", v.Violation, AtMost[uint8](1)).Shown(1)
}

func (v *violations) put(shard int, medium uint32, rail1, rail0 uint64) {
	if v.light.Put(shard, medium, rail1, rail0) != 0 {
		v.flag(shard, medium)
	}
}

func (v *violations) flag(shard int, medium uint32) {
	if v.Violation[medium] == 0 {
		v.Violation[medium] = 1
		v.violated[shard] = append(v.violated[shard], medium)
	}
}

// Violated returns the media of a shard with a violation since ClearSlot, without duplicates and unordered.
func (v *violations) Violated(shard int) []uint32 { return v.violated[shard] }

func (v *violations) Met(medium int) bool { return v.Violation[medium] != 0 }

// ClearSlot resets the flags of a shard. Its work grows with the number of flagged media.
func (v *violations) ClearSlot(shard int) {
	for _, medium := range v.violated[shard] {
		v.Violation[medium] = 0
	}
	v.violated[shard] = v.violated[shard][:0]
}

func (v *violations) list() {
	for shard := range v.violated {
		v.violated[shard] = v.violated[shard][:0]
	}
	for medium, flag := range v.Violation {
		if flag != 0 {
			shard := v.light.Owner(uint32(medium))
			v.violated[shard] = append(v.violated[shard], uint32(medium))
		}
	}
}

func (v *violations) port() Port {
	return Port{
		Name: "violation_o", Bits: 1,
		Get: GetValue(func(medium int) uint64 { return oneIf(v.light.Rail1[medium]&v.light.Rail0[medium] != 0) }),
		Put: PutValue(func(medium int, value uint64) error {
			if value != 0 {
				v.flag(v.light.Owner(uint32(medium)), uint32(medium))
			}
			return nil
		}),
	}
}
