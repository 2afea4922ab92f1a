package twin

// Pulses are another form of two ports, one with a bit for each lane, Valid, and one with a number for each, Index: a bit for
// each number of each lane, lane * Numbers + number, that is 1 where the lane is valid and has the number.
type Pulses struct {
	Name, Valid, Index string
	Numbers            int // of each lane
}
