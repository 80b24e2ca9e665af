package permission

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

func TestFetch(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Add("X-Two", "a")
		w.Header().Add("X-Two", "b")
		w.Header()["X-Latin"] = []string{"caf\xe9"}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "%s %s %s %q", r.Method, r.RequestURI, r.Header.Get("X-In"), body)
	})
	var seen useLog
	c := newTestClient(t, ClientOptions{OnUse: seen.add}, "127.0.0.1")
	res, err := do(t, c, wire.FetchRequest{
		URL: url + "/a%2Fb|c?q=1&secret#frag", Method: "post",
		Headers: [][2]string{{"x-in", " one "}, {"X-In", "two"}},
	}, []byte("hi"))
	require.Equal(t, `POST /a%2Fb|c?q=1&secret one "hi"`, text(t, res, err))
	require.Equal(t, 201, res.Status)
	require.Equal(t, "Created", res.StatusText)
	require.Equal(t, url+"/a%2Fb|c?q=1&secret", res.URL)
	require.False(t, res.Redirected)
	require.Contains(t, res.Headers, [2]string{"x-two", "a"})
	require.Contains(t, res.Headers, [2]string{"x-two", "b"})
	require.Contains(t, res.Headers, [2]string{"x-latin", "café"})
	require.Equal(t, "--allow-net=127.0.0.1", res.Grant)
	require.Equal(t, []registry.Use{{Kind: "net", Target: "POST " + url + "/a%2Fb|c", Effect: "net", Grant: res.Grant}}, seen.uses)
}

func TestFetchPathsArriveAsWritten(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.RequestURI) })
	c := newTestClient(t, ClientOptions{}, "127.0.0.1")
	for path, want := range map[string]string{
		"":              "/",
		"?":             "/",
		"?x=%zz":        "/?x=%zz",
		"//double":      "//double",
		"//a%2Fb?c":     "//a%2Fb?c",
		"/a/../b/./c":   "/b/c",
		"/ü?ü":          "/%C3%BC?%C3%BC",
		"\\back\\slash": "/back/slash",
		"/^|`{}":        "/^|%60%7B%7D",
	} {
		res, err := get(t, c, url+path)
		require.Equal(t, want, text(t, res, err), path)
	}
}

func TestFetchHeaders(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Host", r.Host)
		r.Header.Set("Length", fmt.Sprint(r.ContentLength))
		_ = json.NewEncoder(w).Encode(r.Header)
	})
	c := newTestClient(t, ClientOptions{UserAgent: "rho-ext/1.2"}, "127.0.0.1")
	res, err := do(t, c, wire.FetchRequest{URL: url, Method: "POST", Headers: [][2]string{
		{"Host", "internal.example"}, {"content-length", "999"}, {"Connection", "close"},
		{"Transfer-Encoding", "chunked"}, {"Upgrade", "h2c"}, {"TE", "trailers"},
		{"Cookie", "a=b"}, {"Origin", "https://x"}, {"Authorization", "Bearer t"}, {"X-Latin", "é"},
	}}, nil)
	var got map[string][]string
	require.NoError(t, json.Unmarshal([]byte(text(t, res, err)), &got))
	require.Equal(t, map[string][]string{
		"Host":            {strings.TrimPrefix(url, "http://")},
		"Length":          {"0"},
		"Content-Length":  {"0"},
		"Accept":          {"*/*"},
		"Accept-Encoding": {"gzip, deflate"},
		"User-Agent":      {"rho-ext/1.2"},
		"Cookie":          {"a=b"},
		"Origin":          {"https://x"},
		"Authorization":   {"Bearer t"},
		"X-Latin":         {"\uFFFD"}, // one byte, E9
	}, got)
}

