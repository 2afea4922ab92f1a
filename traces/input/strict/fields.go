package strict

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"starloom/traces/input"
)

// Field is one key of an object: a struct field with a json tag.
type Field struct {
	Key       string
	Index     []int // index in the struct, through embedded ones
	OmitEmpty bool
	Limits    Limits
}

// MayMiss reports whether a zero value stands for an omitted key.
func (f *Field) MayMiss() bool { return f.OmitEmpty && f.Limits.Default != "0" }

// Fields returns the keys of a type in order of declaration. It parses tags on every call, without a cache.
func Fields(t reflect.Type) []Field {
	var fields []Field
	for i := range t.NumField() {
		field := t.Field(i)
		tag, ok := field.Tag.Lookup("json")
		if !ok && field.Anonymous && field.Type.Kind() == reflect.Struct {
			for _, inner := range Fields(field.Type) {
				inner.Index = append([]int{i}, inner.Index...)
				inner.Limits.say(t, t.FieldByIndex(inner.Index).Name)
				fields = append(fields, inner)
			}
		}
		if !ok || tag == "-" {
			continue
		}
		key, options, _ := strings.Cut(tag, ",")
		fields = append(fields, Field{
			Key: key, Index: field.Index, OmitEmpty: options == "omitempty",
			Limits: ParseLimits(t, field),
		})
	}
	return fields
}

// Limits are the constraints of a jsonschema tag.
type Limits struct {
	Required         bool
	Minimum, Maximum *Number
	minLength        int
	maxLength        int // 0: unlimited
	minItems         int
	maxItems         int // 0: unlimited
	Enum             []string
	Default          string // text of the tag, "" for none

	words       []Word        // words of Enum with their meanings
	description string        // description in the tag
	comment     func() string // comment of the field, read once; nil for none
}

// Description returns the description from the tag or from the field's comment, and the meanings of the words.
func (l *Limits) Description() string {
	description := l.description
	if description == "" && l.comment != nil {
		description = l.comment()
	}
	separator := ": "
	for _, word := range l.words {
		if word.Meaning != "" {
			description += separator + word.Name + ": " + word.Meaning
			separator = "; "
		}
	}
	return description
}

func (l *Limits) entry() Limits {
	return Limits{Minimum: l.Minimum, Maximum: l.Maximum, comment: l.comment}
}

// ParseLimits parses the jsonschema tag of a field, in the syntax of invopop/jsonschema. It panics on an invalid tag.
func ParseLimits(t reflect.Type, field reflect.StructField) Limits {
	tag, limits := field.Tag.Get("jsonschema"),
		Limits{comment: sync.OnceValue(func() string { return Comment(t, field.Name) })}
	integer := func(text string) *Number {
		n := Number{Negative: strings.HasPrefix(text, "-")}
		magnitude, err := strconv.ParseUint(strings.TrimPrefix(text, "-"), 10, 64)
		if err != nil {
			panic(fmt.Sprintf("strict: tag %q: %v", tag, err))
		}
		n.Magnitude = magnitude
		return &n
	}
	// "\," is a comma within a value.
	for part := range strings.SplitSeq(strings.ReplaceAll(tag, `\,`, "\x00"), ",") {
		key, value, _ := strings.Cut(strings.ReplaceAll(part, "\x00", ","), "=")
		switch key {
		case "required":
			limits.Required = true
		case "minimum":
			limits.Minimum = integer(value)
		case "maximum":
			limits.Maximum = integer(value)
		case "minLength":
			limits.minLength = int(integer(value).Magnitude)
		case "maxLength":
			limits.maxLength = int(integer(value).Magnitude)
		case "minItems":
			limits.minItems = int(integer(value).Magnitude)
		case "maxItems":
			limits.maxItems = int(integer(value).Magnitude)
		case "enum":
			limits.Enum = append(limits.Enum, value)
		case "default":
			limits.Default = value
		case "description":
			limits.description = value
		}
	}
	limits.say(t, field.Name)
	return limits
}

// Worded is a struct some of whose keys have allowed words declared elsewhere. Words returns the words of a field,
// nil for none, including fields of embedded structs.
type Worded interface{ Words(field string) []Word }

// Word is an allowed value of a key. Its meaning, "" for none, becomes part of the key's description.
type Word struct{ Name, Meaning string }

func (l *Limits) say(t reflect.Type, field string) {
	worded, ok := reflect.Zero(t).Interface().(Worded)
	if !ok {
		return
	}
	if words := worded.Words(field); words != nil {
		l.words, l.Enum = words, nil
		for _, word := range words {
			l.Enum = append(l.Enum, word.Name)
		}
	}
}

// OutOfRange finds a value in v, at path, outside the range of its field's tag. It returns the value's place, the
// reason and the remedy, or "". Structs of type other have no tags.
func OutOfRange(v reflect.Value, path string, other reflect.Type) (at, reason, remedy string) {
	for _, field := range Fields(v.Type()) {
		value, at := v.FieldByIndex(field.Index), Join(path, field.Key)
		if value.Kind() == reflect.Pointer {
			if value.IsNil() {
				continue
			}
			value = value.Elem()
		}
		_, counted := value.Interface().(Counted)
		switch {
		case value.Kind() == reflect.Struct && !counted:
			if value.Type() == other {
				continue
			}
			if at, reason, remedy := OutOfRange(value, at, other); reason != "" {
				return at, reason, remedy
			}
		case field.OmitEmpty && value.IsZero():
		default:
			if reason, remedy := field.Limits.Refuse(value); reason != "" {
				return at, at + " " + reason, remedy
			}
		}
	}
	return "", "", ""
}

