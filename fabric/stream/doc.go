// Package stream is the cycle engine of processors at routers: their NICs send and receive flit by flit.
package stream
