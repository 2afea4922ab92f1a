// Package eisenstein implements the arithmetic of Eisenstein-Jacobi networks: residues of the EJ integers x + y*rho
// modulo alpha = a + b*rho, their n-dimensional products, and broadcasts on them. The source is Z. Hussain, "An
// Improved One-to-All Broadcasting in Higher Dimensional Eisenstein-Jacobi Networks". Where a comment notes an error
// of the paper, the next sentence is the correction.
//
//	 +rho^2   +rho
//	      \   /            rho = (1 + i*sqrt 3)/2, rho^2 = rho - 1, rho^6 = 1
//	-1 --- node --- +1     sector j = 1..6 lies between rho^(j-1), its minor
//	      /   \            direction, and rho^j, its major direction, which it owns
//	  -rho   -rho^2
//
// Directions are numbered 0 to 5, j for rho^j. Nodes of EJ_alpha are 0 to N-1, N = a^2+ab+b^2; nodes of EJ_alpha^(n)
// are sums of c_k*N^(k-1), k = 1..n. Steps count from 1. The package runs neither hardware nor firmware.
package eisenstein
