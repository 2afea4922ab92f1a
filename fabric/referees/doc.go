// Package referees holds the referees of packets shared by networks, and trackers of packets and frames.
package referees
