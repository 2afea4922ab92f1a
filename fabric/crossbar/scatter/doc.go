// Package scatter is the arithmetic of random scattering: Z. Drezner and A. Barak, "A
// Probabilistic Algorithm for Scattering Information in a Multicomputer System". One of n nodes
// is coloured; in every unit of time each node sends one message to another node, drawn
// uniformly, and a message with the colour colours its receiver.
//
//	unit              j                       j+1
//	coloured nodes    k  -- k messages -->    k+m,  0 <= m <= min(k, n-k)
//
// SYNC: a message has the colour if its sender had it at the beginning of the unit.
// ASYNC: if its sender has it at the moment of sending; the n messages of a unit are sent one after the
// other. Time counts from the beginning of the first unit. Nothing here runs hardware or
// firmware.
package scatter
