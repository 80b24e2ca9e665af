package permission

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoadCAs(t *testing.T) {
	t.Parallel()
	srv := httptest.NewTLSServer(http.HandlerFunc(hops))
	t.Cleanup(srv.Close)
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		return path
	}
	good := write("good.pem", append([]byte("# our own\n-----BEGIN X-----\nAAAA\n-----END X-----\n"), cert...))

	pool, err := LoadCAs([]string{good})
	require.NoError(t, err)
	res, err := get(t, newTestClient(t, ClientOptions{CAs: pool}, "127.0.0.1"), srv.URL+"/x")
	require.Contains(t, text(t, res, err), "GET /x")

	pool, err = LoadCAs(nil)
	require.NoError(t, err)
	require.Nil(t, pool)

	broken := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("no certificate")})
	for file, want := range map[string]string{
		filepath.Join(dir, "none.pem"):          "no such file",
		dir:                                     "it is no regular file",
		write("empty.pem", nil):                 "there is no certificate in PEM form in it",
		write("der.pem", srv.Certificate().Raw): "there is no certificate in PEM form in it",
		write("key.pem", []byte(strings.ReplaceAll(string(cert), "CERTIFICATE", "PRIVATE KEY"))): "there is no certificate in PEM form in it",
		write("second.pem", append(cert, broken...)):                                             "certificate 2 in it is broken: ",
		write("large.pem", make([]byte, maxCAFile+1)):                                            "it has more than 4194304 bytes",
	} {
		pool, err := LoadCAs([]string{good, file})
		require.Nil(t, pool)
		require.ErrorContains(t, err, file+" holds no certificate authorities that can be used: "+want)
	}
}
