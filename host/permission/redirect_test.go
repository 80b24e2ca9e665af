package permission

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// hops answers /STATUS with a redirect to ?to and anything else with what it
// got.
func hops(w http.ResponseWriter, r *http.Request) {
	if status, err := strconv.Atoi(r.URL.Path[1:]); err == nil {
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(status)
		return
	}
	body, _ := io.ReadAll(r.Body)
	fmt.Fprintf(w, "%s %s %q type=%s auth=%s cookie=%s key=%s", r.Method, r.URL.Path, body, r.Header.Get("Content-Type"),
		r.Header.Get("Authorization"), r.Header.Get("Cookie"), r.Header.Get("X-Key"))
}

func TestRedirectMethods(t *testing.T) {
	t.Parallel()
	url := serve(t, hops)
	c := newTestClient(t, ClientOptions{}, "127.0.0.1")
	kept := `%s /end "data" type=text/plain auth=a cookie=c key=k`
	dropped := `GET /end "" type= auth=a cookie=c key=k`
	for _, tt := range []struct {
		status int
		method string
		want   string
	}{
		{301, "POST", dropped},
		{302, "POST", dropped},
		{303, "POST", dropped},
		{303, "PUT", dropped},
		{301, "PUT", fmt.Sprintf(kept, "PUT")},
		{307, "POST", fmt.Sprintf(kept, "POST")},
		{308, "PATCH", fmt.Sprintf(kept, "PATCH")},
	} {
		t.Run(fmt.Sprint(tt.status, tt.method), func(t *testing.T) {
			t.Parallel()
			res, err := do(t, c, wire.FetchRequest{
				URL: fmt.Sprintf("%s/%d?to=end", url, tt.status), Method: tt.method,
				Headers: [][2]string{{"Content-Type", "text/plain"}, {"Authorization", "a"}, {"Cookie", "c"}, {"X-Key", "k"}},
			}, []byte("data"))
			require.Equal(t, tt.want, text(t, res, err))
			require.True(t, res.Redirected)
			require.Equal(t, url+"/end", res.URL)
		})
	}
}

func TestRedirectStripsCredentials(t *testing.T) {
	t.Parallel()
	one, two := serve(t, hops), serve(t, hops)
	c := newTestClient(t, ClientOptions{}, "127.0.0.1")
	req := wire.FetchRequest{
		URL:     one + "/307?to=" + two + "/307?to=" + one + "/end",
		Headers: [][2]string{{"Authorization", "a"}, {"Cookie", "c"}, {"X-Key", "k"}},
	}
	res, err := do(t, c, req, nil)
	require.Equal(t, `GET /end "" type= auth= cookie= key=k`, text(t, res, err), "and they do not come back")
}

func TestRedirectToWhereNothingIsGranted(t *testing.T) {
	t.Parallel()
	elsewhere := untouched(t)
	url := serve(t, hops)
	dns := newDNSServer(t, map[string][]string{"evil.test": {"127.0.0.1"}})
	var log useLog
	c := newTestClient(t, ClientOptions{Resolver: dns.resolver(), OnUse: log.add}, "127.0.0.1:"+portOf(url))
	for _, target := range []string{elsewhere, "http://evil.test:" + portOf(elsewhere), "//evil.test/x"} {
		_, err := get(t, c, url+"/302?to="+target)
		we := wireError(t, err)
		require.Equal(t, registry.KindPermissionDenied, we.Kind)
		require.Equal(t, "PermissionDenied", we.Name)
		require.Contains(t, we.Message, " is not granted (127.0.0.1:"+portOf(url)+" redirected there)")
	}
	require.Empty(t, dns.asked())
	require.Len(t, log.uses, 6)
	require.Equal(t, registry.Use{Kind: "net", Target: "GET http://evil.test/x", Effect: "net", Denied: true}, log.uses[5])
}

func TestRedirectModes(t *testing.T) {
	t.Parallel()
	url := serve(t, hops)
	c := newTestClient(t, ClientOptions{}, "127.0.0.1")

	res, err := do(t, c, wire.FetchRequest{URL: url + "/302?to=/end", Redirect: "manual"}, nil)
	require.NoError(t, err)
	require.Equal(t, 302, res.Status)
	require.Equal(t, "/end", header(res, "location"))
	require.False(t, res.Redirected)

	_, err = do(t, c, wire.FetchRequest{URL: url + "/302?to=/end", Redirect: "error"}, nil)
	require.Contains(t, wireError(t, err).Message, "the request refuses redirects")

	res, err = do(t, c, wire.FetchRequest{URL: url + "/end", Redirect: "error"}, nil)
	require.NoError(t, err)
	require.Equal(t, 200, res.Status)

	res, err = get(t, c, url+"/302")
	require.NoError(t, err, "no Location: the response itself")
	require.Equal(t, 302, res.Status)

	res, err = get(t, c, url+"/304")
	require.NoError(t, err)
	require.Equal(t, 304, res.Status)
}

func TestRedirectFaults(t *testing.T) {
	t.Parallel()
	url := serve(t, hops)
	loop := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) })
	c := newTestClient(t, ClientOptions{}, "127.0.0.1")
	for target, want := range map[string]string{
		loop:                                     "more than 10 redirects",
		url + "/302?to=file:///etc/passwd":       "the URL scheme file: is not supported",
		url + "/302?to=http://u:p@127.0.0.1/end": "includes a user name or password",
		url + "/302?to=http://[bad":              "is not a valid URL",
	} {
		_, err := get(t, c, target)
		we := wireError(t, err)
		require.Equal(t, registry.KindNetwork, we.Kind)
		require.Contains(t, we.Message, want)
	}
}
