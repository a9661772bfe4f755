import {
  ApiError,
  ApiServer,
  kubernetes,
  type ApiServerOptions,
  type Client,
  type InputOf,
} from '../../../src/entries/index.js';
import { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '../../../src/entries/kinds.js';
import { answerTo, type Answer, type Asked } from '../../server/ask.js';

export type PolicySpec = NonNullable<InputOf<typeof ValidatingAdmissionPolicy>['spec']>;
export type BindingSpec = NonNullable<InputOf<typeof ValidatingAdmissionPolicyBinding>['spec']>;
export type Rule = NonNullable<NonNullable<PolicySpec['matchConstraints']>['resourceRules']>[number];

/** A rule for all operations on a resource of the core group. */
export const rule = (resource: string, more: Partial<Rule> = {}): Rule => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['*'],
  resources: [resource],
  ...more,
});

/** A server for policies. */
export class PolicyWorld implements AsyncDisposable {
  readonly server: ApiServer;
  readonly client: Client;

  constructor(options: ApiServerOptions = {}) {
    this.server = new ApiServer({
      dialect: kubernetes,
      ...options,
      authentication: {
        tokens: [
          { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
          { token: 'alice', user: { username: 'alice', groups: ['dev'], extra: { team: ['red'] } } },
        ],
        ...options.authentication,
      },
    });
    this.client = this.server.client();
  }

  /** Stores a policy that matches all operations on ConfigMaps, and a binding that denies. */
  async policy(name: string, spec: PolicySpec, binding: Partial<BindingSpec> = {}): Promise<void> {
    const matchConstraints = { resourceRules: [rule('configmaps')] };
    await this.client
      .resource(ValidatingAdmissionPolicy)
      .create({ metadata: { name }, spec: { matchConstraints, ...spec } });
    await this.bind(name, name, binding);
  }

  /** Stores a binding. */
  async bind(name: string, policyName: string, spec: Partial<BindingSpec> = {}): Promise<void> {
    await this.client
      .resource(ValidatingAdmissionPolicyBinding)
      .create({ metadata: { name }, spec: { policyName, validationActions: ['Deny'], ...spec } });
  }

  /** Sends a request. */
  send(method: string, target: string, body?: object, asked: Asked = {}): Promise<Answer> {
    return answerTo(this.server, method, target, body, asked);
  }

  /** Creates a ConfigMap by a dry run. */
  configMap(data: Readonly<Record<string, string>> = {}, metadata: object = {}, asked: Asked = {}): Promise<Answer> {
    const body = { metadata: { name: 'made', ...metadata }, data };
    return this.send('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', body, asked);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.server.close();
  }
}

/** The message of an ApiError that a promise rejects with. */
export async function refusal(request: Promise<unknown>): Promise<string> {
  try {
    await request;
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'allowed';
}
