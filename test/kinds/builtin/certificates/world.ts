import type { ApiServerOptions } from '../../../../src/apiserver/options/api-server-options.js';
import { controllerNames } from '../../../../src/entries/controllers.js';
import { startTestServer } from '../../../../src/entries/testing.js';
import { ask, jsonOf, type Asked } from '../../../server/ask.js';
import { base64, requestPem } from '../../../support/certificates.js';

export const GROUP = 'certificates.orch.io';
export const REQUESTS = `/apis/${GROUP}/v1/certificatesigningrequests`;
export const BUNDLES = `/apis/${GROUP}/v1alpha1/clustertrustbundles`;
export const SIGNER = 'example.com/shop';

/** A valid spec. */
export const goodSpec = {
  request: base64(await requestPem()),
  signerName: SIGNER,
  usages: ['digital signature', 'client auth'],
};

export interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

/** A condition that is True. */
export const condition = (type: string, more: Condition = {}): Condition => ({ type, status: 'True', ...more });

interface Answered {
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string; readonly resourceVersion: string };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: { readonly conditions?: readonly Condition[]; readonly certificate?: string };
}

/** The outcome of a request: the object, or the code, message and causes of the error. */
export class Outcome {
  constructor(
    readonly code: number,
    readonly body: Readonly<Record<string, unknown>>,
    readonly warnings: readonly string[],
  ) {}

  /** The object. @throws Error with the refusal */
  get object(): Answered {
    if (this.code >= 300) throw new Error(`${this.code} ${String(this.body['message'])}`);
    return this.body as unknown as Answered;
  }

  /** `201`, or `422 field: message` for every cause, or the code and the message. */
  get text(): string {
    const { causes = [] } = (this.body['details'] ?? {}) as { causes?: readonly { field: string; message: string }[] };
    if (this.code === 422 && causes.length > 0)
      return `422 ${causes.map(({ field, message }) => `${field}: ${message}`).join('; ')}`;
    return this.code < 300 ? String(this.code) : `${this.code} ${String(this.body['message'])}`;
  }
}

/** A server without controllers, and requests to it. */
export async function world(options: Omit<ApiServerOptions, 'clock'> = {}) {
  const { server, clock, close } = await startTestServer({
    controllers: { disable: controllerNames },
    featureGates: { ClusterTrustBundle: true },
    runtimeConfig: `${GROUP}/v1alpha1=true`,
    authentication: {
      tokens: ['alice', 'bob']
        .map((name) => ({ token: name, user: { username: name, groups: ['dev'] } }))
        .concat({ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }),
    },
    ...options,
  });
  const send = async (
    method: string,
    target: string,
    body?: object,
    asked: Asked & { readonly type?: string } = {},
  ): Promise<Outcome> => {
    const { type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json', ...rest } = asked;
    const answer = await ask(server, method, target, {
      ...rest,
      headers: { 'content-type': type, ...rest.headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return new Outcome(answer.status, jsonOf(answer), [answer.headers['warning'] ?? []].flat());
  };
  return {
    server,
    clock,
    send,
    /** Posts a request; undefined fields of the spec are omitted. */
    post: (name: string, spec: object = {}, asked: Asked = {}) =>
      send('POST', REQUESTS, { metadata: { name }, spec: { ...goodSpec, ...spec } }, asked),
    get: (name: string) => send('GET', `${REQUESTS}/${name}`),
    /** Merges into the fields that a subresource writes; an empty name means the main resource. */
    merge: (name: string, subresource: '' | 'approval' | 'status', patch: object, asked: Asked = {}) =>
      send('PATCH', `${REQUESTS}/${name}${subresource === '' ? '' : `/${subresource}`}`, patch, asked),
    conditions: (
      name: string,
      subresource: 'approval' | 'status',
      conditions: readonly Condition[],
      asked: Asked = {},
    ) => send('PATCH', `${REQUESTS}/${name}/${subresource}`, { status: { conditions } }, asked),
    certificate: (name: string, pem: string, asked: Asked = {}) =>
      send('PATCH', `${REQUESTS}/${name}/status`, { status: { certificate: base64(pem) } }, asked),
    /** Grants users rights through a separate cluster role. */
    grant: async (name: string, users: readonly string[], rules: readonly object[]) => {
      const rbac = '/apis/rbac.authorization.orch.io/v1';
      await send('POST', `${rbac}/clusterroles`, { metadata: { name }, rules });
      const roleRef = { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name };
      const { code } = await send('POST', `${rbac}/clusterrolebindings`, {
        metadata: { name },
        roleRef,
        subjects: users.map((user) => ({ kind: 'User', apiGroup: roleRef.apiGroup, name: user })),
      });
      if (code !== 201) throw new Error(`${name} is not bound: ${code}`);
    },
    [Symbol.asyncDispose]: close,
  };
}

export type World = Awaited<ReturnType<typeof world>>;
