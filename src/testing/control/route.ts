import type { JsonObject, JsonValue } from '../../foundation/index.js';
import type { ControlledServers, ServedServer } from './served-servers.js';

/** A command of the control API: one method of one path. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /**
   * Path below a server: `''` for the server itself. Every path exists twice: at the root for the server that the
   * program started, and below `/forks/{id}` for a fork. `{name}` is a parameter.
   */
  readonly path: string;
  /** Which servers have the command; default all. */
  readonly of?: 'main' | 'fork' | undefined;
  /** Name of the command for generated clients. */
  readonly operationId: string;
  /** A description of the command, as one sentence. */
  readonly summary: string;
  /** The request's body; absent when it has none. */
  readonly body?: RouteBody | undefined;
  /** The query parameters, with their descriptions. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** The status code of the success, and the schema of its body. */
  readonly success: { readonly code: number; readonly schema: JsonObject };
  /** Runs the command. @returns the body of the answer, as JSON */
  run(call: Call): Promise<object> | object;
}

/** The body of a request. */
export interface RouteBody {
  readonly schema: JsonObject;
  /** Whether the body is a text for the command to parse: YAML or JSON. Otherwise it must be JSON. */
  readonly text?: boolean | undefined;
  /** Maximum size, in bytes. */
  readonly limit: number;
}

/** A call of a command. */
export interface Call {
  /** The server that the command concerns. */
  readonly served: ServedServer;
  readonly servers: ControlledServers;
  /** Values of the parameters in the path. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The body as JSON; undefined without one, and for a text. */
  readonly body: JsonValue | undefined;
  /** The body of a command that parses it; otherwise empty. */
  readonly text: string;
}
