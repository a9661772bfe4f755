import { isJsonObject, jsonText, parsedJson, type JsonObject, type JsonValue } from '../../foundation/index.js';
import { ChangedRequest, type ApiResponse, type Handler } from '../../server/index.js';
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
  return async (request, path) =>
    withoutCredentials(await commands(new ChangedRequest(request, { path: prefix + path })));
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
