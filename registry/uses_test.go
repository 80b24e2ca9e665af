package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUsesOfOneSortDoNotHideAnother(t *testing.T) {
	t.Parallel()
	d := nestedDoor(t, nil, &fakeTool{name: "busy", run: func(ctx context.Context, _ json.RawMessage) (*Result, error) {
		c := CallFrom(ctx)
		for i := range 3000 {
			c.RecordUse(Use{Kind: "file", Target: fmt.Sprint(i), Effect: "read", Denied: true})
			c.RecordUse(Use{Kind: "file", Target: fmt.Sprint(i), Effect: "read", Grant: "default"})
		}
		c.RecordUse(Use{Kind: "file", Target: strings.Repeat("é", 4000), Effect: "write", Grant: "once"})
		c.RecordUse(Use{Kind: "net", Target: "GET https://example.org/", Effect: "net", Grant: "once"})
		return Text("done"), nil
	}})
	uses := d.Call(t.Context(), Request{Tool: "busy"}).Uses
	require.Len(t, uses, 2*1001+2)
	assert.Contains(t, uses, Use{Kind: "net", Target: "GET https://example.org/", Effect: "net", Grant: "once"})
	assert.Contains(t, uses, Use{Kind: "file", Target: MoreUses, Effect: "read"})
	assert.Contains(t, uses, Use{Kind: "file", Target: MoreUses, Effect: "read", Denied: true})
	assert.Less(t, len(uses[len(uses)-2].Target), 3000)
}
