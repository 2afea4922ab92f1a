// Package gossiptest runs gossip by the letter of its specification, without hardware and
// firmware, for tests to compare with. The two references share nothing but the table.
//
//	file        what it holds
//	step.go     step by step: scheduling, sessions, a cap on messages per step
//	fill.go     row by row, as the paper fills run-tables; scheduled lengths of large runs
//	aloha.go    step by step on a medium where two messages collide
package gossiptest
