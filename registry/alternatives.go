package registry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// alternatives explains an anyOf or oneOf of which nothing fits. Listing the
// failures of every branch would bury the one that the caller meant, so that
// branch is looked for: the only one whose type fits, or whose constant member
// (the tag of a tagged union) does.
func (e *explainer) alternatives(err *jsonschema.ValidationError) []found {
	var branches [][]found
	for _, c := range err.Causes {
		branches = append(branches, e.problems(c))
	}
	depth := len(err.InstanceLocation)
	fitting := without(branches, func(f found) bool { return f.Keyword == "type" && len(f.at) == depth })
	if len(fitting) == 0 {
		return []found{e.merged(err, branches)}
	}
	constant := func(f found) bool {
		return (f.Keyword == "enum" || f.Keyword == "const") && len(f.at) <= depth+1
	}
	tagged := without(fitting, constant)
	switch {
	case len(fitting) == 1:
		return fitting[0]
	case len(tagged) == 1:
		return tagged[0]
	case len(tagged) == 0:
		if f, ok := e.mergedTags(fitting, constant); ok {
			return []found{f}
		}
	}
	f := e.place(err, classWrong, "anyOf")
	f.Received = received(lookup(e.root, err.InstanceLocation))
	reasons := make([]string, 0, 3)
	for _, b := range fitting[:min(len(fitting), 3)] {
		if len(b) > 0 {
			reasons = append(reasons, clipped(b[0].String(), maxPath)) // they may hold alternatives again
		}
	}
	f.Expected = fmt.Sprintf("one of %d alternatives to fit (%s)", len(branches), strings.Join(reasons, " | "))
	return []found{f}
}

// without drops the branches that have a problem like that.
func without(branches [][]found, like func(found) bool) [][]found {
	var out [][]found
	for _, b := range branches {
		if !slices.ContainsFunc(b, like) {
			out = append(out, b)
		}
	}
	return out
}

// merged says "expected A or B" for branches that all want another type.
func (e *explainer) merged(err *jsonschema.ValidationError, branches [][]found) found {
	f := e.place(err, classWrong, "anyOf")
	f.Received = received(lookup(e.root, err.InstanceLocation))
	var wanted []string
	for _, b := range branches {
		for _, p := range b {
			if len(p.at) == len(err.InstanceLocation) && p.Expected != "" && !slices.Contains(wanted, p.Expected) {
				wanted = append(wanted, p.Expected)
			}
		}
	}
	if f.Expected = strings.Join(wanted, " or "); f.Expected == "" {
		f.Expected = "a value that the schema allows"
	}
	return f
}

// mergedTags joins the constants of all branches, if they are about one place.
func (e *explainer) mergedTags(branches [][]found, constant func(found) bool) (found, bool) {
	var out found
	total := 0
	for _, b := range branches {
		f := b[slices.IndexFunc(b, constant)]
		if total > 0 && !slices.Equal(f.at, out.at) {
			return found{}, false
		}
		allowed := append(out.Allowed, f.Allowed...)
		out = f
		out.Allowed = allowed
		total = len(allowed)
	}
	out.Allowed = slices.Compact(out.Allowed)
	total = len(out.Allowed)
	out.Allowed = out.Allowed[:min(total, maxAllowed)]
	out.Keyword = "enum"
	out.Expected = oneOf(out.Allowed, total)
	out.Suggestion = ""
	return out, total > 0
}
