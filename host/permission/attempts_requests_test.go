package permission

import (
	"bufio"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// bad is an attempt that is refused as a request, whatever is granted.
func bad(url, want string) attempt {
	return attempt{url: url, kind: registry.KindInvalidArgs, want: want}
}

func TestAttemptsOnURLs(t *testing.T) {
	t.Parallel()
	a := newArena(t, nil)
	const scheme, user, invalid, denied = "is not supported", "includes a user name or password", "is not a valid URL", "is not granted"
	var attempts []attempt
	for want, urls := range map[string][]string{
		scheme: {
			"file:///etc/passwd", "FILE:///etc/passwd", "file://127.0.0.1/etc/passwd", "ftp://127.0.0.1:TRAP/", "gopher://127.0.0.1:TRAP/_x", "ws://127.0.0.1:TRAP/",
			"wss://127.0.0.1:TRAP/", "WS://127.0.0.1:TRAP/", "data:text/plain,hi", "blob:http://127.0.0.1:TRAP/x", "javascript:alert(1)", "about:blank",
			"http+unix://%2frun%2fdocker.sock/x", "unix:/run/docker.sock", "jar:http://127.0.0.1:TRAP!/", "dict://127.0.0.1:TRAP/", "ldap://127.0.0.1:TRAP/",
			"view-source:http://127.0.0.1:TRAP/", "socks5://127.0.0.1:TRAP/", "httpx://127.0.0.1:TRAP/",
		},
		user: {
			"http://127.0.0.1:GRANTED@127.0.0.1:TRAP/", "http://me:pw@127.0.0.1:GRANTED/", "http://me@127.0.0.1:GRANTED/", "http://:pw@127.0.0.1:GRANTED/",
			"http://127.0.0.1%3aGRANTED@127.0.0.1:TRAP/", "http://1.1.1.1 @127.0.0.1:TRAP/", "http://127.0.0.1:GRANTED\t@127.0.0.1:TRAP/",
			"http://a@b@127.0.0.1:TRAP/", "http://127.0.0.1%2f@127.0.0.1:TRAP/", "http:me@127.0.0.1:TRAP", "http://127.0.0.1:GRANTED%5c@127.0.0.1:TRAP/",
		},
		invalid: {
			"", "/x", "//127.0.0.1:TRAP/", "127.0.0.1:TRAP", "http//127.0.0.1:TRAP/", "http://", "http:///", "http://127.0.0.1:65536/", "http://127.0.0.1:99999/",
			"http://127.0.0.1:-1/", "http://127.0.0.1:TRAP:TRAP/", "http://127.0.0.1: TRAP/", "http://127.0.0.1:0x50/", "http://127.0.0.1:80.evil/",
			"http://127.0.0.1%00.evil.test/", "http://127.0.0.1%23.evil.test/", "http://127.0.0.1%40evil.test/", "http://a b/",
			"http://127.0.0.1^evil/", "http://127.0.0.1|evil/", "http://127.0.0.1<evil/", "http://xn--/", "ht tp://127.0.0.1:TRAP/",
		},
		denied: {
			"http:127.0.0.1:TRAP", "http:/127.0.0.1:TRAP/", "http:////127.0.0.1:TRAP/", `http:\\127.0.0.1:TRAP\`, `http:\/127.0.0.1:TRAP`,
			"h\nt\tt\rp://127.0.0.1:TRAP/", "http://127.0\n.0.1:TRAP/", "http://127.0.0.1:\tTRAP/", "  http://127.0.0.1:TRAP/  ", "\x00http://127.0.0.1:TRAP/",
			"HTTP://127.0.0.1:TRAP/", "hTtPs://127.0.0.1:TRAP/", "http://@127.0.0.1:TRAP/", "http:@127.0.0.1:TRAP/", "http://127.0.0.1:000TRAP/",
			"http://127.0.0.1:TRAP/@127.0.0.1:GRANTED/", "http://127.0.0.1:TRAP?@127.0.0.1:GRANTED/", "http://127.0.0.1:TRAP#@127.0.0.1:GRANTED/",
			`http://127.0.0.1:TRAP\@127.0.0.1:GRANTED/`, "https://127.0.0.1:TRAP/",
		},
	} {
		for _, u := range urls {
			at := bad(u, want)
			if want == denied {
				at.kind, at.want = "", "127.0.0.1:TRAP is not granted"
			}
			attempts = append(attempts, at)
		}
	}
	attempts = append(attempts,
		bad("http://127.0.0.1:0/", "port 0 of 127.0.0.1 does not exist"),
		bad("https://127.0.0.1:000/", "port 0 of 127.0.0.1 does not exist"),
		bad("http://127.0.0.1:GRANTED/"+strings.Repeat("x", maxURL), "bytes: at most"),
	)
	a.refuseAll(t, attempts)
}

func TestAttemptsOnMethodsAndHeaders(t *testing.T) {
	t.Parallel()
	a := newArena(t, nil)
	const here = "http://127.0.0.1:GRANTED/"
	var attempts []attempt
	for _, method := range []string{"CONNECT", "connect", "TRACE", "tRaCe", "TRACK", "track"} {
		attempts = append(attempts, attempt{url: here, method: method, kind: registry.KindInvalidArgs, want: "cannot be used"})
	}
	for _, method := range []string{"GET ", " GET", "GE T", "G\tT", "GET\r\nX: y", "GET / HTTP/1.1\r\nHost: evil\r\n\r\nGET", "GÉT", "GET:", "GET\x00", "\x7f", "G/T"} {
		attempts = append(attempts, attempt{url: here, method: method, kind: registry.KindInvalidArgs, want: "is not an HTTP method"})
	}
	for _, name := range []string{"", " ", "A B", "A:", ":authority", "A\r\nB", "A\n", "A\x00", "Ä", "A(", "Host ", "Transfer-Encoding\t"} {
		attempts = append(attempts, attempt{url: here, headers: [][2]string{{name, "x"}}, kind: registry.KindInvalidArgs, want: "is not a header name"})
	}
	for _, value := range []string{"a\r\nHost: evil", "a\nb", "a\rb", "a\x00b", "a\r\n\r\nGET /x HTTP/1.1", "\u010dn", "a\x7fb", "a\u2028b", "č\u010a"} {
		attempts = append(attempts, attempt{url: here, headers: [][2]string{{"X-A", value}}, kind: registry.KindInvalidArgs, want: "has a character that headers cannot hold"})
	}
	a.refuseAll(t, attempts)
}

func TestAttemptsByRedirect(t *testing.T) {
	t.Parallel()
	a := newArena(t, map[string][]string{"inner.test": {"10.0.0.1"}, "evil.test": {publicAddr}})
	var attempts []attempt
	for to, want := range map[string]string{
		"http://127.0.0.1:TRAP/":                   "127.0.0.1:TRAP is not granted (127.0.0.1:GRANTED redirected there)",
		"//127.0.0.1:TRAP/":                        "127.0.0.1:TRAP is not granted (",
		`\\127.0.0.1:TRAP\`:                        "127.0.0.1:TRAP is not granted (",
		`/\127.0.0.1:TRAP/`:                        "127.0.0.1:TRAP is not granted (",
		"\t//127.0.0.1:TRAP/":                      "127.0.0.1:TRAP is not granted (",
		"HTTP://0x7f.1:TRAP/":                      "127.0.0.1:TRAP is not granted (",
		"https://127.0.0.1:TRAP/":                  "127.0.0.1:TRAP is not granted (",
		"http://[::1]:GRANTED/":                    "[::1]:GRANTED is not granted (",
		"http://localhost:GRANTED/":                "localhost:GRANTED is not granted (",
		"http://169.254.169.254/latest/meta-data/": "169.254.169.254:80 is not granted (",
		"http://[fd00:ec2::254]/latest/":           "[fd00:ec2::254]:80 is not granted (",
		"http://127.0.0.1:GRANTED.evil.test/":      "cannot be fetched",
		"http://evil.test:25/":                     "port 25 is blocked",
		"http://127.0.0.1:0/":                      "port 0 of 127.0.0.1 does not exist",
		"http://me:pw@127.0.0.1:GRANTED/":          "includes a user name or password",
		"http://127.0.0.1:GRANTED@127.0.0.1:TRAP/": "includes a user name or password",
		"file:///etc/passwd":                       "the URL scheme file: is not supported",
		"javascript:fetch('http://127.0.0.1/')":    "the URL scheme javascript: is not supported",
		"data:text/html,hi":                        "the URL scheme data: is not supported",
		"ftp://127.0.0.1:TRAP/":                    "the URL scheme ftp: is not supported",
		"ws://127.0.0.1:TRAP/":                     "the URL scheme ws: is not supported",
		"gopher://127.0.0.1:TRAP/":                 "the URL scheme gopher: is not supported",
		"http://*/":                                "is neither a name nor an address",
		"http://[bad":                              "is not a valid URL",
	} {
		at := attempt{to: to, want: want}
		if !strings.Contains(want, "not granted") && !strings.Contains(want, "is blocked") {
			at.kind = registry.KindNetwork
		}
		attempts = append(attempts, at)
	}
	a.refuseAll(t, append(attempts,
		attempt{to: "http://inner.test/", want: "it leads to 10.0.0.1", lookup: true},
		attempt{to: "http://evil.test/", rules: "-", want: "evil.test:80 is not granted (127.0.0.1:GRANTED redirected there)"},
		attempt{to: "http://127.0.0.1:GRANTED/302?to=http://127.0.0.1:TRAP/", hops: 2, want: "127.0.0.1:TRAP is not granted"},
	))
}

// A redirect must not undo the encryption, even to a host that is granted.
func TestAttemptAtDowngrade(t *testing.T) {
	t.Parallel()
	a := newArena(t, nil)
	srv := httptest.NewTLSServer(http.HandlerFunc(hops))
	t.Cleanup(srv.Close)
	cas := x509.NewCertPool()
	cas.AddCert(srv.Certificate())
	c := newTestClient(t, ClientOptions{CAs: cas}, "127.0.0.1")
	for _, status := range []string{"301", "302", "303", "307", "308"} {
		_, err := do(t, c, wire.FetchRequest{URL: srv.URL + "/" + status + "?to=" + url.QueryEscape("http://127.0.0.1:"+a.trap+"/"), Method: "POST"}, []byte("secret"))
		we := wireError(t, err)
		require.Equal(t, registry.KindNetwork, we.Kind)
		require.Contains(t, we.Message, "redirects from https to 127.0.0.1:"+a.trap+", in the clear")
	}
	res, err := get(t, c, srv.URL+"/302?to=/end")
	require.Contains(t, text(t, res, err), "GET /end")
}

// Another reader of the same URL would go elsewhere. What was decided about is
// where the request goes.
func TestURLsThatConfuseOthersGoWhereTheyWereGranted(t *testing.T) {
	t.Parallel()
	a := newArena(t, nil)
	c := newTestClient(t, ClientOptions{}, "127.0.0.1:"+a.granted)
	for form, want := range map[string]string{
		`http://127.0.0.1:GRANTED\@127.0.0.1:TRAP/`:      "GET /@127.0.0.1:TRAP/",
		`http://127.0.0.1:GRANTED#@127.0.0.1:TRAP/`:      "GET / ",
		`http://127.0.0.1:GRANTED?@127.0.0.1:TRAP/`:      "GET / ",
		`http://127.0.0.1:GRANTED/@127.0.0.1:TRAP/`:      "GET /@127.0.0.1:TRAP/",
		`http://127.0.0.1:GRANTED//127.0.0.1:TRAP/`:      "GET //127.0.0.1:TRAP/",
		`http://127.0.0.1:GRANTED/\127.0.0.1:TRAP/`:      "GET //127.0.0.1:TRAP/",
		`http://127.0.0.1:GRANTED/http://127.0.0.1:TRAP`: "GET /http://127.0.0.1:TRAP",
		"http://127.0.0.1:GRANTED\n/x":                   "GET /x",
	} {
		fill := strings.NewReplacer("GRANTED", a.granted, "TRAP", a.trap).Replace
		res, err := get(t, c, fill(form))
		require.Contains(t, text(t, res, err), fill(want), form)
	}
}

// What is said about the connection comes from the client alone: one request
// arrives, to the host that was granted, whatever headers were given.
func TestAttemptsAtSmuggling(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	seen := make(chan string, 1)
	go func() {
		defer close(seen)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			br := bufio.NewReader(conn)
			all := ""
			for !strings.HasSuffix(all, "\r\n\r\nbody") {
				b, err := br.ReadByte()
				if err != nil {
					break
				}
				all += string(b)
			}
			_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
			_ = conn.Close()
			seen <- all
		}
	}()
	t.Cleanup(func() { _, _ = l.Close(), <-seen })
	addr := l.Addr().String()
	c := newTestClient(t, ClientOptions{}, "127.0.0.1")
	for _, nv := range [][2]string{
		{"Host", "evil.test"}, {"host", "evil.test"}, {"HOST", "evil.test"}, {"Transfer-Encoding", "chunked"}, {"transfer-encoding", "identity, chunked"},
		{"Content-Length", "0"}, {"content-length", "9999"}, {"Connection", "keep-alive, X-Forwarded-For"}, {"Connection", "upgrade"}, {"Upgrade", "websocket"},
		{"HTTP2-Settings", "AAMAAABk"}, {"Keep-Alive", "max=1"}, {"TE", "trailers"}, {"Trailer", "X"}, {"Expect", "100-continue"},
		{"Proxy-Authorization", "Basic eDp5"}, {"proxy-connection", "keep-alive"}, {"Proxy-Authenticate", "Basic"}, {"PROXY-ANYTHING", "x"},
	} {
		res, err := do(t, c, wire.FetchRequest{URL: "http://" + addr + "/x", Method: "POST", Headers: [][2]string{nv, {"X-Kept", "\t yes \r\n"}}}, []byte("body"))
		require.Empty(t, text(t, res, err))
		require.Equal(t, "POST /x HTTP/1.1\r\nHost: "+addr+"\r\nUser-Agent: rho-ext\r\nContent-Length: 4\r\nAccept: */*\r\n"+
			"Accept-Encoding: gzip, deflate\r\nX-Kept: yes\r\n\r\nbody", <-seen, "%v", nv)
	}
}
