// Package page writes reports as pages: one HTML file each, which needs nothing else, for people who look at a
// result in a browser, on a phone or on paper. The same report gives the same bytes.
//
//	report --Run, Seeds, Study ...--> Page: answers, sections, tables, pictures --Write--> HTML
//
// A page begins with the verdict, what failed, where, and what to do next. It is at most 3 MB long and has at most
// 5,000 elements of SVG; what is left out is said.
//
//	file        what it holds
//	page.go     Page and its parts; page.html, page.css, page.js: how they look
//	marks.go    code and links in texts
//	figures.go  pictures of package figure
//	limits.go   what is left out of a page that would be too large
//	answers.go  what failed in a run, and where; steps.go: what to do next; faults.go: what faults have to do with it
//	run.go      the page of one run; seeds.go: of many; study.go: of a study; lockstep.go: of RTL beside its model;
//	            proof.go: of a proof
//	places.go   when and where a violation is, as people count
//	rules.go    what each rule means, what to do when it is broken, and whether anything has tested it
//	words.go    words that a reader may not know
//	scene.go    what happened around a violation: frames, packets, signals
//	waves.go    a timing diagram
//	flame.go    a flame graph
//	look.go     commands that open waveform and capture at a cycle
package page
