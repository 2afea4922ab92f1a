package outcome

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"starloom/fabric"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

const listedMax = 128

func rows(row func(name, value string), name string, lines []string) {
	for i, line := range lines {
		if i == listedMax {
			row("", fmt.Sprintf("... and %d more; --json lists all", len(lines)-i))
			return
		}
		row(name, Printable(line))
		name = ""
	}
}

// FormatMetric formats a figure as text: short floats, results of firmware as processor.word=value, and a dash for an
// unknown figure. Lists are shortened and have no brackets.
func FormatMetric(value any) string {
	if f, ok := value.(float64); ok {
		return FormatFloat(f)
	}
	if results, ok := value.(NamedResults); ok {
		return results.text()
	}
	if list := reflect.ValueOf(value); list.Kind() == reflect.Slice && list.Len() > listedMax {
		return fmt.Sprintf("%s ... and %d more; --json lists all",
			FormatMetric(list.Slice(0, listedMax).Interface()), list.Len()-listedMax)
	}
	if results, ok := value.([][3]uint64); ok {
		return NamedResults{Rows: results}.text()
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return strings.NewReplacer("[", "", "]", "", ",", " ", `"`, "", "null", "-").Replace(string(data))
}

// NamedResults holds results of firmware as rows of processor, word and value, and the names of the first words. Its
// JSON form consists of the rows.
type NamedResults struct {
	Rows  [][3]uint64
	Names []string
}

func (r NamedResults) MarshalJSON() ([]byte, error) { return json.Marshal(r.Rows) }

func (r NamedResults) text() string {
	var words []string
	for _, x := range r.Rows[:min(len(r.Rows), listedMax)] {
		if x[1] < uint64(len(r.Names)) {
			words = append(words, fmt.Sprintf("%d.%s=%d", x[0], r.Names[x[1]], int64(x[2])))
		} else {
			words = append(words, fmt.Sprintf("%d.%d=%d", x[0], x[1], x[2]))
		}
	}
	if more := len(r.Rows) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("... and %d more; --json lists all", more))
	}
	return strings.Join(words, " ")
}

// FormatFloat writes a whole number in full, any other number with at most six significant digits.
func FormatFloat(value float64) string {
	if value == math.Trunc(value) && math.Abs(value) < 1<<53 {
		return strconv.FormatFloat(value, 'f', 0, 64)
	}
	return strconv.FormatFloat(value, 'g', 6, 64)
}

// OrDash returns a dash for nil.
func OrDash(value *float64) string {
	if value == nil {
		return "-"
	}
	return FormatFloat(*value)
}

// ExactFloat formats value as the shortest decimal number that parses as value.
func ExactFloat(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

// ExactMetric formats a figure for scripts, with all digits. It returns "" for an unknown figure. Blanks separate the
// entries of a list.
func ExactMetric(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case int:
		return strconv.Itoa(v)
	case uint64:
		return strconv.FormatUint(v, 10)
	case float64:
		return ExactFloat(v)
	case string:
		return v
	}
	if lined, ok := value.(fabric.Lined); ok {
		return strings.Join(lined.Lines(), "; ")
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return strings.NewReplacer("[", "", "]", "", ",", " ").Replace(string(data))
}

// Number64 returns the number of a numeric figure.
func Number64(value any) (float64, bool) {
	switch v := value.(type) {
	case int:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// EachNumber yields the numbers of a figure: a number or a fraction "a/b" with entry -1, the numbers of a list with
// their indices. Texts and itemised figures yield no numbers.
func EachNumber(value any, yield func(entry int, number float64)) {
	if number, ok := Number64(value); ok {
		yield(-1, number)
		return
	}
	switch v := value.(type) {
	case nil, fabric.Lined:
	case string:
		if number, ok := fraction(v); ok {
			yield(-1, number)
		}
	case []int:
		for k, number := range v {
			yield(k, float64(number))
		}
	default:
		eachEntry(reflect.ValueOf(value), yield)
	}
}

func eachEntry(list reflect.Value, yield func(entry int, number float64)) {
	if list.Kind() != reflect.Slice {
		return
	}
	for k := range list.Len() {
		switch v := reflect.Indirect(list.Index(k)); {
		case !v.IsValid():
		case v.CanInt():
			yield(k, float64(v.Int()))
		case v.CanUint():
			yield(k, float64(v.Uint()))
		case v.CanFloat():
			yield(k, v.Float())
		}
	}
}

func fraction(text string) (value float64, ok bool) {
	a, b, ok := strings.Cut(text, "/")
	if !ok || !strict.PlainInteger(a) || !strict.PlainInteger(b) {
		return 0, false
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, false // division by zero
	}
	value, _ = exact.Float64()
	return value, true
}

// WriteJSON writes value with an indentation of two spaces, without HTML escapes, followed by a newline.
func WriteJSON(w io.Writer, value any) error {
	return input.WriteJSON(w, value)
}

// LastLine returns the last line of a program's output with unprintable characters escaped.
func LastLine(text string) string {
	text = strings.TrimSpace(text)
	return Printable(strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]))
}

// Printable is input.Printable.
func Printable(text string) string { return input.Printable(text) }

// ShellQuote quotes a path if a shell requires it.
func ShellQuote(path string) string {
	const plain = "/._-+=:@%,"
	safe := path != "" && !strings.ContainsFunc(path, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(plain, r)
	})
	if safe {
		return path
	}
	return "'" + strings.ReplaceAll(Printable(path), "'", `'\''`) + "'"
}
