package registry_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/rho-ext/rho-ext/registry"
)

// deleteFile is a tool that should not run unasked.
var deleteFile = registry.MustTool(registry.TypedOptions{Name: "delete_file", Description: "Deletes a file.", Risk: registry.Write},
	func(_ context.Context, a struct {
		Path string `json:"path" description:"File to delete"`
	}) (string, error) {
		return "deleted " + a.Path, nil
	})

// An embedder decides in Go what a person would be asked. The policy lets tools
// that only read run; whatever else a call does is a question to the gate. A
// rule that denies holds whatever the gate says.
func ExampleGate() {
	gate := registry.GateFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
		fmt.Printf("may %s (risk %s) run with %s?\n", q.Tool, q.Risk, q.Arguments)
		var a struct{ Path string }
		if err := json.Unmarshal(q.Arguments, &a); err != nil {
			return registry.Answer{}, err
		}
		return registry.Answer{ID: q.ID, Allow: a.Path == "draft.txt", Reason: "only drafts"}, nil
	})
	policy, err := registry.NewPolicy(registry.PolicyOptions{Rules: []registry.Rule{
		{Action: registry.Deny, Tool: "delete_*", Arg: "path", Match: ".git", Source: "house rule"},
	}})
	if err != nil {
		panic(err)
	}
	r := registry.New()
	r.MustRegister("", deleteFile)
	door := registry.NewDoor(r, &registry.DoorOptions{Policy: policy, Gate: gate})

	for _, path := range []string{"draft.txt", "thesis.txt", ".git/config"} {
		args, _ := json.Marshal(map[string]string{"path": path})
		out := door.Call(context.Background(), registry.Request{Tool: "delete_file", Arguments: args})
		fmt.Println(out.Status, "-", out.Text)
	}
	// Output:
	// may delete_file (risk write) run with {"path":"draft.txt"}?
	// success - deleted draft.txt
	// may delete_file (risk write) run with {"path":"thesis.txt"}?
	// skipped - tool call denied: only drafts
	// skipped - denied by the policy: the rule deny for delete_* (house rule)
}

// Middleware sees a request before, and its outcome after everything else that
// the door does. This one counts, and answers a question that it knows.
func ExampleMiddleware() {
	calls := 0
	counting := func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, req registry.Request) *registry.Outcome {
			calls++
			return next(ctx, req)
		}
	}
	cache := map[string]*registry.Outcome{}
	caching := func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, req registry.Request) *registry.Outcome {
			key := req.Tool + string(req.Arguments)
			if out, ok := cache[key]; ok {
				again := *out
				return &again
			}
			out := next(ctx, req)
			if out.Status == registry.StatusSuccess {
				kept := *out
				cache[key] = &kept
			}
			return out
		}
	}
	runs := 0
	r := registry.New()
	r.MustRegister("", registry.MustTool(registry.TypedOptions{Name: "square", Description: "Squares n.", Risk: registry.Read},
		func(_ context.Context, a struct {
			N int `json:"n"`
		}) (int, error) {
			runs++
			return a.N * a.N, nil
		}))
	door := registry.NewDoor(r, &registry.DoorOptions{Middleware: []registry.Middleware{counting, caching}})

	for range 3 {
		out := door.Call(context.Background(), registry.Request{Tool: "square", Arguments: json.RawMessage(`{"n":12}`)})
		fmt.Println(out.Text)
	}
	fmt.Println(calls, "calls,", runs, "run")
	// Output:
	// 144
	// 144
	// 144
	// 3 calls, 1 run
}

// The calls of one turn of a model run side by side where they cannot disturb
// each other, and their outcomes come in the order of the calls.
func ExampleDoor_Batch() {
	r := registry.New()
	r.MustRegister("", registry.MustTool(registry.TypedOptions{
		Name: "shout", Description: "Shouts.", Risk: registry.Read, Info: registry.Info{Kind: registry.KindRead},
	}, func(_ context.Context, a struct {
		Text string `json:"text"`
	}) (string, error) {
		return a.Text + "!", nil
	}))
	door := registry.NewDoor(r, nil)

	outcomes := door.Batch(context.Background(), []registry.Request{
		{ID: "1", Tool: "shout", Arguments: json.RawMessage(`{"text":"one"}`)},
		{ID: "2", Tool: "shout", Arguments: json.RawMessage(`{"txt":"two"}`)},
		{ID: "3", Tool: "shout", Arguments: json.RawMessage(`{"text":"three"}`)},
	}, &registry.BatchOptions{Concurrency: 4})
	for _, out := range outcomes {
		fmt.Println(out.CallID, out.Status, out.Text)
	}
	// Output:
	// 1 success one!
	// 2 error invalid arguments: text: required, but missing; unknown argument "txt" (did you mean "text"?)
	// 3 success three!
}
