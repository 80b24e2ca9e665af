// Types for rho-ext extensions: the module "rho-ext" and the globals of the
// sandbox. Needs no library but ES2023 ("lib": ["ES2023"]).

declare module "rho-ext" {
  export type Risk = "read" | "write" | "network" | "destructive";

  /** A schema. At run time it IS a JSON Schema object (JSON.stringify-able). */
  export interface Schema<T = unknown, Optional extends boolean = boolean> {
    readonly "~type"?: T;
    readonly "~optional"?: Optional;
    /** The same schema with a description for the model. */
    describe(text: string): Schema<T, Optional>;
    /** The same schema for a property that may be absent. */
    optional(): Schema<T | undefined, true>;
    /** The same schema for a property that has this value when it is absent. Call it last. */
    default(value: T): Schema<T, true>;
  }
  export type Infer<S> = S extends Schema<infer T, boolean> ? T : never;
  type OptKeys<P> = { [K in keyof P]: P[K] extends Schema<unknown, true> ? (undefined extends Infer<P[K]> ? K : never) : never }[keyof P];
  type Flat<T> = { [K in keyof T]: T[K] } & {};
  export type InferProps<P> = Flat<{ [K in Exclude<keyof P, OptKeys<P>>]: Infer<P[K]> } & { [K in OptKeys<P>]?: Infer<P[K]> }>;
  type S1<T> = Schema<T, false>;

  /** Builds schemas. */
  export const s: {
    string(options?: { minLength?: number; maxLength?: number; pattern?: string; format?: "uri" | "date-time" | "email" }): S1<string>;
    number(options?: { minimum?: number; maximum?: number }): S1<number>;
    integer(options?: { minimum?: number; maximum?: number }): S1<number>;
    boolean(): S1<boolean>;
    enum<const V extends readonly (string | number)[]>(values: V): S1<V[number]>;
    array<T>(items: Schema<T, boolean>, options?: { minItems?: number; maxItems?: number }): S1<T[]>;
    /** An object that has no other properties than these. */
    object<P extends Record<string, Schema>>(props: P): S1<InferProps<P>>;
    record<T>(values: Schema<T, boolean>): S1<Record<string, T>>;
    union<const U extends readonly Schema[]>(of: U): S1<Infer<U[number]>>;
    /** Takes a JSON Schema as it is. */
    json<T = unknown>(schema: object): S1<T>;
  };

  /** rho's shorthand for one parameter. */
  export interface ParamDef {
    type: "string" | "number" | "integer" | "boolean";
    description?: string;
    required?: boolean;
  }
  type TypeOf<K> = K extends "string" ? string : K extends "boolean" ? boolean : number;
  type ShortArgs<P> = Flat<
    { -readonly [K in keyof P as P[K] extends { required: true } ? K : never]: P[K] extends { type: infer K2 } ? TypeOf<K2> : never } &
    { -readonly [K in keyof P as P[K] extends { required: true } ? never : K]?: P[K] extends { type: infer K2 } ? TypeOf<K2> : never }>;
  /** A schema of zod, arktype or another library that follows Standard Schema. */
  export interface StandardSchema<O = unknown> {
    readonly "~standard": { readonly types?: { readonly output: O } | undefined };
  }
  /** A JSON Schema literal: typed loosely; use s.json<T>() for more. */
  export interface JSONSchemaObject {
    type: "object";
    properties?: Record<string, object>;
    required?: readonly string[];
    [key: string]: unknown;
  }

  export type Params = Record<string, Schema> | Record<string, ParamDef> | StandardSchema | JSONSchemaObject;
  export type Args<P> =
    P extends StandardSchema<infer O> ? O :
    P extends JSONSchemaObject ? Record<string, any> :
    P extends Record<string, Schema> ? InferProps<P> :
    P extends Record<string, ParamDef> ? ShortArgs<P> : unknown;

