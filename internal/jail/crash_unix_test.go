//go:build unix

package jail

import (
	"bufio"
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const crashSize = 300_000

// TestMain lets the test program be the one that is killed while it writes.
func TestMain(m *testing.M) {
	if root := os.Getenv("RHO_JAIL_CRASH"); root != "" {
		writeForEver(root)
	}
	os.Exit(m.Run())
}

func writeForEver(root string) {
	j, err := Open(root)
	if err != nil {
		os.Exit(1)
	}
	for i := 0; ; i++ {
		text := bytes.Repeat([]byte{'a' + byte(i%26)}, crashSize)
		if _, err := j.WriteFile("file", text, WriteOptions{}); err != nil {
			os.Exit(1)
		}
		if i == 0 {
			_, _ = os.Stdout.WriteString("writing\n")
		}
	}
}

func TestKilledWhileWriting(t *testing.T) {
	times := 20
	if long() {
		times = 500
	}
	root := t.TempDir()
	file := filepath.Join(root, "file")
	j := open(t, root)
	littered := 0
	for range times {
		require.NoError(t, os.WriteFile(file, bytes.Repeat([]byte("x"), crashSize), 0o640))
		require.NoError(t, os.Chmod(file, 0o640))
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "RHO_JAIL_CRASH="+root)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		assert.NoError(t, err)
		assert.Equal(t, "writing\n", line)
		time.Sleep(time.Duration(rand.IntN(8_000)) * time.Microsecond)
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()

		text := content(t, file)
		require.Len(t, text, crashSize)
		require.Equal(t, crashSize, strings.Count(text, text[:1]), "half of one write and half of another")
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o640), info.Mode())
		found := litter(t, root)
		littered += len(found)
		names, err := os.ReadDir(root)
		require.NoError(t, err)
		require.Len(t, names, 1+len(found), "only the file and temporary ones")
		_, err = j.WriteFile("file", []byte("next"), WriteOptions{})
		require.NoError(t, err)
		require.Empty(t, litter(t, root))
	}
	t.Logf("%d of %d kills left a temporary file, which the next write removed", littered, times)
}
