package jail

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWindowsSpellingsOfProtectedNames(t *testing.T) {
	j := &Jail{}
	for _, name := range []string{".git.", ".git ", "GIT~1", ".env::$DATA", ".env:x", "ENV~1", "id_rsa."} {
		assert.True(t, j.protected(name, true), name)
	}
	assert.False(t, j.protected("notes~1.txt", true))
}