  export type Content =
    | { type: "text"; text: string }
    | { type: "image"; data: string; mimeType: string }
    | { type: "json"; value: unknown };
  /** What execute may return beside a string or any JSON value. */
  export interface Result<D = unknown> {
    content: string | Content[];
    details?: D;
    isError?: boolean;
  }
  export interface ToolErrorOptions {
    /** What to do about it; shown with the message. */
    hint?: string;
    /** For the host, never for the model. */
    details?: unknown;
    kind?: "invalid_args" | "timeout" | "cancelled" | "not_found" | "permission_denied" | "rate_limited" | "provider" | "network" | "other";
    /** Whether the same call may succeed later. */
    retryable?: boolean;
    cause?: unknown;
    code?: string;
  }
  /** An error whose message is meant for the model. */
  export class ToolError extends Error {
    constructor(messageForModel: string, options?: ToolErrorOptions);
    readonly hint?: string;
    readonly details?: unknown;
    readonly kind?: ToolErrorOptions["kind"];
    readonly retryable?: boolean;
    readonly code?: string;
  }

  export interface Log {
    debug(message: string, data?: object): void;
    info(message: string, data?: object): void;
    warn(message: string, data?: object): void;
    error(message: string, data?: object): void;
  }
  /**
   * What an extension keeps in this project, up to 1 MiB of JSON: it survives reloads and restarts, and is shared with
   * every other process that runs the extension here. Of two that set the same key the last one wins; nothing else is
   * lost.
   */
  export interface State {
    get<T = unknown>(key: string): Promise<T | undefined>;
    /** Has been written to disk when the promise resolves. */
    set(key: string, value: unknown): Promise<void>;
    /** Tells whether there was one. */
    delete(key: string): Promise<boolean>;
    /** Sorted. */
    keys(): Promise<string[]>;
  }
  /** What every function of an extension can use: onLoad, dispose and complete this much, the others more. */
  export interface Context {
    readonly projectRoot: string;
    readonly extensionDir: string;
    /** Fires when the call is cancelled or runs into its deadline. */
    readonly signal: AbortSignal;
    /** The values of the settings that the extension declares. Fetched when it is first read; throws where that is refused. */
    readonly config: Readonly<Record<string, string | number | boolean>>;
    readonly log: Log;
    readonly state: State;
  }
  /**
   * What a hook gets beside its event. It acts for that call: what it offers rejects with PermissionDenied (code
   * "no_call") once the call has ended, whoever holds it.
   */
  export interface HookContext extends Context {
    readonly fs: Files;
    /**
     * Runs a program, without a shell: each argument reaches it as it is. A program that fails is an answer, with its
     * exitCode; the promise rejects where it cannot be started, is not allowed, or is aborted.
     */
    exec(command: string, args?: readonly string[], options?: ExecOptions): Promise<ExecResult>;
    /** Calls another tool by its name. That it failed is an answer, with isError. */
    callTool(name: string, args?: object): Promise<CallResult>;
  }
  /** What a command gets beside its text. */
  export interface CommandContext extends HookContext {
    readonly callId: string;
    /** Tells whoever called how far the work is. */
    progress(update: string | { message?: string; done?: number; total?: number }): void;
  }
  /** What a call of a tool gets beside its arguments. */
  export interface ToolContext extends CommandContext {
    readonly toolName: string;
    /** What the caller granted to this call. */
    readonly values: Readonly<Record<string, unknown>>;
  }

