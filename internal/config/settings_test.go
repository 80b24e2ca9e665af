package config_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/config"
)

// settings are the values for one extension, as text.
func settings(c *config.Config, extension string, projects bool) string {
	out := map[string]string{}
	for name, raw := range c.SettingsOf(extension, projects) {
		out[name] = string(raw)
	}
	return fmt.Sprint(out) // in order
}

func TestSettingsOfExtensions(t *testing.T) {
	t.Parallel()
	c, warnings := load(t, `
[settings.weather]
units = "met\"ric <&>"
days = 3
ratio = 0.5
large = 9007199254740993
verbose = true
[settings.deploy]
region = "eu"
`, "")
	require.Empty(t, warnings)
	for _, projects := range []bool{true, false} {
		require.Equal(t, `map[days:3 large:9007199254740993 ratio:0.5 units:"met\"ric \u003c\u0026\u003e" verbose:true]`, settings(c, "weather", projects))
		require.Equal(t, `map[region:"eu"]`, settings(c, "deploy", projects))
		require.Equal(t, `map[]`, settings(c, "Weather", projects))
	}
}

func TestAProjectSetsItsOwnExtensionsAlone(t *testing.T) {
	t.Parallel()
	o := place(t, "[settings.weather]\nunits = 'metric'\n", "[settings.weather]\ndays = 7\nunits = 'imperial'\n")
	c, warnings, err := config.Load(o)
	require.NoError(t, err)
	require.Equal(t, `map[units:"metric"]`, settings(c, "weather", false), "an extension of the user's does not hear of it")
	require.Equal(t, `map[days:7 units:"metric"]`, settings(c, "weather", true), "what the user set stays")
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0].String(), ".rho/config.toml:3:1: settings.weather.units is ignored: your own configuration sets it, at "+o.Home)
	require.NotContains(t, warnings[0].String(), "imperial")

	require.Equal(t, 2, c.Settings[1].Origin.Line)
	require.Equal(t, config.FromProject, c.Settings[1].Origin.Source)
	require.Equal(t, "settings.weather.days", c.Settings[1].Key())
}

func TestNoValueOfASettingIsShown(t *testing.T) {
	t.Parallel()
	c, _ := load(t, "[settings.weather]\napiKey = 'hunter2hunter2'\npin = 123456", "[settings.weather]\ntoken = 'hunter3hunter3'")
	for _, v := range c.Explain() {
		require.NotContains(t, v.Value, "hunter")
		require.NotContains(t, v.Value, "123456")
	}
	require.Equal(t, "(a string)", value(c, "settings.weather.apiKey"))
	require.Equal(t, "(a number)", value(c, "settings.weather.pin"))
	require.Equal(t, "(a string)", value(c, "settings.weather.token"))
}

func TestALineThatIsWrongShowsNoSettingAroundIt(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"[settings.weather]\na = 'hunter2'\nb = [",
		"[settings.weather]\na = 'hunter2\nb = 1",
		"[settings.weather]\na = hunter2",
		"[ \"settings\".weather]\n\"a\" = 'hunter2'\nb = [",
		"settings.weather.a = 'hunter2'\nb = [",
		"settings = { weather = { a = 'hunter2' } }\nb = [",
		"settings = { weather = { a = ['hunter2'",
		"[settings.weather]\na = \"\"\"\nhunter2==\n[log]\nhunter2 = 1\n\"\"\"\nb = [",
		"[settings.weather]\na = [\n['hunter2'],\n'hunter2']\nb = [",
		"[settings.weather]\na = [\n[hunter2],\nb = [",
		"[settings.weather]\n# a = 'hunter2'\nb = [",
		"[settings.weather]\na = 'hunter2'\n[lgo]\nb = 1",
		"[settings.weather]\na = ['hunter2']\n",
		"[settings.weather]\na = 'hunter2'\na = 'hunter2'\n",
	} {
		_, _, err := config.Load(place(t, text, ""))
		require.Error(t, err, text)
		require.Contains(t, err.Error(), "\n  > ", text)
		require.NotContains(t, err.Error(), "hunter2", text)
	}
	_, _, err := config.Load(place(t, "[settings.weather]\na = 1\n[log]\nlevel = 'hunter3'\n", ""))
	require.ErrorContains(t, err, "> 4 | level = 'hunter3'", "other sections are shown")
}
