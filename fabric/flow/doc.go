// Package flow is what both engines keep of the ports of NICs between two boundaries of a slot.
//
//	file           what it holds
//	credits.go     how many frames of a port may wait at its receiver
//	switches.go    where the one switch of a NIC is in a slot, and the rules of that
//	answer.go      what becomes of a frame whose NIC asks before it sends
package flow