  /**
   * Files. Paths are relative to the project root, absolute, or begin with ~/. Errors have a code: ENOENT, EEXIST,
   * EISDIR, ENOTDIR, ENOTEMPTY or EFBIG; what is not granted rejects with PermissionDenied.
   */
  export interface Files {
    /** The text of a file; bytes that are no UTF-8 become U+FFFD. */
    read(path: string): Promise<string>;
    readBytes(path: string): Promise<Uint8Array>;
    /** Replaces a file. Directories that are missing on the way are made. Bytes are copied at once. */
    write(path: string, data: string | Uint8Array | ArrayBuffer): Promise<void>;
    /** Adds to the end of a file, and makes one where there is none. */
    append(path: string, data: string | Uint8Array | ArrayBuffer): Promise<void>;
    /** The entries of a directory, sorted by name. */
    list(path: string): Promise<DirectoryEntry[]>;
    stat(path: string): Promise<FileStat>;
    /** Removes a file or an empty directory. */
    remove(path: string): Promise<void>;
    rename(from: string, to: string): Promise<void>;
    /** Makes a directory, with those that are missing on the way. */
    mkdir(path: string): Promise<void>;
    /** The paths that match a pattern of * ? [] and **, sorted. Too many are an error with the code "too_many". */
    glob(pattern: string): Promise<string[]>;
  }
  export interface DirectoryEntry {
    name: string;
    isDirectory: boolean;
    isSymlink: boolean;
  }
  export interface FileStat {
    /** In bytes. */
    size: number;
    mtime: Date;
    isDirectory: boolean;
  }

  export interface ExecOptions {
    /** Where it runs; the project root where not given. */
    cwd?: string | undefined;
    /** What it reads from its standard input; nothing where not given. */
    input?: string | Uint8Array | ArrayBuffer | undefined;
    /** Ends it after so long; the result then has timedOut. */
    timeoutMs?: number | undefined;
    /** Ends it when it fires; the promise then rejects with the signal's reason. */
    signal?: AbortSignal | undefined;
    /** Gets the output while the program runs, in order; the program waits for it. What it throws rejects the promise. */
    onStdout?: ((text: string) => void | Promise<void>) | undefined;
    onStderr?: ((text: string) => void | Promise<void>) | undefined;
  }
  export interface ExecResult {
    stdout: string;
    stderr: string;
    /** -1 where a signal ended it. */
    exitCode: number;
    /** The signal that ended it. */
    signal?: string;
    timedOut?: true;
    /** A part of stdout or stderr was left out. Where callbacks got it all, the heads are here. */
    truncated?: true;
  }
  export interface CallResult {
    text: string;
    isError: boolean;
    structured?: unknown;
  }

  export interface Tool<P = any, R = any> {
    readonly name: string;
    readonly title?: string;
    readonly description: string;
    readonly risk: Risk;
    readonly parameters?: P;
    execute(args: any, ctx: ToolContext): R;
  }
  export function defineTool<const P extends Params = {}, R = string>(tool: {
    /** 1 to 64 of A-Z a-z 0-9 _ -, starting with a letter. */
    name: string;
    title?: string;
    /** Shown to the model. */
    description: string;
    risk: Risk;
    parameters?: P;
    timeoutMs?: number;
    output?: Schema;
    examples?: readonly { args: Args<P>; note?: string }[];
    execute(args: Args<P>, ctx: ToolContext): R | Promise<R>;
  }): Tool<P, R>;

  /** The most that an extension may ever be granted. */
  export interface Permissions {
    /** Hosts, as in "api.github.com" or "*.example.org:8443". */
    net?: readonly string[];
    /** Files and directories that may be read; without it the project, ["."]. */
    read?: readonly string[];
    /** Files and directories that may be changed, as in "./out". */
    write?: readonly string[];
    /** Programs, as in "git". */
    run?: readonly string[];
    /** Variables, as in "GITHUB_TOKEN". */
    env?: readonly string[];
    /** Tools that ctx.callTool may call. */
    tools?: readonly string[];
    hooks?: readonly ("tool_call" | "tool_result" | "before_model")[];
  }
  type MaybePromise<T> = T | Promise<T>;
  type Nothing = void | undefined | null;

