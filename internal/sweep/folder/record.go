package folder

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"starloom/fabric/outcome"
)

// Record is a stored run of a point, independent of time and of the process that made it.
type Record struct {
	Seed        uint64          `json:"seed"`
	Permutation *uint64         `json:"permutation,omitempty"` // number of the permutation, if every permutation is run
	Verdict     outcome.Verdict `json:"verdict"`
	Rule        string          `json:"rule"` // first rule broken, "" for none
	Violations  uint64          `json:"violations"`
	// values of the figures: a number (json.Number after reading), a text, or nil if unknown
	Values []any  `json:"values"`
	Digest string `json:"digest"`

	Figures []string `json:"-"`
	Report  []byte   `json:"-"` // JSON on one line, stored after the record and a tab; it is long and not interpreted here
}

// head is the first line of a file of records, and end the last line
type (
	head struct {
		Format   int      `json:"starloom_sweep"`
		Figures  []string `json:"figures"`
		Numeric  []bool   `json:"numeric"` // by figure: true if some run in the file has a number
		Permuted bool     `json:"permuted"`
	}
	end struct {
		Runs   int    `json:"runs"`
		SHA256 string `json:"sha256"`
	}
)

// format is the version of record files. Other versions are ignored.
const format = 2 // 2: latency in cycles

const lineBytesMax = 1 << 30

func writeRecords(w io.Writer, records []Record) error {
	sum := sha256.New()
	both := io.MultiWriter(w, sum)
	h := head{format, records[0].Figures, make([]bool, len(records[0].Figures)), records[0].Permutation != nil}
	for i := range records {
		for k, value := range records[i].Values {
			_, text := value.(string)
			h.Numeric[k] = h.Numeric[k] || value != nil && !text
		}
	}
	line, err := json.Marshal(h)
	if _, errWrite := both.Write(append(line, '\n')); err != nil || errWrite != nil {
		return errors.Join(err, errWrite)
	}
	for i := range records {
		line, err := json.Marshal(&records[i])
		line = append(append(append(line, '\t'), records[i].Report...), '\n')
		if _, errWrite := both.Write(line); err != nil || errWrite != nil {
			return errors.Join(err, errWrite)
		}
	}
	return json.NewEncoder(w).Encode(end{len(records), hex.EncodeToString(sum.Sum(nil))})
}

// readRecords reads a file of records, optionally with their reports. It returns an error for a file of another
// version, and for an incomplete or unreadable file.
func readRecords(path string, reports bool) (records []Record, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sum := sha256.New()
	var h head
	var last []byte
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 0, 1<<16), lineBytesMax)
	for n := 0; lines.Scan(); n++ {
		if n > 0 {
			if err := readLine(last, n == 1, reports, &h, &records); err != nil {
				return nil, fmt.Errorf("%s: line %d: %w", path, n, err)
			}
			sum.Write(last)
			sum.Write([]byte{'\n'})
		}
		last = append(last[:0], lines.Bytes()...)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var e end
	if err := json.Unmarshal(last, &e); err != nil || e.Runs != len(records) ||
		e.SHA256 != hex.EncodeToString(sum.Sum(nil)) {
		return nil, fmt.Errorf("%s: it is incomplete", path)
	}
	return records, nil
}

func readLine(line []byte, first, reports bool, h *head, records *[]Record) error {
	if first {
		if err := json.Unmarshal(line, h); err != nil || h.Format != format {
			return errors.New("this is not a file of records")
		}
		return nil
	}
	var r Record
	own, report, ok := bytes.Cut(line, []byte{'\t'})
	decoder := json.NewDecoder(bytes.NewReader(own))
	decoder.UseNumber()
	if err := decoder.Decode(&r); err != nil || !ok {
		return errors.New("this is not a record")
	}
	if reports {
		r.Report = bytes.Clone(report)
	}
	if len(r.Values) != len(h.Figures) {
		return fmt.Errorf("%d values of %d figures", len(r.Values), len(h.Figures))
	}
	r.Figures = h.Figures
	*records = append(*records, r)
	return nil
}

func readHead(path string) (h head, err error) {
	file, err := os.Open(path)
	if err != nil {
		return h, err
	}
	defer file.Close()
	if err = json.NewDecoder(file).Decode(&h); err == nil && (h.Format != format || len(h.Numeric) != len(h.Figures)) {
		err = errors.New("this is not a file of records")
	}
	return h, err
}

func (r *Record) before(o *Record) int {
	return slices.Compare([]uint64{r.Seed, r.number()}, []uint64{o.Seed, o.number()})
}

func (r *Record) number() uint64 {
	if r.Permutation == nil {
		return 0
	}
	return *r.Permutation
}
