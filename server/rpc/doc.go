// Package rpc serves a registry to any program that can write lines: JSON-RPC
// 2.0, one message per line, on a reader and a writer. An agent in any language
// lists the tools, calls them and reloads the extensions with it.
//
// Unlike MCP it hands out the whole outcome of a call: status, failure, uses
// and timing, as `run --json` prints them.
//
// Methods:
//
//	listTools                                    {tools: [{name, title, description, risk, effects, owner, parameters}]}
//	callTool {name, arguments, id, timeoutMs, values}   the outcome
//	cancelCall {id}                              {cancelled}: whether the call with that id was running
//	approvalResponse {id, approved, scope, message, arguments, stop}   {}
//	listExtensions                               what `list --json` prints
//	reloadExtensions {names}                     {added, reloaded, removed, failed, text, changes: [{extension, change, version, tools, message}]}
//	enableExtension, disableExtension, unloadExtension {name}   the same
//	listCommands                                 {commands: [{name, extension, description, risk, effects, completes}]}
//	runCommand {name, input, id, timeoutMs}      the outcome, as of callTool
//	completeCommand {name, prefix}               {completions}: what its text may go on with
//	setModel {model}                             {}: what rho.getModel tells extensions from now on
//	version                                      {name, version, protocol}
//
// Notifications to the client: ready at the start, tools/changed {generation}
// when listTools would answer differently, extensions/changed with what
// reloadExtensions gives when files were saved and are watched, tool/progress {callId, message,
// done, total} while a call runs, approval/request {id, callId, tool, title,
// owner, risk, effects, arguments, reason} when a call waits for an answer.
package rpc
