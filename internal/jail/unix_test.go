//go:build unix

package jail

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSpecialFilesAreRefusedWithoutWaiting(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644))
	require.NoError(t, os.Symlink("pipe", filepath.Join(root, "link")))
	sock, err := net.Listen("unix", filepath.Join(root, "sock"))
	require.NoError(t, err)
	defer sock.Close()
	j := open(t, root)
	for given, kind := range map[string]string{"pipe": "a named pipe", "link": "a named pipe", "sock": "a socket"} {
		start := time.Now()
		_, _, err := j.OpenFile(given)
		var irregular *NotRegularError
		require.ErrorAs(t, err, &irregular)
		assert.Equal(t, kind, irregular.Kind)
		assert.Less(t, time.Since(start), time.Second)
	}

	dev := open(t, "/dev")
	_, _, err = dev.OpenFile("zero")
	var irregular *NotRegularError
	require.ErrorAs(t, err, &irregular)
	assert.Equal(t, "a device", irregular.Kind)
}

func TestUnreadableFile(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("nothing is unreadable to root")
	}
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "f"), nil, 0))
	_, _, err := open(t, root).OpenFile("f")
	assert.ErrorIs(t, err, os.ErrPermission)
	assert.ErrorContains(t, err, "open f: ")
}