  /** A call that is about to run. Placeholders stand for secrets, and are put back in what the hook returns. */
  export interface ToolCallEvent {
    readonly callId: string;
    readonly toolName: string;
    /** Checked, and complete with defaults. */
    readonly args: Record<string, any>;
    readonly risk: Risk;
  }
  /** A call that has ended, also one that was stopped or has failed, without secrets. */
  export interface ToolResultEvent {
    readonly callId: string;
    readonly toolName: string;
    readonly args: Record<string, any>;
    /** What the model will see. */
    readonly content: Content[];
    readonly details?: unknown;
    readonly isError: boolean;
    /** What happened; no hook changes it. skipped: a hook, the policy or a person stopped the call. */
    readonly status: "success" | "error" | "denied" | "skipped";
    readonly failure?: { kind: NonNullable<ToolErrorOptions["kind"]>; code?: string; message: string };
    readonly durationMs: number;
  }
  export interface Message {
    role: "system" | "user" | "assistant" | (string & {});
    content: string | Content[];
  }
  /** What onToolCall may return: nothing, or one of these. */
  export type ToolCallDecision =
    /** The tool does not run; the model sees the text. */
    | { block: string }
    /** It runs with these arguments, which are checked anew. */
    | { args: Record<string, unknown> }
    /** It does not run; this is its result. */
    | { result: string | Content[] }
    /** It does not run, nor do the others that the model asked for at the same time. */
    | { stop: string };
  /** What onToolResult may return: nothing, or what is to be told instead. */
  export type ToolResultRevision = { content?: string | Content[]; details?: unknown; isError?: boolean; stop?: string };
  /**
   * Functions that see the calls of all tools, in the order of the extensions, each after what the former has made of
   * them. They run where permissions.hooks names the event and the user has granted it. Each has 2 seconds. One that
   * calls tools itself does not hear of those calls.
   */
  export interface Hooks {
    /** Runs in each new runtime before anything else; needs no permission. */
    onLoad?(ctx: Context): MaybePromise<unknown>;
    /** One that throws or is late blocks the call. */
    onToolCall?(event: ToolCallEvent, ctx: HookContext): MaybePromise<ToolCallDecision | Nothing>;
    /** One that throws or is late changes nothing. */
    onToolResult?(event: ToolResultEvent, ctx: HookContext): MaybePromise<ToolResultRevision | Nothing>;
    /** For hosts that have a model: sees what it is about to be sent. */
    onBeforeModel?(event: { readonly messages: readonly Message[] }, ctx: HookContext): MaybePromise<{ messages: Message[] } | Nothing>;
  }
  /** Something that a person starts by its name, with any text behind it. */
  export interface Command {
    name: string;
    description?: string;
    /** What the text may go on with. */
    complete?(prefix: string, ctx: Context): MaybePromise<string[]>;
    run?(args: string, ctx: CommandContext): MaybePromise<unknown>;
    /** What run was called in old files. */
    handler?(args: string, ctx: CommandContext): MaybePromise<unknown>;
  }

  interface SettingBase {
    description?: string;
    /** A variable that gives the value where it is not set. */
    env?: string;
  }
  /** A setting that people give a value to, for ctx.config. */
  export type SettingDef = SettingBase &
    (
      | { type: "string"; default?: string; secret?: false }
      | { type: "string"; secret: true }
      | { type: "number"; default?: number; secret?: false }
      | { type: "boolean"; default?: boolean; secret?: false }
    );
  export interface Extension {
    name: string;
    version?: string;
    description?: string;
    engines?: { rhoExt?: string };
    permissions?: Permissions;
    /** By name: letters, digits, _ and -. */
    settings?: Readonly<Record<string, SettingDef>>;
    tools?: readonly Tool[];
    /** Called before this version ends, when its calls have; it has one second, and may use state, config and log. */
    dispose?(ctx: Context): MaybePromise<unknown>;
    hooks?: Hooks;
    commands?: readonly Command[];
  }
  export function defineExtension(extension: Extension): Extension;
}

