package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rho-ext/rho-ext/internal/version"
	"github.com/rho-ext/rho-ext/registry"
)

// The rules for asking crates.io; its crawler policy wants a name and at most
// one request per second.
const (
	cratesURL     = "https://crates.io"
	cratesTimeout = 15 * time.Second
	cratesBody    = 8 << 20
	cratesFresh   = 10 * time.Minute // how long an answer is used again
	cratesKept    = 128              // answers
	cratesPause   = time.Second
)

// cratesClient asks a registry with the API of crates.io.
type cratesClient struct {
	base   string
	client *http.Client
	pause  time.Duration

	mu    sync.Mutex
	next  time.Time // when the next request may leave
	cache map[string]cratesEntry
}

type cratesEntry struct {
	body []byte
	at   time.Time
}

func newCratesClient(base string, transport http.RoundTripper) *cratesClient {
	c := &cratesClient{base: strings.TrimRight(base, "/"), pause: cratesPause, cache: map[string]cratesEntry{}}
	if base == "" {
		c.base = cratesURL
	}
	if transport == nil {
		transport = http.DefaultTransport
	}
	c.client = &http.Client{Transport: transport, Timeout: cratesTimeout, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) >= 5 || r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme {
			return fmt.Errorf("%s leads to another place, %s", via[0].URL.Host, r.URL.Host)
		}
		return nil
	}}
	return c
}

// get asks for a document, which may be one that was got a while ago.
func (c *cratesClient) get(ctx context.Context, path string, query url.Values, into any) error {
	address := c.base + "/api/v1/" + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	c.mu.Lock()
	entry, known := c.cache[address]
	c.mu.Unlock()
	if !known || time.Since(entry.at) > cratesFresh {
		body, err := c.fetch(ctx, address)
		if err != nil {
			return err
		}
		entry = cratesEntry{body, time.Now()}
		c.keep(address, entry)
	}
	if err := json.Unmarshal(entry.body, into); err != nil {
		f := registry.NewFailure(registry.KindProvider, fmt.Sprintf("%s did not answer in JSON that can be read: %v", c.base, err))
		f.Code = "bad_answer"
		return f
	}
	return nil
}

func (c *cratesClient) keep(address string, e cratesEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.cache) >= cratesKept {
		oldest := ""
		for k, v := range c.cache {
			if oldest == "" || v.at.Before(c.cache[oldest].at) {
				oldest = k
			}
		}
		delete(c.cache, oldest)
	}
	c.cache[address] = e
}

// turn waits until a request may leave.
func (c *cratesClient) turn(ctx context.Context) error {
	c.mu.Lock()
	at := c.next
	if now := time.Now(); at.Before(now) {
		at = now
	}
	c.next = at.Add(c.pause)
	c.mu.Unlock()
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *cratesClient) fetch(ctx context.Context, address string) ([]byte, error) {
	if err := c.turn(ctx); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, invalid("the address of the registry, %q, is none: %v", c.base, err)
	}
	req.Header.Set("User-Agent", "rho-ext/"+version.Version+" (https://github.com/rho-ext/rho-ext)")
	req.Header.Set("Accept", "application/json")
	registry.CallFrom(ctx).RecordUse(registry.Use{Kind: "net", Target: "GET " + req.URL.Scheme + "://" + req.URL.Host + req.URL.EscapedPath(), Effect: "net", Grant: "default"})
	res, err := c.client.Do(req)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, cratesBody+1))
	switch {
	case err != nil:
		return nil, c.unreachable(ctx, err)
	case res.StatusCode != http.StatusOK:
		return nil, c.refused(res, body)
	case len(body) > cratesBody:
		f := registry.NewFailure(registry.KindProvider, fmt.Sprintf("%s answered with more than %d bytes", c.base, cratesBody))
		f.Code = "answer_too_large"
		return nil, f
	}
	return body, nil
}

func (c *cratesClient) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var late interface{ Timeout() bool }
	if errors.As(err, &late) && late.Timeout() {
		return registry.NewFailure(registry.KindTimeout, fmt.Sprintf("%s did not answer within %v", c.base, cratesTimeout))
	}
	f := registry.NewFailure(registry.KindNetwork, fmt.Sprintf("%s cannot be reached: %v", c.base, err))
	f.Cause = err
	return f
}

// refused explains an answer that is none.
func (c *cratesClient) refused(res *http.Response, body []byte) error {
	var said struct {
		Errors []struct{ Detail string }
	}
	_ = json.Unmarshal(body, &said)
	detail := ""
	if len(said.Errors) > 0 && said.Errors[0].Detail != "" {
		detail = ": " + cutText(said.Errors[0].Detail, 300)
	}
	f := &registry.Failure{Kind: registry.KindProvider, HTTPStatus: res.StatusCode, Message: fmt.Sprintf("%s answered with status %d%s", c.base, res.StatusCode, detail)}
	switch {
	case res.StatusCode == http.StatusNotFound:
		f.Kind, f.Retryable = registry.KindNotFound, registry.RetryNo
		f.Message = "there is no such crate or version" + detail + "; search finds names"
	case res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusServiceUnavailable && res.Header.Get("Retry-After") != "":
		f.Kind, f.Retryable, f.RetryAfter = registry.KindRateLimited, registry.RetryYes, retryAfter(res.Header.Get("Retry-After"), time.Now())
		if f.RetryAfter > 0 {
			f.Message += fmt.Sprintf("; it asks to wait %v", f.RetryAfter.Round(time.Second))
		}
	case res.StatusCode >= 500:
		f.Retryable = registry.RetryYes
	default:
		f.Retryable = registry.RetryNo
	}
	return f
}

// retryAfter reads the header of that name: seconds, or a date.
func retryAfter(value string, now time.Time) time.Duration {
	const most = 24 * time.Hour
	if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n >= 0 {
		return min(time.Duration(min(n, 1<<20))*time.Second, most)
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return min(at.Sub(now), most)
	}
	return 0
}

func cutText(s string, n int) string {
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}
