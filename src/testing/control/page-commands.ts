import { isJsonObject, jsonText, parsedJson, type JsonObject, type JsonValue } from '../../foundation/index.js';
import type { ApiRequest, ApiResponse, Handler } from '../../server/index.js';
import type { TestCommands } from '../../ui/index.js';

/**
 * Members of answers that are credentials, or may have some: the bodies of the journal. Whoever may give commands need not
 * be the owner of the server.
 */
const CREDENTIALS: ReadonlySet<string> = new Set(['token', 'kubeconfig', 'body', 'answer']);

/**
 * Returns the commands of one server for its page, which has authorized them: those of the control API, without the
 * credentials in its answers.
 *
 * @param commands the commands of all servers
 * @param id of a fork; empty for the server that the program started
 */
export function pageCommands(commands: Handler, id: string): TestCommands {
  const prefix = id === '' ? '' : `/forks/${id}`;
  return async (request, path) => withoutCredentials(await commands(new PathRequest(request, prefix + path)));
}

/** A request for another path. */
class PathRequest implements ApiRequest {
  readonly #inner: ApiRequest;
  readonly path: string;

  constructor(inner: ApiRequest, path: string) {
    this.#inner = inner;
    this.path = path;
  }

  get method(): string {
    return this.#inner.method;
  }

  get query(): string {
    return this.#inner.query;
  }

  get headers(): ApiRequest['headers'] {
    return this.#inner.headers;
  }

  get peer(): ApiRequest['peer'] {
    return this.#inner.peer;
  }

  get signal(): AbortSignal {
    return this.#inner.signal;
  }

  get body(): ApiRequest['body'] {
    return (limit, onChunk) => this.#inner.body(limit, onChunk);
  }
}

function withoutCredentials(response: ApiResponse): ApiResponse {
  const value = typeof response.body === 'string' ? parsedJson(response.body) : undefined;
  return isJsonObject(value) ? { ...response, body: `${jsonText(shown(value))}\n` } : response;
}

/** Returns an answer, or a list of them, without credentials. */
function shown(value: JsonObject): JsonObject {
  const { items } = value;
  const kept: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(value))
    if (member !== undefined && !CREDENTIALS.has(name)) kept[name] = member;
  if (Array.isArray(items)) kept['items'] = items.map((item: JsonValue) => (isJsonObject(item) ? shown(item) : item));
  return kept;
}
