// Package page writes reports as pages: one HTML file each, which needs nothing else, for people who look at a
// result in a browser, on a phone or on paper. The same report gives the same bytes.
//
//	report --Run, Seeds, Study ...--> Page: answers, sections, tables, pictures --Write--> HTML
//
// A page begins with the verdict, what failed, where, and what to do next. It is at most 3 MB long and has at most
// 5,000 elements of SVG; what is left out is said.
package page
