package twin

// Pulses are an alternative form of two ports, Valid with a bit per lane and Index with a number per lane. They have
// a bit for each number of each lane, at lane*Numbers + number, which is 1 if the lane is valid and has that number.
type Pulses struct {
	Name, Valid, Index string
	Numbers            int // numbers per lane
}
