// Package eisensteintest is broadcasts that are simulated without processors, for tests.
//
//	file   what it holds
//	onebyone.go   a broadcast, packet by packet
package eisensteintest
