// Package referees has the referees of packets that networks share, and what follows packets and frames beside them.
package referees
