// Package contend is what serves senders that ask: buses and crossbars, in both engines, as parts of networks.
package contend
