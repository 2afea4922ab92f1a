package booksim

import (
	"fmt"
	"strconv"

	"starloom/fabric"
)

// messages are the types of requests and replies, by BookSim's names.
var messages = fabric.TrafficTypes()[fabric.ReadRequest:]

// classified reports whether the scenario needs classes.
func (r *reader) classified() bool {
	return r.integer("classes") > 1 || r.text("priority") == "class" || r.anyReads()
}

// reads reports whether the packets of a class are requests.
func (r *reader) reads(class int) bool {
	return leadingInteger(element(r.text("use_read_write"), class)) != 0
}

func (r *reader) anyReads() bool {
	for class := range r.integer("classes") {
		if r.reads(class) {
			return true
		}
	}
	return false
}

// requests returns the requests of a class, nil for plain packets.
func (r *reader) requests(class int) map[string]any {
	if !r.reads(class) {
		return nil
	}
	keys := map[string]any{}
	if r.arrivals == "" {
		var writes float64
		_, _ = fmt.Sscan(element(r.text("write_fraction"), class), &writes)
		keys["write_fraction"] = writes
	}
	for _, kind := range messages {
		begin, end := r.integer(kind+"_begin_vc"), r.integer(kind+"_end_vc")
		if begin < 0 || end < begin || end >= r.integer("num_vcs") {
			r.refuse(kind+"_end_vc", fmt.Sprintf("the virtual channels %d to %d", begin, end),
				fmt.Sprintf("give first and last, within the %d of num_vcs", r.integer("num_vcs")))
		}
		message := map[string]any{"vcs": []int{begin, end}}
		if r.arrivals == "" {
			message["size"] = leadingInteger(element(r.text(kind+"_size"), class))
		}
		keys[kind] = message
	}
	return keys
}

// readClasses sets the table of classes, whose names are BookSim's numbers.
func (r *reader) readClasses() {
	if !r.classified() {
		return
	}
	all := map[string]any{}
	for class := range r.integer("classes") {
		keys := map[string]any{}
		if r.text("priority") == "class" {
			keys["priority"] = leadingInteger(element(r.text("class_priority"), class))
		}
		if r.arrivals != "" {
			if requests := r.requests(class); requests != nil {
				keys["requests"] = requests
			}
		} else {
			r.drawnBy(keys, class)
			r.patternOf(keys, class)
		}
		all[strconv.Itoa(class)] = keys
	}
	r.traffic["classes"] = all
}

// patternOf sets the pattern of a class if it is not that of class 0, and refuses a process other than bernoulli.
func (r *reader) patternOf(keys map[string]any, class int) {
	if text := element(r.text("traffic"), class); text != first(r.text("traffic")) {
		word, parameters := call(text)
		if keys["pattern"] = patterns[word]; patterns[word] == "" || len(parameters) > 0 {
			r.refuse("traffic", fmt.Sprintf("class %d has %s, whose numbers are keys of all classes", class, text), asFile)
		} else if nodes := r.network.nodes; word != "uniform" && nodes&(nodes-1) != 0 {
			r.refuse("traffic", fmt.Sprintf("BookSim stops with %d nodes", nodes), "use a power of two of nodes")
		}
	}
	if word, _ := call(element(r.text("injection_process"), class)); word != "bernoulli" {
		r.refuse("injection_process", "several classes have no bursts", "write injection_process = bernoulli")
	}
}

// classesRule accepts as many classes as a scenario may have.
func classesRule(most int) rule {
	return func(r *reader, name string) (verdict, text string) {
		switch n := r.integer(name); {
		case n < 1 || n > most:
			r.refuse(name, fmt.Sprintf("%d classes", n), fmt.Sprintf("allowed: 1 to %d", most))
		case r.classified():
			return verdictSame, "workload.traffic.classes, named by BookSim's numbers"
		}
		return verdictSame, "one class of packets"
	}
}

// ofMessages are the keys of requests and replies.
func ofMessages(then rule) rule {
	return unless((*reader).anyReads, then, ofRequests)
}

// withRequests adds the keys of requests and replies.
func withRequests(keys map[string]*key) map[string]*key {
	vcs := [][2]string{{"0", "5"}, {"8", "13"}, {"2", "7"}, {"10", "15"}}
	for i, name := range messages {
		to := same("workload.traffic.classes, requests." + name)
		keys[name+"_begin_vc"] = &key{"i", vcs[i][0], ofMessages(to)}
		keys[name+"_end_vc"] = &key{"i", vcs[i][1], ofMessages(to)}
		keys[name+"_subnet"] = &key{"i", "0", none("only for subnets")}
		keys[name+"_size"] = &key{"si", "1", ofMessages(drawn(to))}
	}
	return keys
}