/** The global of the seed: synchronous, kept for old files. */
declare const rho: {
  log(level: "trace" | "debug" | "info" | "warn" | "error", message: string): void;
  getCwd(): string;
  getProjectRoot(): string;
  /** The model that the agent uses, or "". */
  getModel(): string;
  /** The text of a file, by its path from the project root. */
  readFile(path: string): string;
  /** Replaces a file. Directories that are missing on the way are made. */
  writeFile(path: string, content: string): void;
  /** Runs a program in the project root, without a shell. */
  runCommand(command: string, args?: readonly string[]): { stdout: string; stderr: string; exitCode: number };
  /** The names of headers are in lower case. A body of more than max_bytes is an error. */
  fetchUrl(request: {
    url: string;
    method?: string | undefined;
    headers?: Record<string, string> | undefined;
    body?: string | undefined;
    max_bytes?: number | undefined;
  }): { status: number; headers: Record<string, string>; body: string };
};

/** Only this much of Node's process is here. */
declare var process: {
  /** The variables that were granted. What is assigned stays in the extension, as text. */
  env: Record<string, string | undefined>;
};

declare var self: typeof globalThis;

interface Console {
  log(...data: any[]): void;
  debug(...data: any[]): void;
  info(...data: any[]): void;
  warn(...data: any[]): void;
  error(...data: any[]): void;
  trace(...data: any[]): void;
  assert(condition?: boolean, ...data: any[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
  dir(value?: any): void;
  table(data?: any, columns?: readonly string[]): void;
  time(label?: string): void;
  timeLog(label?: string, ...data: any[]): void;
  timeEnd(label?: string): void;
  group(...data: any[]): void;
  groupCollapsed(...data: any[]): void;
  groupEnd(): void;
  clear(): void;
}
declare var console: Console;

declare function setTimeout<A extends any[]>(callback: (...args: A) => void, delay?: number, ...args: A): number;
declare function setTimeout(callback: (_: void) => void, delay?: number): number;
declare function setInterval<A extends any[]>(callback: (...args: A) => void, delay?: number, ...args: A): number;
declare function setInterval(callback: (_: void) => void, delay?: number): number;
declare function clearTimeout(id: number | undefined): void;
declare function clearInterval(id: number | undefined): void;
declare function queueMicrotask(callback: () => void): void;

declare function atob(data: string): string;
declare function btoa(data: string): string;

interface StructuredSerializeOptions {
  transfer?: readonly ArrayBuffer[];
}
declare function structuredClone<T = any>(value: T, options?: StructuredSerializeOptions): T;

interface Performance {
  now(): number;
  readonly timeOrigin: number;
  toJSON(): { timeOrigin: number };
}
declare var performance: Performance;

interface DOMException extends Error {
  readonly name: string;
  readonly message: string;
  readonly code: number;
}
declare var DOMException: {
  new (message?: string, nameOrOptions?: string | { name?: string; cause?: unknown }): DOMException;
  readonly prototype: DOMException;
};

interface EventInit {
  bubbles?: boolean;
  cancelable?: boolean;
  composed?: boolean;
}
interface Event {
  readonly type: string;
  readonly target: EventTarget | null;
  readonly srcElement: EventTarget | null;
  readonly currentTarget: EventTarget | null;
  composedPath(): EventTarget[];
  readonly eventPhase: number;
  stopPropagation(): void;
  cancelBubble: boolean;
  stopImmediatePropagation(): void;
  readonly bubbles: boolean;
  readonly cancelable: boolean;
  returnValue: boolean;
  preventDefault(): void;
  readonly defaultPrevented: boolean;
  readonly composed: boolean;
  readonly isTrusted: boolean;
  readonly timeStamp: number;
}
declare var Event: {
  new (type: string, init?: EventInit): Event;
  readonly prototype: Event;
  readonly NONE: 0;
  readonly CAPTURING_PHASE: 1;
  readonly AT_TARGET: 2;
  readonly BUBBLING_PHASE: 3;
};
interface CustomEvent<T = any> extends Event {
  readonly detail: T;
}
declare var CustomEvent: {
  new <T>(type: string, init?: EventInit & { detail?: T }): CustomEvent<T>;
  readonly prototype: CustomEvent;
};

type EventListenerOrObject = ((event: any) => void) | { handleEvent(event: any): void };
interface AddEventListenerOptions {
  capture?: boolean;
  once?: boolean;
  passive?: boolean;
  signal?: AbortSignal;
}
interface EventTarget {
  addEventListener(type: string, listener: EventListenerOrObject | null, options?: boolean | AddEventListenerOptions): void;
  removeEventListener(type: string, listener: EventListenerOrObject | null, options?: boolean | { capture?: boolean }): void;
  dispatchEvent(event: Event): boolean;
}
declare var EventTarget: {
  new (): EventTarget;
  readonly prototype: EventTarget;
};

interface AbortSignal extends EventTarget {
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((this: AbortSignal, event: Event) => any) | null;
  throwIfAborted(): void;
}
declare var AbortSignal: {
  readonly prototype: AbortSignal;
  abort(reason?: any): AbortSignal;
  timeout(milliseconds: number): AbortSignal;
  any(signals: Iterable<AbortSignal>): AbortSignal;
};
interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: any): void;
}
declare var AbortController: {
  new (): AbortController;
  readonly prototype: AbortController;
};

