// Command site stages the pages of docs for MkDocs, and builds them as a site or serves them.
//
//	README.md, docs, RATIONALE.md, ... --(links followed)--> a folder of its own --(mkdocs build --strict)--> dist/site
//
// The stage holds every file that a page links, at its path in the repository, so that links work in the sources, on a code
// host and on the site. `make site` and `make site-serve` run it. The site loads nothing from another host.
package main
