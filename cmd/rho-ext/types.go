package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/internal/dirs"
	"github.com/rho-ext/rho-ext/internal/scaffold"
	"github.com/rho-ext/rho-ext/jsapi"
)

// typesReport is the document that types prints, and typesText with --stdout.
type (
	typesReport struct {
		Files   []typesFile `json:"files"`
		Current bool        `json:"current"` // all files are right now
	}
	typesFile struct {
		Path  string `json:"path"`
		State string `json:"state"` // written, updated or current; with --check missing, different or current
	}
	typesText struct {
		Name string `json:"name"`
		Text string `json:"text"`
	}
)

func (a *app) typesCommand() *cobra.Command {
	var stdout, check bool
	cmd := &cobra.Command{
		Use:   "types [DIR]",
		Short: "Write the type declarations for editors and tsc, or check them",
		Long: `Write rho-ext.d.ts, the types of the module "rho-ext" and of everything global, as
this version of rho-ext has them. An editor that finds the file completes and checks
an extension; nothing needs to be installed.

It goes into DIR or, without DIR, to each extension of the project and of the
--extensions folders: into the nearest folder with a tsconfig.json or, where there
is none, that of the extension. The tsconfig.json needs

  "compilerOptions": { "target": "ES2023", "lib": ["ES2023"], "types": [],
    "module": "ESNext", "moduleResolution": "Bundler", "strict": true, "noEmit": true },
  "include": ["**/*.ts"]

Exit status: 0 when all files are right, 1 when one could not be written or, with
--check, is missing or different.`,
		Example: `  rho-ext types
  rho-ext types .rho/extensions/weather
  rho-ext types --check
  rho-ext types --stdout`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return usage("types takes one DIR or none, got %d arguments: %q; see rho-ext types --help", len(args), args)
			case len(args) == 1 && args[0] == "":
				return usage("DIR is empty; expected a folder, such as .rho/extensions/weather")
			case stdout && check:
				return usage("--stdout and --check cannot go together: to compare by yourself, use --stdout alone")
			case stdout && len(args) > 0:
				return usage("--stdout writes to no DIR; leave one of them out")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if stdout {
				if a.json {
					return written(a.printJSON(typesText{scaffold.TypesFile, jsapi.Types}))
				}
				return written(a.printText(jsapi.Types))
			}
			return a.types(cmd.Context(), args, check)
		},
	}
	cmd.Flags().BoolVar(&stdout, "stdout", false, "print the declarations, and write nothing")
	cmd.Flags().BoolVar(&check, "check", false, "write nothing, and exit with 1 when a file is missing or different")
	return cmd
}

func (a *app) types(ctx context.Context, args []string, check bool) error {
	folders, err := a.typesFolders(args)
	if err != nil {
		return err
	}
	if len(folders) == 0 && !a.json {
		fmt.Fprintf(a.err, "there is no extension here; %s init NAME begins one, and types DIR writes to a folder\n", a.again())
	}
	report := typesReport{Files: []typesFile{}, Current: true}
	bare := false // a folder that no tsconfig.json covers
	for _, dir := range folders {
		if ctx.Err() != nil {
			return fail(exitInterrupted, "interrupted")
		}
		f, err := updateTypes(dir, check)
		if err != nil {
			return fail(exitFailed, "%s could not be written: %v", filepath.Join(dir, scaffold.TypesFile), err)
		}
		report.Files = append(report.Files, f)
		report.Current = report.Current && f.State != "missing" && f.State != "different"
		_, err = os.Stat(filepath.Join(dir, "tsconfig.json"))
		bare = bare || err != nil
	}
	if a.json {
		err = a.printJSON(report)
	} else {
		for _, f := range report.Files {
			if err = a.printText(fmt.Sprintf("%-9s  %s", f.State, shownPath(f.Path))); err != nil {
				break
			}
		}
	}
	if err != nil {
		return written(err)
	}
	if bare && !check && !a.json {
		fmt.Fprintln(a.err, "where there is no tsconfig.json yet, rho-ext types --help shows what one needs")
	}
	if !report.Current {
		return fail(exitFailed, "not all declarations are those of this version; %s types writes them", a.again())
	}
	return nil
}

// typesFolders are the folders that hold declarations, sorted.
func (a *app) typesFolders(args []string) ([]string, error) {
	if err := a.checkFlags(); err != nil {
		return nil, err
	}
	if len(args) == 1 {
		dir, err := filepath.Abs(args[0])
		if err == nil {
			dir, err = filepath.EvalSymlinks(dir)
		}
		if err != nil {
			return nil, usage("DIR: %v", err)
		}
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			return nil, usage("DIR: %s is not a folder", args[0])
		}
		return []string{dir}, nil
	}
	root, c, err := a.configured()
	if err != nil {
		return nil, err
	}
	sources, failures, err := host.Sources(host.Options{Root: root, UserDir: "-", Dirs: c.Extensions.Dirs, Home: dirs.Home()})
	if err != nil {
		return nil, fail(exitFailed, "%v", err)
	}
	for _, f := range failures {
		a.printFailure(f)
	}
	if len(failures) > 0 && len(sources) == 0 {
		return nil, &exitError{code: exitLoad}
	}
	var folders []string
	for _, s := range sources {
		folders = append(folders, typesFolder(s))
	}
	slices.Sort(folders)
	return slices.Compact(folders), nil
}

// typesFolder is the nearest folder with a tsconfig.json, from the extension's own
// up to the one with extensions; without any it is the extension's own.
func typesFolder(s host.Source) string {
	for dir := s.Dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "tsconfig.json")); err == nil {
			return dir
		}
		if rel, err := filepath.Rel(s.Folder, dir); err != nil || rel == "." || !filepath.IsLocal(rel) {
			return s.Dir
		}
	}
}

// updateTypes brings the declarations of a folder up to date, as a whole or not at
// all; with check it only looks.
func updateTypes(dir string, check bool) (typesFile, error) {
	f := typesFile{Path: filepath.Join(dir, scaffold.TypesFile), State: "current"}
	there, err := readSome(f.Path, 4*len(jsapi.Types))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.State = "missing"
	case err != nil || !bytes.Equal(bytes.ReplaceAll(there, []byte("\r\n"), []byte("\n")), []byte(jsapi.Types)):
		f.State = "different"
	}
	if check || f.State == "current" {
		return f, nil
	}
	f.State = map[string]string{"missing": "written", "different": "updated"}[f.State]
	return f, replaceFile(f.Path, jsapi.Types)
}
