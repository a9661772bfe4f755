import {
  ClusterRole,
  ClusterRoleBinding,
  Pod,
  type ApiServerOptions,
  type Client,
  type InputOf,
} from '../../../src/entries/index.js';
import type { Storage } from '../../../src/entries/storage.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { ask, jsonOf } from '../../server/ask.js';

export type PodInput = InputOf<typeof Pod>;
export type PodSpec = NonNullable<PodInput['spec']>;
export type Switches = NonNullable<ApiServerOptions['admission']>;

/** The answer to a request. */
export interface Answer {
  readonly code: number;
  /** The code and the message of a failure: `403 pods "x" is forbidden: …`. */
  readonly text: string;
  readonly warnings: readonly string[];
  readonly body: { readonly [field: string]: unknown };
}

/** A server with plugins, and users `admin`, who may do everything, and `alice`. */
export class PluginWorld implements AsyncDisposable {
  readonly test: TestServer;

  private constructor(test: TestServer) {
    this.test = test;
  }

  /** @param storage default: one of its own */
  static async start(
    admission: Switches = {},
    options: ApiServerOptions = {},
    storage?: Storage,
  ): Promise<PluginWorld> {
    const { clock: _clock, entropy: _entropy, storage: _storage, simulation: _simulation, ...rest } = options;
    const test = await startTestServer({
      ...rest,
      ...(storage === undefined ? {} : { storage }),
      dialect: 'kubernetes',
      admission: { ...rest.admission, ...admission },
      authentication: {
        ...rest.authentication,
        tokens: [
          { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
          { token: 'alice', user: { username: 'alice', groups: ['dev'] } },
        ],
      },
    });
    return new PluginWorld(test);
  }

  get client(): Client {
    return this.test.client;
  }

  /** Lets alice do something. */
  async grant(rules: InputOf<typeof ClusterRole>['rules']): Promise<void> {
    await this.client.resource(ClusterRole).create({ metadata: { name: 'alice' }, rules });
    await this.client.resource(ClusterRoleBinding).create({
      metadata: { name: 'alice' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'alice' },
      subjects: [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }],
    });
  }

  /** Sends a request as a client over a connection would. */
  async send(method: string, target: string, body?: object, token = 'admin', contentType?: string): Promise<Answer> {
    const response = await ask(this.test.server, method, target, {
      token,
      ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json = jsonOf(response);
    const message = typeof json['message'] === 'string' ? json['message'] : '';
    return {
      code: response.status,
      text: response.status < 300 ? String(response.status) : `${response.status} ${message}`,
      warnings: [response.headers['warning'] ?? []].flat().map((text) => /^299 - "(.*)"$/.exec(text)?.[1] ?? text),
      body: json,
    };
  }

  /** Creates a pod with one container `c`. */
  pod(name: string, spec: Partial<PodSpec> = {}, namespace = 'default', query = ''): Promise<Answer> {
    return this.send('POST', `/api/v1/namespaces/${namespace}/pods${query}`, {
      metadata: { name },
      spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
    });
  }

  async namespace(name: string, labels: Record<string, string> = {}, annotations = {}): Promise<Answer> {
    const answer = await this.send('POST', '/api/v1/namespaces', { metadata: { name, labels, annotations } });
    await this.test.settled();
    return answer;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.test.close();
  }
}
