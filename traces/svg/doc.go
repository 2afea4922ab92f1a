// Package svg writes pictures as SVG. A picture has a title and a description for readers who cannot see it. Its
// colours have roles, and its style sheet shows them on light or dark paper, as the reader's system asks. Equal
// calls write equal bytes.
//
//	d := svg.New(w, 300, 200, "title", "description")
//	d.Text(12, 24, "words", svg.Size(14), svg.Fill(svg.Ink))
//	err := d.Close()
package svg
