//go:build !windows

package jail

func platformName(name string) string { return name }

func isShortName(string) bool { return false }
