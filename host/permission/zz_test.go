package permission
import ("testing";"time";"os")
func FuzzZZ(f *testing.F) {
	for _, s := range []string{"api.github.com", "*.example.org:8443", "[::1]:80", "https://*", "bücher.example", "127.1", "::ffff:1.2.3.4"} { f.Add(s) }
	f.Fuzz(func(t *testing.T, s string) {
		done := make(chan struct{})
		go func(){ defer close(done); _, _ = parseURL(nil, "http://"+s+"/") }()
		select { case <-done: case <-time.After(2*time.Second): os.WriteFile("/tmp/hang.txt", []byte(s), 0o644); t.Fatalf("hang %q", s) }
	})
}
