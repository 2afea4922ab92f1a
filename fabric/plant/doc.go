// Package plant is the cycle engine of networks whose NICs keep to slots: the transmitters and receivers of all NICs,
// the media that a network's Build gives it, and what each discipline does at the boundary of a slot.
package plant
