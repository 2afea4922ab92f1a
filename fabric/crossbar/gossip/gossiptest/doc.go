// Package gossiptest runs gossip by the letter of its specification, without hardware and
// firmware, for tests to compare with. The two references share nothing but the table.
package gossiptest
