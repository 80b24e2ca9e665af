package permission

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// denied is the refusal of a target that no rule covers.
func denied(t Target) *wire.Error {
	message := fmt.Sprintf("network access to %s is not granted", t.hostPort())
	if t.From != "" {
		message += " (" + t.From + " redirected there)"
	}
	return denial(t, message)
}

// deniedPrivate is the refusal of a host that only a wildcard covers and that
// turned out to be no public one.
func deniedPrivate(t Target, addr netip.Addr) *wire.Error {
	return denial(t, fmt.Sprintf("network access to %s is not granted: it leads to %s, and a wildcard covers public addresses only", t.hostPort(), addr.Unmap()))
}

// deniedMetadata is the refusal of a name that leads to where clouds tell
// secrets.
func deniedMetadata(t Target, addr netip.Addr) *wire.Error {
	e := denial(t, fmt.Sprintf("network access to %s is not granted: it leads to %s, where machines keep secrets of their own", t.hostPort(), addr.Unmap()))
	e.Hint = "if it is meant, request that address itself, once it was granted"
	return e
}

// deniedUnknown is the refusal of a host that only a wildcard covers and only
// the proxy may be able to find.
func deniedUnknown(t Target) *wire.Error {
	return denial(t, fmt.Sprintf("network access to %s is not granted: a wildcard covers public addresses only, and where the host leads cannot be found out on this side of the proxy", t.hostPort()))
}

// deniedPort is the refusal of a port where no web server is to be expected.
func deniedPort(t Target) *wire.Error {
	return denial(t, fmt.Sprintf("network access to %s is not granted: port %d is blocked, as it belongs to another protocol than HTTP, until exactly %[1]s is granted", t.hostPort(), t.Port))
}

func denial(t Target, message string) *wire.Error {
	return &wire.Error{
		Kind:    registry.KindPermissionDenied,
		Name:    "PermissionDenied",
		Code:    "net",
		Message: message,
		Hint:    "run with --allow-net=" + t.Rule().String(),
	}
}

// typeError is what fetch throws for a request that cannot be made.
func typeError(format string, args ...any) *wire.Error {
	return &wire.Error{
		Kind:    registry.KindInvalidArgs,
		Name:    "TypeError",
		Message: "fetch: " + fmt.Sprintf(format, args...),
	}
}

// netError is what fetch throws for a request that failed on its way.
func netError(code, format string, args ...any) *wire.Error {
	return &wire.Error{
		Kind:    registry.KindNetwork,
		Name:    "TypeError",
		Code:    code,
		Message: "fetch failed: " + fmt.Sprintf(format, args...),
	}
}

// aborted is what fetch throws when ctx ended.
func aborted(ctx context.Context) *wire.Error {
	cause := context.Cause(ctx)
	kind := registry.KindCancelled
	if errors.Is(cause, context.DeadlineExceeded) || errors.Is(cause, wire.ErrDeadline) {
		kind = registry.KindTimeout
	}
	return &wire.Error{Kind: kind, Name: "AbortError", Message: "the request was aborted: " + cause.Error()}
}

// fault turns an error of the transport into what JavaScript sees.
func fault(ctx context.Context, err error) *wire.Error {
	var refusal *wire.Error
	if errors.As(err, &refusal) {
		return refusal
	}
	if ctx.Err() != nil {
		return aborted(ctx)
	}
	var (
		dns  *net.DNSError
		cert *tls.CertificateVerificationError
		host x509.HostnameError
		slow net.Error
	)
	switch {
	case errors.As(err, &dns):
		return netError("dns", "%s could not be resolved: %s", dns.Name, dns.Err)
	case errors.As(err, &cert), errors.As(err, &host):
		return netError("tls", "%v", err)
	case errors.As(err, &slow) && slow.Timeout():
		return netError("timeout", "%s", withoutSource(err))
	default:
		return netError("", "%s", withoutSource(err))
	}
}

// withoutSource is the text of an error without the two ends of a connection:
// one is this machine's address, the other may be a proxy's.
func withoutSource(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Source != nil && op.Err != nil {
		return strings.Replace(err.Error(), op.Error(), op.Op+": "+op.Err.Error(), 1)
	}
	return err.Error()
}
