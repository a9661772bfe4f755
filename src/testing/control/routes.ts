import { errors, isJsonObject, parseGoDuration, type JsonObject, type JsonValue } from '../../foundation/index.js';
import type { RequestFilter } from './controlled-server.js';
import type { Call, Route } from './route.js';
import { COMMAND_LIMIT, itemsOf, MANIFESTS_LIMIT, objectOf, reference, success, SUCCESS, text } from './schemas.js';
import { described, notSupported, type ServedServer } from './served-servers.js';
import { simulationRoutes } from './simulation-routes.js';

/** Every command, except that which returns the document of the API itself. */
export const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '',
    operationId: 'getServer',
    summary: 'Returns the addresses and credentials of the server.',
    success: { code: 200, schema: reference('Server') },
    run: ({ served, servers }) => described(served, servers.controlUrl),
  },
  {
    method: 'GET',
    path: '/forks',
    of: 'main',
    operationId: 'listForks',
    summary: 'Lists all forks, and forks of forks, oldest first.',
    success: { code: 200, schema: itemsOf(reference('Server')) },
    run: ({ servers }) => ({ items: servers.forks.map((fork) => described(fork, servers.controlUrl)) }),
  },
  {
    method: 'POST',
    path: '/forks',
    operationId: 'fork',
    summary: 'Creates an independent server with the same state, on a port of its own.',
    success: { code: 201, schema: reference('Server') },
    run: async ({ served, servers }) => described(await servers.add(served), servers.controlUrl),
  },
  {
    method: 'DELETE',
    path: '',
    of: 'fork',
    operationId: 'delete',
    summary: 'Ends a fork and closes its port. Its own forks stay.',
    success,
    run: async ({ served, servers }) => {
      await servers.remove(served.id);
      return SUCCESS;
    },
  },
  {
    method: 'POST',
    path: '/reset',
    operationId: 'reset',
    summary: 'Returns the server to the state it had when it started or was forked, and removes the rules added since.',
    success,
    run: async ({ served }) => {
      await (served.server.reset ?? notSupported('reset'))();
      served.faults.forget();
      served.rules.forget();
      return SUCCESS;
    },
  },
  {
    method: 'GET',
    path: '/clock',
    operationId: 'getClock',
    summary: 'Returns the time of the server.',
    success: { code: 200, schema: reference('Clock') },
    run: ({ served }) => clockOf(served),
  },
  {
    method: 'POST',
    path: '/clock/advance',
    operationId: 'advanceClock',
    summary: 'Advances the time of the server, and answers when the resulting work is done.',
    body: {
      schema: objectOf({ duration: text('A duration, such as 2h, 1m30s or 500ms.') }, ['duration']),
      limit: COMMAND_LIMIT,
    },
    success: { code: 200, schema: reference('Clock') },
    run: async ({ served, body }) => {
      await served.server.advance(durationOf(body));
      return clockOf(served);
    },
  },
  {
    method: 'POST',
    path: '/settled',
    operationId: 'settled',
    summary: 'Answers when no controller of the server has work left.',
    success,
    run: async ({ served }) => {
      await served.server.settled();
      return SUCCESS;
    },
  },
  {
    method: 'POST',
    path: '/load',
    operationId: 'load',
    summary: 'Creates the objects of manifests, definitions of custom resources first.',
    body: {
      schema: text('Manifests: documents in YAML, or a JSON object.'),
      text: true,
      limit: MANIFESTS_LIMIT,
    },
    success: { code: 200, schema: itemsOf({ type: 'object' }) },
    run: async ({ served, text: manifests }) => ({
      items: await (served.server.load ?? notSupported('loading of manifests'))(manifests),
    }),
  },
  {
    method: 'GET',
    path: '/faults',
    operationId: 'listFaults',
    summary: 'Lists the fault rules of the server, with how often each was applied.',
    success: { code: 200, schema: itemsOf(reference('Fault')) },
    run: ({ served }) => {
      faultsOf(served);
      return served.faults.list();
    },
  },
  {
    method: 'POST',
    path: '/faults',
    operationId: 'addFault',
    summary: 'Adds a fault rule, which changes how the server answers matching requests.',
    body: {
      schema: { type: 'object', description: 'The rule: docs/guides/test-server.md#faults.' },
      limit: COMMAND_LIMIT,
    },
    success: { code: 201, schema: reference('Fault') },
    run: ({ served, servers, body }) => served.faults.add(faultsOf(served), body, servers),
  },
  {
    method: 'DELETE',
    path: '/faults',
    operationId: 'clearFaults',
    summary: 'Removes all fault rules of the server.',
    success,
    run: ({ served }) => {
      faultsOf(served).clear();
      served.faults.forget();
      return SUCCESS;
    },
  },
  {
    method: 'DELETE',
    path: '/faults/{fault}',
    operationId: 'removeFault',
    summary: 'Removes a fault rule, and returns how often it was applied.',
    success: { code: 200, schema: reference('Fault') },
    run: ({ served, parameters: { fault: id = '' } }) => {
      faultsOf(served);
      return served.faults.remove(id);
    },
  },
  ...simulationRoutes,
  {
    method: 'GET',
    path: '/requests',
    operationId: 'listRequests',
    summary: 'Lists the requests that the server has answered, oldest first.',
    query: {
      verb: 'Only requests with this verb: get, list, watch, create, update, patch, delete, deletecollection.',
      resource: 'Only requests for this resource, such as pods or deployments.apps.',
      namespace: 'Only requests in this namespace.',
      name: 'Only requests for the object with this name.',
      user: 'Only requests of this user.',
      status: 'Only requests answered with this status code.',
    },
    success: { code: 200, schema: itemsOf({ type: 'object' }) },
    run: ({ served, query }) => {
      const requests = served.server.requests ?? notSupported('request log');
      return { items: requests(filterOf(query)) };
    },
  },
];

function clockOf({ server }: ServedServer): JsonObject {
  return { now: new Date(server.now()).toISOString(), time: server.time };
}

function durationOf(body: JsonValue | undefined): number {
  const duration = isJsonObject(body) ? body['duration'] : undefined;
  if (typeof duration !== 'string')
    throw errors.badRequest('the member duration must be a string such as "2h", "1m30s" or "500ms"');
  const ms = orBadRequest(() => parseGoDuration(duration));
  if (ms < 0) throw errors.badRequest(`the member duration must not be negative, got ${JSON.stringify(duration)}`);
  return ms;
}

function filterOf({ status, ...texts }: Call['query']): RequestFilter {
  if (status === undefined) return texts;
  if (!/^[1-5][0-9]{2}$/.test(status))
    throw errors.badRequest(`the parameter status must be a status code, got ${JSON.stringify(status)}`);
  return { ...texts, status: Number(status) };
}

/** Converts the errors of a parser to a Status. @throws ApiError 400 */
function orBadRequest<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    throw error instanceof Error ? errors.badRequest(error.message, { cause: error }) : error;
  }
}

const faultsOf = ({ server }: Call['served']) => server.faults ?? notSupported('fault rules');