func TestFetchBadRequests(t *testing.T) {
	t.Parallel()
	c := newTestClient(t, ClientOptions{}, "127.0.0.1")
	url := untouched(t)
	for name, tt := range map[string]struct {
		req  wire.FetchRequest
		body string
		want string
	}{
		"no URL":          {wire.FetchRequest{}, "", `"" is not a valid URL`},
		"relative":        {wire.FetchRequest{URL: "/x"}, "", `"/x" is not a valid URL: expected an absolute one`},
		"scheme":          {wire.FetchRequest{URL: "file:///etc/passwd"}, "", "the URL scheme file: is not supported"},
		"data":            {wire.FetchRequest{URL: "data:,hi"}, "", "the URL scheme data: is not supported"},
		"user":            {wire.FetchRequest{URL: "http://u:p@127.0.0.1/"}, "", "includes a user name or password"},
		"too long":        {wire.FetchRequest{URL: "http://127.0.0.1/" + strings.Repeat("x", maxURL)}, "", "the URL has 65553 bytes"},
		"many users":      {wire.FetchRequest{URL: "http://" + strings.Repeat("@", 60_000)}, "", "the URL has more than 100 @"},
		"method":          {wire.FetchRequest{URL: url, Method: "GE T"}, "", `"GE T" is not an HTTP method`},
		"CONNECT":         {wire.FetchRequest{URL: url, Method: "connect"}, "", "the method CONNECT cannot be used"},
		"GET with a body": {wire.FetchRequest{URL: url}, "x", "a GET request cannot have a body"},
		"redirect":        {wire.FetchRequest{URL: url, Redirect: "never"}, "", `"never" is not a redirect mode`},
		"header name":     {wire.FetchRequest{URL: url, Headers: [][2]string{{"a b", "c"}}}, "", `"a b" is not a header name`},
		"header value":    {wire.FetchRequest{URL: url, Headers: [][2]string{{"a", "b\r\nc: d"}}}, "", "the value of the header a has a character"},
		"header unicode":  {wire.FetchRequest{URL: url, Headers: [][2]string{{"a", "→"}}}, "", "the value of the header a has a character"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := do(t, c, tt.req, []byte(tt.body))
			we := wireError(t, err)
			require.Equal(t, "TypeError", we.Name)
			require.Equal(t, registry.KindInvalidArgs, we.Kind)
			require.Contains(t, we.Message, tt.want)
		})
	}
}

func TestFetchDenied(t *testing.T) {
	t.Parallel()
	dns := newDNSServer(t, map[string][]string{"api.example.org": {"127.0.0.1"}})
	url := untouched(t)
	port := portOf(url)
	for name, tt := range map[string]struct{ rule, url, message, hint string }{
		"no rule":    {"", "https://api.example.org/x", "network access to api.example.org:443 is not granted", "run with --allow-net=api.example.org"},
		"other host": {"example.org", "http://api.example.org/x", "network access to api.example.org:80 is not granted", "run with --allow-net=api.example.org"},
		"other port": {"api.example.org:80", "http://api.example.org:" + port, "network access to api.example.org:" + port + " is not granted", "run with --allow-net=api.example.org:" + port},
		"loopback":   {"*", url, "network access to 127.0.0.1:" + port + " is not granted", "run with --allow-net=127.0.0.1:" + port},
		"IPv6":       {"*", "http://[::1]/", "network access to [::1]:80 is not granted", "run with --allow-net=[::1]"},
		"in disguise": {"*", "http://0x7f000001:" + port, "network access to 127.0.0.1:" + port + " is not granted",
			"run with --allow-net=127.0.0.1:" + port},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen useLog
			o := ClientOptions{Resolver: dns.resolver(), OnUse: seen.add}
			var rules []string
			if tt.rule != "" {
				rules = append(rules, tt.rule)
			}
			_, err := get(t, newTestClient(t, o, rules...), tt.url)
			require.Equal(t, &wire.Error{
				Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Code: "net",
				Message: tt.message, Hint: tt.hint,
			}, err)
			require.Len(t, seen.uses, 1)
			require.True(t, seen.uses[0].Denied)
			require.Empty(t, seen.uses[0].Grant)
		})
	}
	t.Cleanup(func() { require.Empty(t, dns.asked(), "a name was looked up") })
}

func TestFetchWildcardKeepsToPublicAddresses(t *testing.T) {
	t.Parallel()
	url := untouched(t)
	dns := newDNSServer(t, map[string][]string{
		"one.test": {"127.0.0.1"},
		"two.test": {"10.0.0.1 192.168.7.7"},
	})
	var seen useLog
	c := newTestClient(t, ClientOptions{Resolver: dns.resolver(), OnUse: seen.add}, "*.test")
	_, err := get(t, c, "http://one.test:"+portOf(url)+"/")
	we := wireError(t, err)
	require.Equal(t, registry.KindPermissionDenied, we.Kind)
	require.Equal(t, "network access to one.test:"+portOf(url)+" is not granted: it leads to 127.0.0.1, and a wildcard covers public addresses only", we.Message)
	require.Equal(t, "run with --allow-net=one.test:"+portOf(url), we.Hint)
	require.Equal(t, []bool{false, true}, []bool{seen.uses[0].Denied, seen.uses[1].Denied})

	_, err = get(t, c, "https://two.test/")
	require.Equal(t, registry.KindPermissionDenied, wireError(t, err).Kind)
}

