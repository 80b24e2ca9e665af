package config

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

const proxyForm = `a URL such as "http://proxy.example:3128" or "socks5://127.0.0.1:1080", or "environment"`

// checkProxy looks at the URL of a proxy. What it says never holds the URL,
// which may hold a password.
func checkProxy(s string) string {
	if s == "" || s == "environment" {
		return ""
	}
	wrong := "expected " + proxyForm + ", got "
	u, err := url.Parse(s)
	if err != nil {
		return wrong + "no such URL"
	}
	switch u.Scheme {
	case "http", "https", "socks5", "socks5h":
	default:
		return wrong + "no such URL"
	}
	switch {
	case u.Hostname() == "":
		return wrong + "a URL without host"
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		return wrong + "a URL with a path"
	}
	return ""
}

// checkNoProxy finds what would never match, and so lead through the proxy.
func checkNoProxy(s string) string {
	if strings.Contains(s, "://") || strings.ContainsAny(s, "@ \t") {
		return fmt.Sprintf("%q is no host: expected one such as example.org, .example.org, 10.0.0.0/8 or *", hideUser(s))
	}
	return ""
}

var userInfo = regexp.MustCompile(`://[^\s"']*@`)

// hideUser replaces user and password of URLs in a text by as many stars.
func hideUser(s string) string {
	return userInfo.ReplaceAllStringFunc(s, func(m string) string { return "://" + strings.Repeat("*", len(m)-4) + "@" })
}
