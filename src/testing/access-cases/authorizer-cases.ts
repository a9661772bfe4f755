/**
 * The requirements on every authorizer, as a list of cases for any test framework.
 *
 * @module
 */
import { deepFrozen, definedOnly } from '../../foundation/index.js';
import { rulesOf, type Attributes, type Authorizer, type Decision, type ResourceRule } from '../../security/index.js';
import { check, equal } from '../assert.js';
import type { ContractCase } from '../storage-contract/index.js';
import { attempted, boundCases, type SuiteCase, type SuiteOptions } from './suite.js';

/** The attributes of a request that are strings. */
export type AttributeName = 'verb' | 'namespace' | 'apiGroup' | 'resource' | 'subresource' | 'name' | 'path';

/** A request for an authorizer. */
export type AccessRequest = {
  readonly [Name in Exclude<keyof Attributes, 'user'>]?: Attributes[Name] | undefined;
} & {
  /** User name, or a user; a name alone has no groups. */
  readonly user: string | Attributes['user'];
};

/** A request that must be allowed. */
export interface AllowedRequest extends AccessRequest {
  /**
   * Attributes, or the user, that the permission depends on: with another value the request must not be allowed. The more
   * are named, the more is tested.
   */
  readonly dependsOn?: readonly (AttributeName | 'user')[] | undefined;
}

/** Options of {@link authorizerCases}. */
export interface AuthorizerCasesOptions extends SuiteOptions {
  /** Creates the authorizer. Called once for each case. */
  create(): Authorizer | Promise<Authorizer>;
  /** Requests that must be allowed; at least one. */
  readonly allowed: readonly AllowedRequest[];
  /** Requests that must not be allowed: the decision is Deny or NoOpinion. At least one. */
  readonly refused: readonly AccessRequest[];
}

interface Context extends AuthorizerCasesOptions {
  readonly authorize: Authorizer;
}

/** Creates the attributes that an authorizer gets. A request with a path is a non-resource request. */
export function accessAttributes({ user, ...attributes }: AccessRequest): Attributes {
  const isResource = attributes.isResource ?? attributes.path === undefined;
  return {
    ...{ verb: 'get', namespace: '', apiGroup: '', apiVersion: isResource ? 'v1' : '', isResource },
    ...{ resource: isResource ? 'pods' : '', subresource: '', name: '', path: '' },
    ...definedOnly(attributes),
    user: typeof user === 'string' ? { username: user, groups: [] } : user,
  };
}

const titleOf = ({ user, verb, namespace, resource, subresource, name, path }: Attributes): string =>
  [user.username, verb, path, namespace, resource, subresource, name].filter((text) => text !== '').join(' ');

const ask = (context: Context, attributes: Attributes): Promise<Decision> =>
  attempted(titleOf(attributes), () => context.authorize(attributes));

const attributesOf = ({ dependsOn: _, ...request }: AllowedRequest): Attributes => accessAttributes(request);

/** Returns the requests with another value of an attribute that the permission depends on. */
function foreign(request: AllowedRequest): Attributes[] {
  const attributes = attributesOf(request);
  return (request.dependsOn ?? []).flatMap((name): Attributes[] => {
    if (name === 'user') {
      const { username } = attributes.user;
      return [`${username}x`, username.slice(0, -1), username.toUpperCase(), '']
        .filter((other) => other !== username)
        .map((other) => ({ ...attributes, user: { username: other, groups: [] } }));
    }
    const value = attributes[name];
    return [`${value}x`, `x${value}`, value.slice(0, -1), value.toUpperCase()]
      .filter((other) => other !== value)
      .map((other) => ({ ...attributes, [name]: other }));
  });
}

/** Texts that every JavaScript object has as members. */
const INHERITED = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

