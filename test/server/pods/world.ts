import { startTestServer, type TestServer, type TestServerOptions } from '../../../src/entries/testing.js';
import { controllersOfTests } from '../../../src/apiserver/controllers/controller-table.js';
import { ask, jsonOf } from '../ask.js';

/** Token of a user with all permissions. */
export const OWNER = 'owner-of-the-pod-tests';

/** A server without the controllers of workloads, which would change pods and budgets. */
export const startWorld = (options: TestServerOptions = {}): Promise<TestServer> =>
  startTestServer({
    dialect: 'kubernetes',
    ...options,
    authentication: { ownerToken: OWNER, ...options.authentication },
    controllers: { disable: controllersOfTests, ...options.controllers },
  });

/** A pod with one container. */
export const podOf = (
  name: string,
  more: { readonly labels?: Record<string, string>; readonly spec?: object } = {},
) => ({
  metadata: { name, namespace: 'default', labels: more.labels ?? {} },
  spec: { containers: [{ name: 'main', image: 'i' }], ...more.spec },
});

/** Status and body of an answer. */
export interface Answer {
  readonly code: number;
  readonly retryAfter: string | undefined;
  readonly body: { readonly [field: string]: unknown };
}

/** Posts to a path below the namespace `default`. */
export async function post(test: TestServer, path: string, body: object): Promise<Answer> {
  const response = await ask(test.server, 'POST', `/api/v1/namespaces/default/${path}`, {
    token: OWNER,
    body: JSON.stringify(body),
  });
  const retryAfter = response.headers['retry-after'];
  return {
    code: response.status,
    retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
    body: jsonOf(response),
  };
}
