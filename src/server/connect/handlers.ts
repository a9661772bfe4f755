/**
 * The handlers that answer where Kubernetes asks the node of a pod: logs, commands, forwarded ports and proxies. They
 * are the owner's code: what they throw ends only their request.
 *
 * @module
 */
import type { UserInfo } from '../../foundation/index.js';
import type { Node, Pod, Service } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';

/** The facts that a handler knows about its request. */
export interface ConnectRequest {
  readonly user: UserInfo;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
}

/** The options of `pods/log`, checked. */
export interface PodLogOptions {
  /** Name of the container: the one of the request, or the only one of the pod. */
  readonly container: string;
  /** Whether the client waits for further lines. */
  readonly follow: boolean;
  /** Whether the client wants the log of the container's previous run. */
  readonly previous: boolean;
  /** Whether each line begins with its time. */
  readonly timestamps: boolean;
  /** Only lines of the last seconds, at least 1. */
  readonly sinceSeconds: number | undefined;
  /** Only lines since this time, RFC 3339. Excludes {@link PodLogOptions.sinceSeconds}. */
  readonly sinceTime: string | undefined;
  /** Only this number of lines, the last ones. */
  readonly tailLines: number | undefined;
  /** Only this number of bytes, at least 1; the last line may be incomplete. */
  readonly limitBytes: number | undefined;
  /** Whether the certificate of the node needs no verification. */
  readonly insecureSkipTLSVerifyBackend: boolean;
}

/** A line of a log with its time. The server applies the options that depend on times to it. */
export interface LogLine {
  /** RFC 3339, or milliseconds since the epoch. */
  readonly time: string | number;
  /** The line, without its line break. */
  readonly text: string;
}

/**
 * A log: a string or bytes, or its parts as they become available. Strings and bytes are sent as they are; a {@link LogLine} is one
 * line. The stream of a client that follows ends with the source.
 */
export type LogSource =
  string | Uint8Array | Iterable<string | Uint8Array | LogLine> | AsyncIterable<string | Uint8Array | LogLine>;

/** Writes to a stream of a client. Resolves when the client can take more. */
export interface OutputStream {
  write(chunk: string | Uint8Array): Promise<void>;
}

/** Size of a terminal, in characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** The streams of a client that is attached to a container. */
export interface AttachSession extends ConnectRequest {
  readonly container: string;
  /** Whether the client has a terminal: `stderr` is then not sent. */
  readonly tty: boolean;
  /** The data that the client sends; undefined when it sends nothing. */
  readonly stdin: AsyncIterable<Uint8Array> | undefined;
  /** Undefined when the client does not want it. */
  readonly stdout: OutputStream | undefined;
  /** Undefined when the client does not want it, or has a terminal. */
  readonly stderr: OutputStream | undefined;
  /** Sizes of the client's terminal: the first at the start, then one for each change. */
  readonly resizes: AsyncIterable<TerminalSize>;
}

/** The streams of a client that runs a command in a container. */
export interface ExecSession extends AttachSession {
  readonly command: readonly string[];
}

/** A connection to a port of a pod. */
export interface PortConnection extends ConnectRequest, OutputStream {
  readonly port: number;
  /** The data that the client sends. */
  readonly data: AsyncIterable<Uint8Array>;
}

/** A request to a proxy. */
export interface ProxyRequest extends ConnectRequest {
  readonly method: string;
  /** Path after `proxy`; begins with a slash. */
  readonly path: string;
  /** Query as sent, without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Scheme and port of the name in the path, `http:web:8080`; undefined when it has none. */
  readonly scheme: string | undefined;
  readonly port: string | undefined;
  /** Reads the body. */
  body(): Promise<Uint8Array>;
}

/** The answer of a proxy. */
export interface ProxyAnswer {
  /** Default 200. */
  readonly status?: number | undefined;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
}

/** The handlers that answer for pods. The pods are shared and must not be changed. */
export interface PodHandlers {
  /** Returns the log of a container. */
  readonly log?:
    | ((pod: ObjectOf<typeof Pod>, options: PodLogOptions & ConnectRequest) => LogSource | Promise<LogSource>)
    | undefined;
  /** Runs a command in a container. Returns its exit code; default 0. */
  readonly exec?:
    ((pod: ObjectOf<typeof Pod>, session: ExecSession) => number | void | Promise<number | void>) | undefined;
  /** Attaches a client to the process of a container. Returns its exit code; default 0. */
  readonly attach?:
    ((pod: ObjectOf<typeof Pod>, session: AttachSession) => number | void | Promise<number | void>) | undefined;
  /** Serves a connection to a port of a pod. The connection ends when it resolves. */
  readonly portForward?: ((pod: ObjectOf<typeof Pod>, connection: PortConnection) => void | Promise<void>) | undefined;
  /** Answers a request to a pod. */
  readonly proxy?:
    ((pod: ObjectOf<typeof Pod>, request: ProxyRequest) => ProxyAnswer | Promise<ProxyAnswer>) | undefined;
}

/** The handlers that answer for services. */
export interface ServiceHandlers {
  /** Answers a request to a service. */
  readonly proxy?:
    ((service: ObjectOf<typeof Service>, request: ProxyRequest) => ProxyAnswer | Promise<ProxyAnswer>) | undefined;
}

/** The handlers that answer for nodes. */
export interface NodeHandlers {
  /** Answers a request to a node. */
  readonly proxy?:
    ((node: ObjectOf<typeof Node>, request: ProxyRequest) => ProxyAnswer | Promise<ProxyAnswer>) | undefined;
}

/** The handlers of a server, by the kind that they answer for. */
export interface ConnectHandlers {
  /** Logs, commands, ports and proxies of pods. */
  readonly pods?: PodHandlers | undefined;
  /** Proxies of services. */
  readonly services?: ServiceHandlers | undefined;
  /** Proxies of nodes. */
  readonly nodes?: NodeHandlers | undefined;
}