// A name that answers with another address at each query is dialled at the
// one that was checked, because it is resolved once.
func TestFetchRebinding(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "home") })
	dns := newDNSServer(t, map[string][]string{"home.test": {"127.0.0.1", "192.0.2.1"}})
	c := newTestClient(t, ClientOptions{Resolver: dns.resolver()}, "home.test")
	res, err := get(t, c, "http://home.test:"+portOf(url))
	require.Equal(t, "home", text(t, res, err))
	require.Equal(t, []string{"home.test"}, dns.asked())
}

func TestFetchNetworkFaults(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	cut := serve(t, func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) })
	slow := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	selfSigned := httptest.NewUnstartedServer(nil)
	selfSigned.Config.ErrorLog = log.New(io.Discard, "", 0) // it tells of the refused handshake
	selfSigned.StartTLS()
	t.Cleanup(selfSigned.Close)
	dns := newDNSServer(t, nil)
	for name, tt := range map[string]struct{ url, code string }{
		"refused":     {gone.URL, ""},
		"cut":         {cut, ""},
		"no answer":   {slow, "timeout"},
		"no name":     {"http://nowhere.test/", "dns"},
		"certificate": {selfSigned.URL, "tls"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := ClientOptions{Resolver: dns.resolver()}
			if name == "no answer" {
				o.HeaderWait = 20 * time.Millisecond
			}
			_, err := get(t, newTestClient(t, o, "127.0.0.1", "nowhere.test"), tt.url)
			we := wireError(t, err)
			require.Equal(t, registry.KindNetwork, we.Kind)
			require.Equal(t, "TypeError", we.Name)
			require.Equal(t, tt.code, we.Code, we.Message)
			require.True(t, strings.HasPrefix(we.Message, "fetch failed: "), we.Message)
		})
	}
}

func TestFetchTLS(t *testing.T) {
	t.Parallel()
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(srv.Close)
	pool := x509.NewCertPool()
	pool.AddCert(srv.Certificate())
	c := newTestClient(t, ClientOptions{CAs: pool}, "127.0.0.1")
	res, err := get(t, c, srv.URL)
	require.Equal(t, "HTTP/2.0", text(t, res, err))
}

func TestFetchTakesNoProxyFromTheEnvironment(t *testing.T) {
	t.Setenv("HTTP_PROXY", untouched(t))
	t.Setenv("http_proxy", untouched(t))
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "direct") })
	dns := newDNSServer(t, map[string][]string{"home.test": {"127.0.0.1"}})
	c := newTestClient(t, ClientOptions{Resolver: dns.resolver()}, "home.test")
	res, err := get(t, c, "http://home.test:"+portOf(url))
	require.Equal(t, "direct", text(t, res, err))
}

func TestFetchKeepsNoCookies(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "id", Value: "1"})
		fmt.Fprint(w, r.Header.Get("Cookie"))
	})
	c := newTestClient(t, ClientOptions{}, "127.0.0.1")
	for range 2 {
		res, err := get(t, c, url)
		require.Empty(t, text(t, res, err))
		require.Equal(t, "id=1", header(res, "set-cookie"))
	}
}

func TestFetchAbort(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	})
	c := newTestClient(t, ClientOptions{}, "127.0.0.1")

	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-arrived
		cancel(wire.ErrDeadline)
	}()
	_, err := c.Fetch(ctx, wire.FetchRequest{URL: url}, nil)
	we := wireError(t, err)
	require.Equal(t, "AbortError", we.Name)
	require.Equal(t, registry.KindTimeout, we.Kind)

	_, err = c.Fetch(ctx, wire.FetchRequest{URL: untouched(t)}, nil)
	require.Equal(t, "AbortError", wireError(t, err).Name)

	_, err = c.Fetch(ctx, wire.FetchRequest{URL: "http://elsewhere.test"}, nil)
	require.Equal(t, "AbortError", wireError(t, err).Name, "nobody is asked for a call that has ended")
}
