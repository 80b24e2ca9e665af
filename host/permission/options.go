package permission

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"time"

	"github.com/rho-ext/rho-ext/registry"
)

// The limits of a request where [ClientOptions] says nothing else.
const (
	DefaultMaxBody    = 10 << 20 // bytes of a response's body, after decompression
	DefaultHeaderWait = 30 * time.Second

	maxRedirects   = 10
	maxHeaderBytes = 256 << 10
	connectWait    = 30 * time.Second
	handshakeWait  = 10 * time.Second
	idleWait       = 30 * time.Second
)

// ClientOptions configure a [Client]. The zero value reaches nothing.
type ClientOptions struct {
	// Rules grant hosts. A host that none of them covers is not even looked up.
	Rules []NetRule
	// Admit, if not nil, decides in place of Rules, once for each hop of each
	// request, before anything leaves. It returns the rule that grants the
	// target, and how records name the grant; empty means rule.Grant(). A rule
	// that does not grant the target is a refusal, and so is every error; the
	// extension sees a [*wire.Error] of the kind permission_denied as it is,
	// and nothing of any other.
	//
	// Admit runs on the goroutine of the request, for many requests at once.
	// It may wait for a person, but not longer than ctx, which is that of the
	// request.
	Admit func(ctx context.Context, t Target) (rule NetRule, grant string, err error)
	// MaxBody bounds a response's body; zero means [DefaultMaxBody].
	MaxBody int64
	// HeaderWait bounds the wait for a response's headers, once the request is
	// sent; zero means [DefaultHeaderWait].
	HeaderWait time.Duration
	// UserAgent is sent where the request has none; empty means rho-ext.
	UserAgent string
	// Resolver looks names up; nil means the system's.
	Resolver *net.Resolver
	// CAs are the certificate authorities that are trusted, such as those of
	// [LoadCAs]; nil means the system's.
	CAs *x509.CertPool
	// Proxy is what requests go through, of [ParseProxy]; nil is none. It comes
	// from the user, never from a project or an extension.
	Proxy *Proxy
	// Transport, if not nil, answers in place of the network: whatever was
	// admitted is handed to it, and no connection is opened.
	Transport http.RoundTripper
	// OnUse, if not nil, hears of every hop of every request, also of refused
	// ones, before it is made. ctx is that of the request.
	OnUse func(ctx context.Context, u registry.Use)
}
