// Package bus implements the bus network: vertices, and buses that are sets of vertices.
//
//	        vertex 0   vertex 1   vertex 2   vertex 3
//	           |          |          |          |         each on one bus in a slot
//	bus 0   ---+----------+----------+-------------------
//	bus 1   --------------+---------------------+--------
//	bus 2   --------------------------+---------+--------
//
// A frame that a vertex sends on a bus reaches all vertices that listen to it. Two frames on one bus are lost, unless
// an arbiter lets one of them wait.
package bus
