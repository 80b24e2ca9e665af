#!/bin/sh
# Installs the package that the benchmark of saves imports, into a folder.
set -eu
npm install --silent --no-audit --no-fund --prefix "$1" zod@4.1.12
