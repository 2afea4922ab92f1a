// Package plant is the cycle engine of networks with slotted NICs: the transmitters and receivers of all NICs, the
// media added by a network's Build, and the work of each discipline at a slot boundary.
package plant
