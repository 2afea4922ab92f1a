// Package flow holds the state of NIC ports between two slot boundaries, for both engines.
package flow
