// Package studies defines studies: requests for runs, and result rows.
package studies
