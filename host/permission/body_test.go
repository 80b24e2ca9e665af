package permission

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

func pack(t *testing.T, s string, open func(io.Writer) io.WriteCloser) string {
	t.Helper()
	var buf bytes.Buffer
	w := open(&buf)
	_, err := io.WriteString(w, s)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return buf.String()
}

func gzipped(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
func zlibbed(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }
func deflated(w io.Writer) io.WriteCloser {
	fw, _ := flate.NewWriter(w, flate.BestSpeed)
	return fw
}

func TestDecode(t *testing.T) {
	t.Parallel()
	const plain = "some text that is worth packing, packing, packing"
	for name, tt := range map[string]struct {
		encodings []string
		sent      string
		want      string
		err       error
	}{
		"none":       {nil, plain, plain, nil},
		"identity":   {[]string{"identity"}, plain, plain, nil},
		"gzip":       {[]string{"gzip"}, pack(t, plain, gzipped), plain, nil},
		"x-gzip":     {[]string{"X-GZip"}, pack(t, plain, gzipped), plain, nil},
		"zlib":       {[]string{"deflate"}, pack(t, plain, zlibbed), plain, nil},
		"bare":       {[]string{"deflate"}, pack(t, plain, deflated), plain, nil},
		"twice":      {[]string{"deflate, gzip"}, pack(t, pack(t, plain, zlibbed), gzipped), plain, nil},
		"two lines":  {[]string{"deflate", "gzip"}, pack(t, pack(t, plain, zlibbed), gzipped), plain, nil},
		"unknown":    {[]string{"br"}, "br bytes", "br bytes", nil},
		"empty":      {[]string{"gzip"}, "", "", nil},
		"truncated":  {[]string{"gzip"}, pack(t, plain, gzipped)[:12], "s", io.ErrUnexpectedEOF},
		"no header":  {[]string{"gzip"}, "\x1f", "", io.ErrUnexpectedEOF},
		"no gzip":    {[]string{"gzip"}, plain, "", gzip.ErrHeader},
		"a thousand": {[]string{strings.Repeat("gzip,", 1000)}, plain, plain, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := io.ReadAll(decode(iotest.OneByteReader(strings.NewReader(tt.sent)), tt.encodings))
			require.ErrorIs(t, err, tt.err)
			require.Equal(t, tt.want, string(got))
		})
	}
}

func TestFetchDecodesAlsoWhenTheAuthorAsked(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, pack(t, r.Header.Get("Accept-Encoding"), gzipped))
	})
	c := newTestClient(t, ClientOptions{}, "127.0.0.1")
	res, err := do(t, c, wire.FetchRequest{URL: url, Headers: [][2]string{{"Accept-Encoding", "gzip"}}}, nil)
	require.Equal(t, "gzip", text(t, res, err))

	res, err = do(t, c, wire.FetchRequest{URL: url, Method: "HEAD"}, nil)
	require.Empty(t, text(t, res, err))
}

func TestFetchCapsTheBody(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/fits":
			_, _ = io.WriteString(w, strings.Repeat("x", 1000))
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, pack(t, strings.Repeat("x", 1<<20), gzipped))
		default:
			for r.Context().Err() == nil {
				_, _ = w.Write(make([]byte, 1<<10))
			}
		}
	})
	c := newTestClient(t, ClientOptions{MaxBody: 1000}, "127.0.0.1")
	res, err := get(t, c, url+"/fits")
	require.Len(t, text(t, res, err), 1000)
	for _, path := range []string{"/endless", "/bomb"} {
		res, err := get(t, c, url+path)
		require.NoError(t, err)
		got, err := io.ReadAll(res.Body)
		require.Len(t, got, 1000)
		we := wireError(t, err)
		require.Equal(t, "fetch failed: the body is larger than 1000 bytes", we.Message)
		require.Equal(t, "too_large", we.Code)
		_, again := res.Body.Read(make([]byte, 1))
		require.Equal(t, err, again)
		require.NoError(t, res.Body.Close())
	}
	require.Equal(t, "10 MiB", sizeText(DefaultMaxBody))
}

func TestBodyStreamsAndEnds(t *testing.T) {
	t.Parallel()
	more := make(chan struct{})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "first")
		w.(http.Flusher).Flush()
		<-more
		_, _ = io.WriteString(w, "second")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	c := newTestClient(t, ClientOptions{}, "127.0.0.1")
	ctx, cancel := context.WithCancel(t.Context())
	res, err := c.Fetch(ctx, wire.FetchRequest{URL: url}, nil)
	require.NoError(t, err)
	buf := make([]byte, 64)
	n, err := res.Body.Read(buf)
	require.NoError(t, err)
	require.Equal(t, "first", string(buf[:n]))
	close(more)
	n, err = res.Body.Read(buf)
	require.NoError(t, err)
	require.Equal(t, "second", string(buf[:n]))
	cancel()
	_, err = res.Body.Read(buf)
	we := wireError(t, err)
	require.Equal(t, "AbortError", we.Name)
	require.Equal(t, registry.KindCancelled, we.Kind)
	require.NoError(t, res.Body.Close())
}

func TestBodyCloseEndsARead(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	c := newTestClient(t, ClientOptions{}, "127.0.0.1")
	res, err := get(t, c, url)
	require.NoError(t, err)
	ended := make(chan error)
	go func() {
		_, err := res.Body.Read(make([]byte, 1))
		ended <- err
	}()
	require.NoError(t, res.Body.Close())
	require.Equal(t, "AbortError", wireError(t, <-ended).Name)
}
