//go:build !linux

package watch

// remote says why changes in a folder would not be reported, or nothing.
func remote(string) string { return "" }
