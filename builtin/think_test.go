package builtin

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/registrytest"
)

func TestThink(t *testing.T) {
	d := project(t, nil, nil)
	call := func(args string) *registry.Outcome {
		return d.Call(context.Background(), registry.Request{Tool: "think", Arguments: json.RawMessage(args)})
	}
	for _, thought := range []string{"First the tests.", "", "two\nlines", `{"json":"stays text"}`, "ü \u0000 😀"} {
		args, err := json.Marshal(map[string]string{"thought": thought})
		assert.NoError(t, err)
		o := call(string(args))
		assert.Equal(t, registry.StatusSuccess, o.Status)
		assert.Equal(t, thought, o.Text)
		assert.Empty(t, o.Uses)
	}
	assert.Equal(t, registry.KindInvalidArgs, call(`{}`).Failure.Kind)
	assert.Equal(t, registry.KindInvalidArgs, call(`{"thought":1}`).Failure.Kind)
}

func TestThinkConforms(t *testing.T) { registrytest.Run(t, think{}, registrytest.Options{}) }
