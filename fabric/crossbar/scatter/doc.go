// Package scatter computes random scattering: Z. Drezner and A. Barak, "A Probabilistic Algorithm for Scattering
// Information in a Multicomputer System". One of n nodes is coloured. In every unit of time each node sends one
// message to another node, drawn uniformly, and a coloured message colours its receiver.
//
//	unit              j                       j+1
//	coloured nodes    k  -- k messages -->    k+m,  0 <= m <= min(k, n-k)
//
// SYNC: a message is coloured if its sender was coloured at the beginning of the unit. ASYNC: if its sender is
// coloured when it sends; the n messages of a unit follow each other. Time counts from the beginning of the first
// unit. The package runs neither hardware nor firmware.
package scatter
