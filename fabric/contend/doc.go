// Package contend provides media whose senders contend, buses and crossbars, in both engines, as parts of networks.
package contend
