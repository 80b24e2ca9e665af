package registry

import (
	"context"
	"encoding/json"
	"testing"
)

// BenchmarkDoor measures what the door costs a tool that does nothing.
func BenchmarkDoor(b *testing.B) {
	answer := Text("ok")
	for name, c := range map[string]struct{ params, args string }{
		"no_schema": {`{"type":"object"}`, `{}`},
		"three_fields": {`{"type":"object","properties":{
			"path":{"type":"string","minLength":1},"limit":{"type":"integer","minimum":1,"maximum":1000,"default":100},
			"mode":{"type":"string","enum":["fast","full"]}},"required":["path"],"additionalProperties":false}`,
			`{"path":"src/main.go","limit":50,"mode":"full"}`},
		"three_fields_one_default": {`{"type":"object","properties":{
			"path":{"type":"string","minLength":1},"limit":{"type":"integer","minimum":1,"maximum":1000,"default":100},
			"mode":{"type":"string","enum":["fast","full"]}},"required":["path"],"additionalProperties":false}`,
			`{"path":"src/main.go","mode":"full"}`},
	} {
		b.Run(name, func(b *testing.B) {
			d := doorTo(b, c.params, returning(answer, nil), nil)
			ctx := context.Background()
			req := Request{Tool: "tool", Arguments: json.RawMessage(c.args)}
			b.ReportAllocs()
			for b.Loop() {
				if o := d.Call(ctx, req); o.Status != StatusSuccess {
					b.Fatal(o.Text)
				}
			}
		})
	}
}

// BenchmarkDoorGuarded measures the door with two hooks and a policy of ten
// rules around a tool that does nothing.
func BenchmarkDoorGuarded(b *testing.B) {
	rules := make([]Rule, 10)
	for i := range rules {
		rules[i] = Rule{Action: Deny, Tool: "other_*", Arg: "path", Match: "secret"}
	}
	policy, err := NewPolicy(PolicyOptions{Rules: rules})
	if err != nil {
		b.Fatal(err)
	}
	hook := Hook{
		Before: func(context.Context, BeforeEvent) (Decision, error) { return Continue(), nil },
		After:  func(context.Context, AfterEvent) (Revision, error) { return Keep(), nil },
	}
	for name, o := range map[string]*DoorOptions{
		"policy":           {Policy: policy},
		"policy_two_hooks": {Policy: policy, Hooks: []Hook{hook, hook}},
	} {
		b.Run(name, func(b *testing.B) {
			d := doorTo(b, `{"type":"object","properties":{
				"path":{"type":"string","minLength":1},"limit":{"type":"integer","minimum":1,"maximum":1000,"default":100},
				"mode":{"type":"string","enum":["fast","full"]}},"required":["path"],"additionalProperties":false}`, returning(Text("ok"), nil), o)
			ctx := context.Background()
			req := Request{Tool: "tool", Arguments: json.RawMessage(`{"path":"src/main.go","limit":50,"mode":"full"}`)}
			b.ReportAllocs()
			for b.Loop() {
				if o := d.Call(ctx, req); o.Status != StatusSuccess {
					b.Fatal(o.Text)
				}
			}
		})
	}
}

// BenchmarkProblems measures a call that is refused.
func BenchmarkProblems(b *testing.B) {
	d := doorTo(b, searchSchema, nil, nil)
	b.ReportAllocs()
	for b.Loop() {
		call(d, `{"limit":999,"sort":"hot","qurey":"x"}`)
	}
}
