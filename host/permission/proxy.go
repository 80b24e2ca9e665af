package permission

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// Proxy says which requests of a [Client] go through a proxy, and which. Nil
// is none. It is immutable, and its text never holds credentials.
//
// A host that is granted by name is named to the proxy, which resolves it.
// What a wildcard covers is resolved and checked here, and the proxy is asked
// for the checked address: it cannot be made to look again and find a private
// one. A name that cannot be resolved here is then refused, so that behind a
// proxy that alone knows names, hosts have to be granted by name.
type Proxy struct {
	name        string
	http, https *proxyServer // by the scheme of the request; nil is none
	uses        func(*url.URL) (*url.URL, error)
}

// proxyServer is one proxy.
type proxyServer struct {
	scheme string // http, https or socks5
	host   string
	port   string
	user   *url.Userinfo // nil is none
}

// ParseProxy reads a proxy as a user's configuration has it:
//
//	http://proxy.example:3128    also https://, and with user:password@
//	socks5://127.0.0.1:1080      the same
//	environment                  HTTP_PROXY, HTTPS_PROXY and NO_PROXY decide
//
// The empty text gives nil, no proxy. Hosts in noProxy, in the form of
// NO_PROXY, are reached directly; localhost and loopback addresses always
// are, as for the proxy they are other machines. No error tells the URL,
// which may hold a password.
func ParseProxy(s string, noProxy ...string) (*Proxy, error) {
	s = strings.TrimSpace(s)
	p := &Proxy{}
	switch s {
	case "":
		return nil, nil
	case "environment":
		env := httpproxy.FromEnvironment()
		if env.CGI && env.HTTPProxy != "" {
			return nil, errors.New("HTTP_PROXY is not used where REQUEST_METHOD is set, since there a request could have set it")
		}
		var err error
		if p.http, err = proxyFromEnvironment("HTTP_PROXY", env.HTTPProxy); err != nil {
			return nil, err
		}
		if p.https, err = proxyFromEnvironment("HTTPS_PROXY", env.HTTPSProxy); err != nil {
			return nil, err
		}
		p.name = s
		noProxy = append([]string{env.NoProxy}, noProxy...)
	default:
		server, err := parseProxyURL(s)
		if err != nil {
			return nil, fmt.Errorf("the proxy is no URL of one: %w; expected one such as http://proxy.example:3128, https://…, socks5://…, or environment", err)
		}
		p.http, p.https, p.name = server, server, server.String()
	}
	// The library decides alone whether a host is left out; any URL will do.
	const some = "http://proxy.invalid"
	p.uses = (&httpproxy.Config{HTTPProxy: some, HTTPSProxy: some, NoProxy: strings.Join(noProxy, ",")}).ProxyFunc()
	return p, nil
}

// String names the proxy, without credentials.
func (p *Proxy) String() string {
	if p == nil {
		return "none"
	}
	return p.name
}

// GoString keeps credentials from %#v.
func (p *Proxy) GoString() string { return "permission.Proxy(" + p.String() + ")" }

// through is the proxy for a request, or nil.
func (p *Proxy) through(scheme string, e endpoint) *proxyServer {
	if p == nil {
		return nil
	}
	server := p.http
	if scheme == "https" {
		server = p.https
	}
	if server == nil {
		return nil
	}
	if u, err := p.uses(&url.URL{Scheme: scheme, Host: e.String()}); err == nil && u == nil {
		return nil
	}
	return server
}

func proxyFromEnvironment(name, value string) (*proxyServer, error) {
	if value == "" {
		return nil, nil
	}
	if !strings.Contains(value, "://") {
		value = "http://" + value // as everyone reads it
	}
	server, err := parseProxyURL(value)
	if err != nil {
		return nil, fmt.Errorf("the variable %s is no URL of a proxy: %w", name, err)
	}
	return server, nil
}

// parseProxyURL reads the URL of a proxy. The errors of [url.Parse] hold it.
func parseProxyURL(s string) (*proxyServer, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return nil, errors.New("it cannot be parsed")
	case u.Hostname() == "":
		return nil, errors.New("it has no host")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("it has a path")
	}
	p := &proxyServer{scheme: u.Scheme, host: u.Hostname(), port: u.Port(), user: u.User}
	defaultPort := map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[p.scheme]
	switch {
	case defaultPort == "":
		return nil, errors.New("its scheme is none of http, https and socks5")
	case p.port == "":
		p.port = defaultPort
	}
	if p.scheme == "socks5h" { // who resolves names is not the URL's to say
		p.scheme = "socks5"
	}
	return p, nil
}

func (p *proxyServer) addr() string { return net.JoinHostPort(p.host, p.port) }

// String has no credentials.
func (p *proxyServer) String() string { return p.scheme + "://" + p.addr() }
