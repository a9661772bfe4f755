/**
 * The requirements on every admission plugin, as a list of cases for any test framework.
 *
 * @module
 */
import {
  ApiError,
  deepFrozen,
  dialects,
  equalJson,
  jsonText,
  jsonValue,
  messageOf,
  orch,
  type ApiObject,
  type Dialect,
  type JsonObject,
  type JsonValue,
  type StoredObject,
  type UserInfo,
} from '../../foundation/index.js';
import {
  ResourceInfo,
  type AdmissionAttributes,
  type AdmissionOperation,
  type AdmissionPlugin,
  type ResourceDefinition,
} from '../../registry/index.js';
import { FeatureGates } from '../../server/index.js';
import { check, equal } from '../assert.js';
import type { ContractCase } from '../storage-contract/index.js';
import { createManualClock } from '../time/manual-clock.js';
import { seededEntropy } from '../time/seeded-entropy.js';
import { attempted, boundCases, type SuiteCase, type SuiteOptions } from './suite.js';

/** A request for an admission plugin. */
export interface AdmissionExample {
  readonly name: string;
  readonly operation: AdmissionOperation;
  readonly kind: ResourceDefinition;
  /** The new object, without apiVersion and kind; for CREATE and UPDATE. */
  readonly object?: object | undefined;
  /** The stored object, without apiVersion and kind; for UPDATE and DELETE. */
  readonly oldObject?: object | undefined;
  readonly subresource?: string | undefined;
  /** Default that of the object; `default` for namespaced kinds. */
  readonly namespace?: string | undefined;
  /** Default `{ username: 'jane', groups: [] }`. */
  readonly user?: UserInfo | undefined;
}

/** Options of {@link admissionPluginCases}. */
export interface AdmissionPluginCasesOptions extends SuiteOptions {
  /** Creates the plugin. Called once for each case. */
  create(): AdmissionPlugin | Promise<AdmissionPlugin>;
  /** Requests that the plugin must let pass, of each of its operations. */
  readonly accepted: readonly AdmissionExample[];
  /** Requests that it must refuse. Empty for a plugin that only changes objects. */
  readonly refused: readonly AdmissionExample[];
  /** Default `orch`. */
  readonly dialect?: Dialect | 'orch' | 'kubernetes' | undefined;
}

interface Context extends AdmissionPluginCasesOptions {
  readonly plugin: AdmissionPlugin;
  readonly dialect: Dialect;
}

/** Creates the attributes that a plugin gets. The objects are copies. */
export function admissionAttributes(
  example: AdmissionExample,
  dialect: Dialect = orch,
  { dryRun = false }: { readonly dryRun?: boolean | undefined } = {},
): AdmissionAttributes {
  const info = new ResourceInfo(example.kind, dialect);
  const { operation, subresource = '', user = { username: 'jane', groups: [] } } = example;
  const object = objectOf(info, example.object);
  const oldObject = objectOf(info, example.oldObject);
  const metadata = (object ?? oldObject)?.metadata;
  const name = metadata?.name ?? '';
  return {
    ...{ operation, info, subresource, object, oldObject: oldObject as StoredObject | undefined, name, user, dryRun },
    namespace: info.namespaced ? (example.namespace ?? metadata?.namespace ?? 'default') : '',
    requestName: operation === 'CREATE' ? '' : name,
    ...(operation === 'CONNECT' ? {} : { options: () => ({ apiVersion: 'meta/v1', kind: OPTIONS[operation] }) }),
    context: {
      ...{ user, dialect, userAgent: 'test', warn: () => undefined },
      ...{ clock: createManualClock(), entropy: seededEntropy('admission'), featureGates: FeatureGates.from({}) },
    },
  };
}

const OPTIONS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

function objectOf({ apiVersion, kind }: ResourceInfo, fields: object | undefined): ApiObject | undefined {
  return fields === undefined ? undefined : { metadata: {}, ...structuredClone(fields), apiVersion, kind };
}

/** Runs both phases, as the server does. @returns the error of a refusal; undefined when the request passes */
async function run(plugin: AdmissionPlugin, attributes: AdmissionAttributes): Promise<unknown> {
  try {
    if ((await plugin.mutate?.(attributes, 0)) === 'again') await plugin.mutate?.(attributes, 1);
    await plugin.validate?.(attributes);
    return undefined;
  } catch (error) {
    return error ?? new Error('threw nothing');
  }
}

