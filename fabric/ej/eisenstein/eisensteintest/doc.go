// Package eisensteintest is broadcasts that are simulated without processors, for tests.
package eisensteintest