type BufferSource = ArrayBuffer | ArrayBufferView;
interface TextEncoder {
  readonly encoding: string;
  encode(input?: string): Uint8Array;
  encodeInto(source: string, destination: Uint8Array): { read: number; written: number };
}
declare var TextEncoder: {
  new (): TextEncoder;
  readonly prototype: TextEncoder;
};
interface TextDecoder {
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(input?: BufferSource, options?: { stream?: boolean }): string;
}
declare var TextDecoder: {
  new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder;
  readonly prototype: TextDecoder;
};

interface URL {
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  readonly searchParams: URLSearchParams;
  hash: string;
  toJSON(): string;
  toString(): string;
}
declare var URL: {
  new (url: string | URL, base?: string | URL): URL;
  readonly prototype: URL;
  canParse(url: string | URL, base?: string | URL): boolean;
  parse(url: string | URL, base?: string | URL): URL | null;
};
interface URLSearchParams extends Iterable<[string, string]> {
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  toString(): string;
  forEach(callback: (value: string, name: string, params: URLSearchParams) => void, thisArg?: any): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
}
declare var URLSearchParams: {
  new (init?: string | Record<string, string> | Iterable<readonly [string, string]> | URLSearchParams): URLSearchParams;
  readonly prototype: URLSearchParams;
};

type HeadersInit = Headers | Record<string, string> | Iterable<readonly [string, string]>;
interface Headers extends Iterable<[string, string]> {
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  getSetCookie(): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  forEach(callback: (value: string, name: string, headers: Headers) => void, thisArg?: any): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
}
declare var Headers: {
  new (init?: HeadersInit): Headers;
  readonly prototype: Headers;
};

type BodyInit = string | BufferSource | URLSearchParams;
/** There is no body stream, blob() or formData(). */
interface Body {
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array>;
  json(): Promise<any>;
  text(): Promise<string>;
}
interface RequestInit {
  method?: string;
  headers?: HeadersInit;
  body?: BodyInit | null;
  redirect?: "follow" | "error" | "manual";
  signal?: AbortSignal | null;
}
interface Request extends Body {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly redirect: "follow" | "error" | "manual";
  readonly signal: AbortSignal;
  clone(): Request;
}
declare var Request: {
  new (input: string | URL | Request, init?: RequestInit): Request;
  readonly prototype: Request;
};
interface ResponseInit {
  status?: number;
  statusText?: string;
  headers?: HeadersInit;
}
interface Response extends Body {
  readonly type: "default" | "basic" | "error";
  readonly url: string;
  readonly redirected: boolean;
  readonly status: number;
  readonly ok: boolean;
  readonly statusText: string;
  readonly headers: Headers;
  clone(): Response;
}
declare var Response: {
  new (body?: BodyInit | null, init?: ResponseInit): Response;
  readonly prototype: Response;
  error(): Response;
  json(data: any, init?: ResponseInit): Response;
  redirect(url: string | URL, status?: number): Response;
};
declare function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
