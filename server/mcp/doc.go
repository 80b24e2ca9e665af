// Package mcp serves a registry to clients of the Model Context Protocol, on
// the official Go SDK. Each tool of the registry is a tool of the server, each
// call goes through the door, and a change of the registry becomes a
// tools/list_changed notification.
//
// It is thin on purpose: the protocol is the SDK's, the answer is the door's,
// and what lies between is here: how a tool and an outcome look in MCP.
package mcp