const cases: readonly SuiteCase<Context>[] = [
  {
    name: 'allows what must be allowed',
    async body(context) {
      for (const attributes of context.allowed.map(attributesOf))
        equal((await ask(context, attributes)).decision, 'Allow', titleOf(attributes));
    },
  },
  {
    name: 'does not allow what must be refused',
    async body(context) {
      for (const attributes of context.refused.map(accessAttributes))
        check((await ask(context, attributes)).decision !== 'Allow', `${titleOf(attributes)}: refused`);
    },
  },
  {
    name: 'does not allow a request that differs from an allowed one in what the permission depends on',
    async body(context) {
      for (const attributes of context.allowed.flatMap(foreign))
        check((await ask(context, attributes)).decision !== 'Allow', `${titleOf(attributes)}: refused`);
    },
  },
  {
    name: 'returns a decision with a reason that is a string, and with an Error if any',
    async body(context) {
      for (const attributes of [...context.allowed.map(attributesOf), ...context.refused.map(accessAttributes)]) {
        const { decision, reason, error } = await ask(context, attributes);
        check(['Allow', 'Deny', 'NoOpinion'].includes(decision), `${titleOf(attributes)}: decision ${decision}`);
        equal(typeof reason, 'string', `${titleOf(attributes)}: type of the reason`);
        check(error === undefined || error instanceof Error, `${titleOf(attributes)}: an Error`);
      }
    },
  },
  {
    name: 'does not throw for requests of any form',
    async body(context) {
      const [first] = context.allowed.map(attributesOf);
      const texts = ['', '*', '/', '../..', ...INHERITED, '\u0000', 'ü', 'a'.repeat(10_000)];
      for (const text of texts)
        for (const name of ['verb', 'namespace', 'apiGroup', 'resource', 'subresource', 'name', 'path'] as const)
          if (first !== undefined) await ask(context, { ...first, [name]: text });
      for (const username of texts)
        await ask(context, accessAttributes({ user: { username, groups: [username] }, path: '/unknown' }));
    },
  },
  {
    name: 'does not allow users and groups with the names of inherited members',
    async body(context) {
      for (const attributes of context.refused.map(accessAttributes))
        for (const username of INHERITED) {
          const user = { username, groups: [username] };
          check((await ask(context, { ...attributes, user })).decision !== 'Allow', `${username}: refused`);
        }
    },
  },
  {
    name: 'has the same answer for the same request, also concurrently',
    async body(context) {
      const all = [...context.allowed.map(attributesOf), ...context.refused.map(accessAttributes)];
      const expected: string[] = [];
      for (const attributes of all) expected.push((await ask(context, attributes)).decision);
      const asked = Array.from({ length: 10 }, () => all).flat();
      const found = await Promise.all(asked.map((attributes) => ask(context, attributes)));
      for (const [index, attributes] of asked.entries())
        equal(found[index]?.decision, expected[index % all.length], titleOf(attributes));
    },
  },
  {
    name: 'does not depend on the order of groups, nor on further ones',
    async body(context) {
      for (const attributes of context.allowed.map(attributesOf)) {
        const { user } = attributes;
        for (const groups of [user.groups.toReversed(), ['aaa-other', ...user.groups, 'zzz-other']])
          equal(
            (await ask(context, { ...attributes, user: { ...user, groups } })).decision,
            'Allow',
            `${titleOf(attributes)} with the groups ${groups.join(', ')}`,
          );
      }
    },
  },
  {
    name: 'changes nothing in the attributes',
    async body(context) {
      for (const attributes of [...context.allowed.map(attributesOf), ...context.refused.map(accessAttributes)])
        await ask(context, deepFrozen(structuredClone(attributes)));
    },
  },
  {
    name: 'lists rules, if it does, that cover what it allows and no more',
    async body(context) {
      if (context.authorize.rulesFor === undefined) return;
      const covers = async (attributes: Attributes): Promise<boolean | undefined> => {
        const { resourceRules, incomplete } = await rulesOf(context.authorize, attributes.user, attributes.namespace);
        return resourceRules.some((rule) => coversRequest(rule, attributes)) || (incomplete ? undefined : false);
      };
      for (const attributes of context.allowed.map(attributesOf))
        if (attributes.isResource)
          check((await covers(attributes)) !== false, `${titleOf(attributes)}: covered by the rules`);
      for (const attributes of context.refused.map(accessAttributes))
        if (attributes.isResource)
          check((await covers(attributes)) !== true, `${titleOf(attributes)}: not covered by the rules`);
    },
  },
];

/** Returns whether a rule allows a request. A request without a name is about all names. */
function coversRequest(rule: ResourceRule, { verb, apiGroup, resource, subresource, name }: Attributes): boolean {
  const has = (list: readonly string[] | undefined, ...texts: readonly string[]): boolean =>
    list?.some((item) => item === '*' || texts.includes(item)) === true;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  return (
    has(rule.verbs, verb) &&
    has(rule.apiGroups, apiGroup) &&
    has(rule.resources, full, ...(subresource === '' ? [] : [`*/${subresource}`])) &&
    (rule.resourceNames === undefined || rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  );
}

/**
 * Returns the cases that every authorizer must pass: it allows what it should, nothing that only looks like it, does not
 * throw, and its rules agree with its decisions.
 *
 * @throws TypeError without an allowed or a refused request; Error for an unknown skip
 */
export function authorizerCases(options: AuthorizerCasesOptions): ContractCase[] {
  for (const name of ['allowed', 'refused'] as const)
    if (options[name].length === 0) throw new TypeError(`authorizerCases: the option ${name} must have a request`);
  return boundCases(cases, options, async () => ({ ...options, authorize: await options.create() }));
}