/** Checks that an error is a refusal that a client may see. */
function checkRefusal(error: unknown, name: string): void {
  check(error !== undefined, `${name}: refused`);
  if (!(error instanceof ApiError))
    throw new Error(
      `${name}: a refusal must be an ApiError, since another error is answered with 500; got ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  check(error.code >= 400 && error.code < 500, `${name}: a code from 400 to 499, got ${error.code}`);
  check(error.message !== '', `${name}: a message`);
}

const jsonOf = (value: object | undefined): JsonValue => (value ?? null) as JsonValue;

const cases: readonly SuiteCase<Context>[] = [
  {
    name: 'has a name in CamelCase, operations, and something to do',
    async body({ plugin }) {
      check(
        typeof plugin.name === 'string' && /^[A-Z][A-Za-z0-9]*$/.test(plugin.name),
        `the name ${plugin.name} in CamelCase`,
      );
      check(plugin.operations.length > 0, 'at least one operation');
      for (const operation of plugin.operations)
        check(['CREATE', 'UPDATE', 'DELETE', 'CONNECT'].includes(operation), `the operation ${operation}`);
      check(plugin.mutate !== undefined || plugin.validate !== undefined, 'mutate or validate');
    },
  },
  {
    name: 'is tested by requests that it handles, of each of its operations',
    async body({ plugin, accepted, refused }) {
      for (const { name, operation, kind } of [...accepted, ...refused]) {
        check(plugin.operations.includes(operation), `${name}: ${operation} is one of its operations`);
        check(plugin.kinds?.includes(kind) !== false, `${name}: ${kind.kind} is one of its kinds`);
      }
      for (const operation of plugin.operations)
        check(
          accepted.some((example) => example.operation === operation),
          `an accepted request of ${operation}`,
        );
    },
  },
  {
    name: 'lets pass what must be accepted',
    async body({ plugin, accepted, dialect }) {
      for (const example of accepted) {
        const error = await run(plugin, admissionAttributes(example, dialect));
        if (error !== undefined) throw new Error(`${example.name}: refused with ${messageOf(error)}`, { cause: error });
      }
    },
  },
  {
    name: 'refuses what must be refused, with an ApiError',
    async body({ plugin, refused, dialect }) {
      for (const example of refused)
        checkRefusal(await run(plugin, admissionAttributes(example, dialect)), example.name);
    },
  },
  {
    name: 'decides the same in a dry run',
    async body({ plugin, accepted, refused, dialect }) {
      for (const example of [...accepted, ...refused]) {
        const wet = await run(plugin, admissionAttributes(example, dialect));
        const dry = await run(plugin, admissionAttributes(example, dialect, { dryRun: true }));
        equal(dry === undefined, wet === undefined, `${example.name}: accepted in a dry run`);
      }
    },
  },
  {
    name: 'decides the same for concurrent requests',
    async body({ plugin, accepted, refused, dialect }) {
      const asked = Array.from({ length: 5 }, () => [...accepted, ...refused]).flat();
      const errors = await Promise.all(asked.map((example) => run(plugin, admissionAttributes(example, dialect))));
      for (const [index, example] of asked.entries())
        equal(errors[index] === undefined, accepted.includes(example), `${example.name}: accepted`);
    },
  },
  {
    name: 'changes nothing more when mutate runs again',
    async body({ plugin, accepted, dialect }) {
      for (const example of accepted) {
        const attributes = admissionAttributes(example, dialect);
        await attempted(example.name, () => plugin.mutate?.(attributes, 0));
        const once = structuredClone(jsonOf(attributes.object));
        await attempted(example.name, () => plugin.mutate?.(attributes, 1));
        equal(jsonOf(attributes.object), once, `${example.name}: the object after the second run`);
      }
    },
  },
  {
    name: 'changes neither the stored object nor what identifies the new one',
    async body({ plugin, accepted, dialect }) {
      for (const example of accepted) {
        const attributes = admissionAttributes(example, dialect);
        deepFrozen(attributes.oldObject);
        const before = identityOf(attributes.object);
        await attempted(example.name, () => plugin.mutate?.(attributes, 0));
        equal(identityOf(attributes.object), before, `${example.name}: apiVersion, kind, name, namespace and uid`);
      }
    },
  },
  {
    name: 'leaves objects that are JSON',
    async body({ plugin, accepted, dialect }) {
      for (const example of accepted) {
        const attributes = admissionAttributes(example, dialect);
        await attempted(example.name, () => plugin.mutate?.(attributes, 0));
        const value = jsonOf(attributes.object);
        const read = jsonValue(jsonText(value));
        check(equalJson(read, value), `${example.name}: the object has only values of JSON`);
      }
    },
  },
  {
    name: 'changes nothing in validate',
    async body({ plugin, accepted, dialect }) {
      for (const example of accepted) {
        const attributes = admissionAttributes(example, dialect);
        await attempted(example.name, () => plugin.mutate?.(attributes, 0));
        deepFrozen(attributes.object);
        deepFrozen(attributes.oldObject);
        await attempted(`${example.name}, with frozen objects`, () => plugin.validate?.(attributes));
      }
    },
  },
];

function identityOf(object: ApiObject | undefined): JsonObject {
  const { apiVersion = '', kind = '', metadata } = object ?? {};
  return { apiVersion, kind, name: metadata?.name, namespace: metadata?.namespace, uid: metadata?.uid };
}

/**
 * Returns the cases that every admission plugin must pass: it refuses by errors that clients may see, decides the same
 * again, and changes only what it may.
 *
 * @throws TypeError without an accepted request; Error for an unknown skip
 */
export function admissionPluginCases(options: AdmissionPluginCasesOptions): ContractCase[] {
  if (options.accepted.length === 0)
    throw new TypeError('admissionPluginCases: the option accepted must have a request');
  const { dialect: given = orch } = options;
  const dialect = typeof given === 'string' ? (dialects.get(given) ?? orch) : given;
  return boundCases(cases, options, async () => {
    for (const { kind } of [...options.accepted, ...options.refused]) await kind.prepare?.();
    return { ...options, dialect, plugin: await options.create() };
  });
}