// Refuse returns the mistake in v ("is 65") and the allowed values, or "" for a valid v.
func (l *Limits) Refuse(v reflect.Value) (reason, remedy string) {
	allowed := func(words []string) string {
		remedy := "allowed: " + strings.Join(words, ", ")
		if len(words) == 1 {
			remedy = "allowed is " + words[0]
		}
		if description := l.Description(); description != "" {
			remedy += " (" + description + ")"
		}
		return remedy
	}
	if counted, is := v.Interface().(Counted); is {
		if limit := l.Span(v.Type()); !limit.Contains(counted.Magnitude()) {
			return fmt.Sprintf("is %v", v.Interface()), limit.Allowed()
		}
		return "", ""
	}
	switch {
	case v.CanInt() || v.CanUint():
		n := numberOf(v)
		text := n.String()
		if len(l.Enum) > 0 && !slices.Contains(l.Enum, text) {
			return "is " + text, allowed(l.Enum)
		}
		if limit := l.Span(v.Type()); !limit.Contains(n) {
			return "is " + text, limit.Allowed()
		}
	case v.Kind() == reflect.String:
		text := v.String()
		length := utf8.RuneCountInString(text)
		switch {
		case len(l.Enum) > 0 && !slices.Contains(l.Enum, text):
			reason, remedy = fmt.Sprintf("is %q", Clip(text)), allowed(l.Enum)
			return reason, input.DidYouMean(text, l.Enum, remedy)
		case length < l.minLength:
			return "is empty", "delete the key, or give " + l.Description()
		case l.maxLength > 0 && length > l.maxLength:
			return fmt.Sprintf("has %d characters", length), fmt.Sprintf("write at most %d", l.maxLength)
		}
	case v.Kind() == reflect.Float64:
		if limit := l.Span(v.Type()); !(v.Float() >= float64(limit.Min) && v.Float() <= float64(limit.Max)) {
			return fmt.Sprintf("is %v", v.Float()), limit.Allowed()
		}
	case v.Kind() == reflect.Slice && v.Len() < l.minItems:
		return "is an empty list", "delete the key, or give " + l.Description()
	case v.Kind() == reflect.Slice && l.maxItems > 0 && v.Len() > l.maxItems:
		return fmt.Sprintf("has %d entries", v.Len()), fmt.Sprintf("give at most %d", l.maxItems)
	}
	return "", ""
}

// Span returns the range of a field of type t.
func (l *Limits) Span(t reflect.Type) Span {
	limit := Span{Max: math.MaxUint64, doc: l.Description}
	switch {
	case t.Kind() == reflect.Uint32:
		limit.Max = math.MaxUint32
	case t.Kind() == reflect.Int || t.Kind() == reflect.Int64:
		limit.Min, limit.Max = math.MinInt64, math.MaxInt64
	}
	for i, text := range l.Enum {
		if value, err := strconv.ParseUint(text, 10, 63); err == nil {
			if i == 0 {
				limit.Min, limit.Max = int64(value), value
			}
			limit.Min, limit.Max = min(limit.Min, int64(value)), max(limit.Max, value)
		}
	}
	if l.Minimum != nil {
		limit.Min = l.Minimum.Int64()
	}
	if l.Maximum != nil {
		limit.Max = l.Maximum.Magnitude
	}
	return limit
}

// Span is a range of integers that includes both ends.
type Span struct {
	Min int64
	Max uint64
	doc func() string // description of the integer, for remedies
}

// Contains reports whether n is in the range.
func (s Span) Contains(n Number) bool {
	if n.Negative {
		return n.Magnitude <= 1<<63 && s.Min < 0 && -int64(n.Magnitude) >= s.Min
	}
	return n.Magnitude <= s.Max && (s.Min <= 0 || n.Magnitude >= uint64(s.Min))
}

// String returns "1 to 64 (description)".
func (s Span) String() string {
	text := fmt.Sprintf("%d to %d", s.Min, s.Max)
	if s.Min >= 0 && uint64(s.Min) == s.Max {
		text = strconv.FormatUint(s.Max, 10)
	}
	if s.doc != nil && s.doc() != "" {
		text += " (" + s.doc() + ")"
	}
	return text
}

// Allowed returns the remedy for an integer out of the range.
func (s Span) Allowed() string {
	if s.Min >= 0 && uint64(s.Min) == s.Max {
		return "allowed is " + s.String()
	}
	return "allowed: " + s.String()
}

// Commented is a struct whose field comments describe the keys without a description in the tag. Declaration returns
// the source of its Go file, which is parsed only for a schema or a remedy.
type Commented interface{ Declaration() string }

// Comment returns the comment of a field, from the source of its type, on one line; "" for none.
func Comment(t reflect.Type, field string) string {
	c, ok := reflect.Zero(t).Interface().(Commented)
	if !ok || field == "" {
		return ""
	}
	file := parsed(c.Declaration())
	var text string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name == t.Name() {
			if body, ok := spec.Type.(*ast.StructType); ok {
				text = fieldComment(body, field)
			}
		}
		return text == ""
	})
	for i := 0; i < t.NumField() && text == ""; i++ {
		if f := t.Field(i); f.Anonymous && f.Type.Kind() == reflect.Struct {
			text = Comment(f.Type, field)
		}
	}
	return text
}

var sources sync.Map // of parsed files, by their text

func parsed(source string) *ast.File {
	if file, ok := sources.Load(source); ok {
		return file.(*ast.File)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		panic("strict: source of a compiled file: " + err.Error()) // cannot fail, because the source was compiled
	}
	sources.Store(source, file)
	return file
}

func fieldComment(body *ast.StructType, field string) string {
	for _, f := range body.Fields.List {
		for _, name := range f.Names {
			if name.Name == field {
				return strings.Join(strings.Fields(f.Doc.Text()+f.Comment.Text()), " ")
			}
		}
	}
	return ""
}
