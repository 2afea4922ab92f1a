// Package flow is what both engines keep of the ports of NICs between two boundaries of a slot.
package flow
