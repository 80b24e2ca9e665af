package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rho-ext/rho-ext/registry"
)

type repeatArgs struct {
	Text  string `json:"text" description:"what to repeat" min:"1"`
	Times int    `json:"times" description:"how often" min:"1" max:"5" default:"2"`
}

type repeated struct {
	Length int    `json:"length"`
	Body   string `json:"-"` // for the model alone
}

func (r repeated) PromptText() string { return r.Body }

func ExampleNewTool() {
	repeat, err := registry.NewTool(registry.TypedOptions{
		Name:        "repeat",
		Description: "Repeats a text.",
		Risk:        registry.Read,
	}, func(_ context.Context, args repeatArgs) (repeated, error) {
		body := strings.Repeat(args.Text, args.Times)
		return repeated{Length: len(body), Body: body}, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	r := registry.New()
	r.MustRegister("", repeat)
	door := registry.NewDoor(r, nil)
	for _, args := range []string{`{"text":"ho"}`, `{"text":"ho","times":9}`} {
		out := door.Call(context.Background(), registry.Request{Tool: "repeat", Arguments: json.RawMessage(args)})
		fmt.Println(out.Status, out.Text, string(out.Structured))
	}
	// Output:
	// success hoho {"length":4}
	// error invalid arguments: times: expected an integer of at most 5, got 9
}
