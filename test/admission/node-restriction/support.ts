import * as z from 'zod';
import { nodeRestriction, type NodeRestrictionOptions } from '../../../src/admission/index.js';
import { ApiError } from '../../../src/foundation/errors/api-error.js';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import type { ApiObject, OwnerReference, StoredObject, UserInfo } from '../../../src/foundation/objects/object.js';
import { systemGroup, type Dialect, type SystemGroup } from '../../../src/foundation/index.js';
import type { AdmissionAttributes, AdmissionOperation } from '../../../src/registry/verbs/admission.js';
import { defineResource } from '../../../src/registry/definition/definition.js';
import { ResourceInfo } from '../../../src/registry/definition/resource-info.js';
import { createManualClock, seededEntropy } from '../../../src/entries/testing.js';

const GROUPS: Readonly<Record<string, SystemGroup>> = {
  leases: systemGroup('coordination'),
  csinodes: systemGroup('storage'),
  resourceslices: systemGroup('resource'),
  certificatesigningrequests: systemGroup('certificates'),
};

const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  'nodes',
  'csinodes',
  'resourceslices',
  'certificatesigningrequests',
]);

/** A built-in resource, whether it is served or not: the plugin only reads group and plural name. */
function infoOf(plural: string, dialect: Dialect): ResourceInfo {
  const scope = CLUSTER_SCOPED.has(plural) ? 'Cluster' : 'Namespaced';
  return new ResourceInfo(
    defineResource({
      group: GROUPS[plural] ?? '',
      version: 'v1',
      kind: 'Thing',
      plural,
      scope,
      schema: () => z.object({}),
    }),
    dialect,
  );
}

/** The agent of `mynode`. */
export const agent: UserInfo = { username: 'system:node:mynode', groups: ['system:nodes', 'system:authenticated'] };
export const bob: UserInfo = { username: 'bob', groups: ['system:authenticated'] };

type Metadata = ApiObject['metadata'];

/** An object of which only these fields matter. */
export function objectOf(metadata: Metadata, fields: JsonObject = {}): ApiObject & StoredObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata, ...fields } as ApiObject & StoredObject;
}

export const ownedBy = (node: string, changes: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'Node',
  name: node,
  uid: `${node}-uid`,
  controller: true,
  ...changes,
});

/** A pod on a node, or an unscheduled one. A mirror pod has the annotation and is owned by its node. */
export function podOf(
  dialect: Dialect,
  name: string,
  nodeName: string,
  {
    mirror = false,
    ...fields
  }: {
    readonly mirror?: boolean;
    readonly spec?: JsonObject;
    readonly status?: JsonObject;
    readonly metadata?: Metadata;
  } = {},
) {
  const marks: Metadata = mirror
    ? { annotations: { [`${dialect.labelDomain}/config.mirror`]: 'true' }, ownerReferences: [ownedBy(nodeName)] }
    : {};
  const spec = { ...(nodeName === '' ? {} : { nodeName }), ...fields.spec };
  return objectOf(
    { name, namespace: 'ns', uid: `${name}-uid`, ...marks, ...fields.metadata },
    { spec, ...(fields.status === undefined ? {} : { status: fields.status }) },
  );
}

/** The attributes of a request besides operation and resource, which is written `pods` or `pods/status`. */
export interface Facts {
  readonly object?: ApiObject;
  readonly oldObject?: StoredObject;
  /** Default: the name of the object, new or old. */
  readonly name?: string;
  /** Default `ns`. */
  readonly namespace?: string;
  readonly user?: UserInfo;
}

/** The outcome: `true`, or the code and text of the refusal. */
export type Outcome = true | string;

/** A plugin for some pods and `mynode`. */
export function pluginFor(dialect: Dialect, options: Partial<NodeRestrictionOptions> = {}) {
  const pods = ['mynode', 'othernode', ''].flatMap((node) => [
    podOf(dialect, `mirror-${node}`, node, { mirror: true }),
    podOf(dialect, `pod-${node}`, node),
  ]);
  const plugin = nodeRestriction({
    dialect,
    findPod: (namespace, name) =>
      pods.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    findNode: async (name) => (name === 'mynode' ? objectOf({ name, uid: 'mynode-uid' }) : undefined),
    ...options,
  });
  return {
    plugin,
    async ask(operation: AdmissionOperation, resource: string, facts: Facts = {}): Promise<Outcome> {
      try {
        await plugin.mutate?.(attributesOf(dialect, operation, resource, facts), 0);
        return true;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return `${error.status.code} ${error.message}`;
      }
    },
  };
}

export function attributesOf(
  dialect: Dialect,
  operation: AdmissionOperation,
  resource: string,
  { object, oldObject, user = agent, ...facts }: Facts,
): AdmissionAttributes {
  const [plural = '', subresource = ''] = resource.split('/');
  const info = infoOf(plural, dialect);
  const name = facts.name ?? object?.metadata.name ?? oldObject?.metadata.name ?? '';
  const namespace = info.namespaced ? (facts.namespace ?? 'ns') : '';
  const context = {
    user,
    dialect,
    clock: createManualClock(),
    entropy: seededEntropy(0),
    featureGates: { enabled: () => false },
    userAgent: 'test',
    warn: () => undefined,
  };
  return {
    operation,
    info,
    subresource,
    namespace,
    name,
    requestName: name,
    object,
    oldObject,
    user,
    dryRun: false,
    context,
  };
}
