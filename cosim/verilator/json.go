package verilator

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

type jsonNode struct {
	attributes map[string]string
	children   []jsonList
}

type jsonList struct {
	key   string
	nodes []*jsonNode
}

type jsonTree struct {
	at  map[string]*jsonNode
	top int // level of the top module: 2 in 5.032, 1 in 5.048
}

func readJSON(path, meta string) (*netlist, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := &jsonTree{at: map[string]*jsonNode{}}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	root, err := t.object(decoder)
	if err != nil {
		return nil, err
	}
	for _, node := range t.at {
		if level, err := strconv.Atoi(node.attributes["level"]); err == nil && level > 0 && (t.top == 0 || level < t.top) {
			t.top = level
		}
	}
	if text, err = os.ReadFile(meta); err != nil {
		return nil, err
	}
	var files struct {
		Files map[string]struct{ Filename, Realpath string }
	}
	if err := json.Unmarshal(text, &files); err != nil {
		return nil, err
	}
	n := &xmlNode{attributes: map[string]string{}}
	for id, file := range files.Files {
		name := file.Filename
		if strings.HasPrefix(name, "<verilated_") {
			name = file.Realpath
		}
		n.add(&xmlNode{name: "file", attributes: map[string]string{"id": id, "filename": name}})
	}
	n.add(t.node(root))
	return netlistOf(n)
}

func (n *xmlNode) add(child *xmlNode) {
	child.parent = n
	n.children = append(n.children, child)
}

func (t *jsonTree) object(d *json.Decoder) (*jsonNode, error) {
	n := &jsonNode{attributes: map[string]string{}}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		value, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		if value != json.Delim('[') {
			n.attributes[name] = fmt.Sprint(value)
			if value == json.Delim('{') {
				if _, err := t.object(d); err != nil {
					return nil, err
				}
			}
			continue
		}
		list := jsonList{key: name}
		for d.More() {
			item, err := d.Token()
			if err != nil {
				return nil, err
			}
			if item != json.Delim('{') {
				continue
			}
			child, err := t.object(d)
			if err != nil {
				return nil, err
			}
			list.nodes = append(list.nodes, child)
		}
		if _, err := d.Token(); err != nil {
			return nil, err
		}
		n.children = append(n.children, list)
	}
	t.at[n.attributes["addr"]] = n
	_, err := d.Token()
	return n, err
}

var xmlNames = map[string]string{"ASSIGNW": "contassign", "CELL": "instance", "PIN": "port", "LOOP": "while"}

func (t *jsonTree) node(j *jsonNode) *xmlNode {
	kind := j.attributes["type"]
	n := &xmlNode{name: xmlNames[kind],
		attributes: map[string]string{"loc": strings.ReplaceAll(j.attributes["loc"], ":", ",")}}
	if n.name == "" {
		n.name = strings.ToLower(kind)
	}
	set := func(to, value string) {
		if value != "" {
			n.attributes[to] = value
		}
	}
	set("name", prettyName(j.attributes["name"]))
	if strings.HasSuffix(kind, "DTYPE") {
		set("id", j.attributes["addr"])
		set("sub_dtype_id", t.typeBelow(j))
	} else if id := t.typeOf(j.attributes["dtypep"]); id != "" {
		set("dtype_id", id)
	}
	if kind == "NETLIST" || kind == "INITARRAY" || kind == "INITITEM" {
		n.attributes = map[string]string{}
	}
	t.describe(j, kind, set)
	for _, list := range j.children {
		if kind == "INITARRAY" {
			for _, item := range itemOfList.FindAllStringSubmatch(j.attributes["initList"], -1) {
				if of := t.at[item[1]]; of != nil && list.key == "initsp" {
					n.add(t.node(of))
				}
			}
			continue
		}
		to := n
		if kind == "IF" && list.key != "condp" || kind == "WHILE" {
			if len(list.nodes) == 0 && list.key != "thensp" && list.key != "precondsp" {
				continue
			}
			to = &xmlNode{name: "begin", attributes: map[string]string{}}
			n.add(to)
		}
		for _, child := range list.nodes {
			if child.attributes["type"] != "CONSTPOOL" {
				to.add(t.node(child))
			}
		}
	}
	return n
}

func (t *jsonTree) describe(j *jsonNode, kind string, set func(to, value string)) {
	directions := map[string]string{"INPUT": "input", "OUTPUT": "output", "INOUT": "inout",
		"REF": "ref", "CONSTREF": "const ref"}
	direction := func(of *jsonNode) string { return directions[of.attributes["direction"]] }
	switch kind {
	case "MODULE", "IFACE", "PACKAGE", "CLASS", "CLASSPACKAGE", "NOTFOUNDMODULE":
		set("origName", prettyName(j.attributes["origName"]))
		if j.attributes["level"] == strconv.Itoa(t.top) {
			set("topModule", "1")
		}
	case "CELL":
		if of := t.at[j.attributes["modp"]]; of != nil {
			set("defName", of.attributes["name"])
		}
		set("origName", j.attributes["origName"])
	case "PIN":
		if of := t.at[j.attributes["modVarp"]]; of != nil {
			set("direction", strings.TrimSuffix(direction(of), "put"))
		}
	case "MODPORTVARREF":
		set("direction", strings.TrimSuffix(direction(j), "put"))
	case "SENITEM":
		set("edgeType", j.attributes["edgeType"])
	case "VAR":
		set("dir", direction(j))
		set("origName", j.attributes["origName"])
		if j.attributes["isGParam"] == "true" {
			set("param", "true")
		} else if j.attributes["isParam"] == "true" {
			set("localparam", "true")
		}
	case "BASICDTYPE":
		if left, right, ok := strings.Cut(j.attributes["range"], ":"); ok {
			set("left", left)
			set("right", right)
		}
		if j.attributes["signed"] == "true" {
			set("signed", "true")
		}
	}
}

func (t *jsonTree) typeOf(address string) string {
	for n := t.at[address]; n != nil; n = t.at[address] {
		if kind := n.attributes["type"]; kind != "REFDTYPE" && kind != "CONSTDTYPE" && kind != "PARAMTYPEDTYPE" &&
			kind != "MEMBERDTYPE" && kind != "ENUMDTYPE" {
			return address
		}
		below := linked(n)
		if below == "" || below == address {
			return address
		}
		address = below
	}
	return ""
}

func (t *jsonTree) typeBelow(n *jsonNode) string {
	if below := linked(n); below != "" {
		return t.typeOf(below)
	}
	return ""
}

func linked(n *jsonNode) string {
	for _, key := range []string{"refDTypep", "virtRefDTypep", "dtypep"} {
		if address := n.attributes[key]; address != "" && address != "UNLINKED" && address != n.attributes["addr"] {
			return address
		}
	}
	return ""
}

var (
	itemOfList   = regexp.MustCompile(`=(\([A-Z]+\))`)
	encodedCode  = regexp.MustCompile(`__0([0-9A-Fa-f]{2})`)
	encodedNames = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`, "__DOT__", ".", "__BRA__", "[",
		"__KET__", "]", "__PVT__", "")
)

func prettyName(name string) string {
	return encodedCode.ReplaceAllStringFunc(encodedNames.Replace(name), func(code string) string {
		n, _ := strconv.ParseUint(code[3:], 16, 8)
		return string(rune(n))
	})
}
