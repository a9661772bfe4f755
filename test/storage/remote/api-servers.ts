import { ApiServer, type ApiServerOptions } from '../../../src/entries/index.js';
import { controllerNames } from '../../../src/entries/controllers.js';
import type { Storage } from '../../../src/storage/storage.js';
import { textOf, ask, jsonOf } from '../../server/ask.js';

export const MAPS = '/api/v1/namespaces/default/configmaps';
export const adminToken = { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } };

/** A server on a store, without its controllers and other background work. */
export function apiServer(storage: Storage, options: Partial<ApiServerOptions> = {}): ApiServer {
  return new ApiServer({
    dialect: 'kubernetes',
    storage,
    ...options,
    controllers: { disable: controllerNames, ...options.controllers },
    authentication: {
      tokens: [adminToken, { token: 'alice', user: { username: 'alice', groups: ['dev'] } }],
      ...options.authentication,
    },
  });
}

/** The JSON of an answer with the expected status. */
export async function asked(
  server: ApiServer,
  method: string,
  path: string,
  status: number,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await ask(server, method, path, body === undefined ? {} : { body: JSON.stringify(body) });
  if (response.status !== status)
    throw new Error(`${method} ${path}: ${response.status} instead of ${status}: ${textOf(response)}`);
  return { ...jsonOf(response) };
}

export const configMap = (name: string, data: Record<string, string> = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});
