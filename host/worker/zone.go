package worker

import (
	"os"
	"runtime"
	"strings"
	"time"
	_ "time/tzdata" // a worker can open no file
)

// locales are the variables that name a locale, the first one set wins.
var locales = []string{"LC_ALL", "LC_MESSAGES", "LANG"}

// localZone names the host's time zone, or gives its data where it has no name.
// Without either the worker finds out by itself.
func localZone() (name string, data []byte) {
	if name = time.Local.String(); name != "Local" {
		return name, nil
	}
	if runtime.GOOS == "windows" {
		return "", nil
	}
	if target, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(target, "/zoneinfo/"); ok {
			if _, err := time.LoadLocation(name); err == nil {
				return name, nil
			}
		}
	}
	data, _ = os.ReadFile("/etc/localtime")
	if data == nil {
		return "UTC", nil // as package time has it
	}
	return "", data
}

// setZone makes a zone the local one, before any code looks at the clock.
func setZone(name string, data []byte) error {
	if name == "" && data == nil {
		return nil
	}
	var loc *time.Location
	var err error
	if name != "" {
		loc, err = time.LoadLocation(name)
	} else {
		loc, err = time.LoadLocationFromTZData("Local", data)
	}
	if err != nil {
		return err
	}
	time.Local = loc
	return nil
}

func locale() string {
	for _, name := range locales {
		if v := os.Getenv(name); v != "" {
			return v
		}
	}
	return ""
}

// setLocale puts the locale where code looks for it in both isolation modes.
func setLocale(name string) {
	if name != "" {
		_ = os.Setenv(locales[0], name)
	}
}
