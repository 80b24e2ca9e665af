package jail

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWindowsNamesAreRefused(t *testing.T) {
	j := open(t, t.TempDir())
	for _, name := range []string{"NUL", "a.txt:stream", "a.txt.", "PROGRA~1", `sub\CON`} {
		_, err := j.WriteFile(name, nil, WriteOptions{})
		var odd *NameError
		assert.ErrorAs(t, err, &odd, name)
	}
}
