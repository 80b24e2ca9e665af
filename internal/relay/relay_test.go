package relay

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRelayKeepsOrderAndDrains(t *testing.T) {
	t.Parallel()
	var got []int
	r := New(10, func(v int) { got = append(got, v) })
	for i := range 10 {
		r.Send(i)
	}
	r.Close()
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, got)
	r.Send(11)
	r.Close()
	require.Len(t, got, 10)
}

func TestRelayDropsInsteadOfWaiting(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	var got []int
	r := New(1, func(v int) {
		if v == 0 {
			close(entered)
			<-leave
		}
		got = append(got, v)
	})
	r.Send(0)
	<-entered
	r.Send(1)
	r.Send(2) // no room
	close(leave)
	r.Close()
	require.Equal(t, []int{0, 1}, got)
}
