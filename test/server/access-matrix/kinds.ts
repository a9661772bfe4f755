import * as z from 'zod';
import { defineResource, type ApiServer } from '../../../src/entries/index.js';
import type { ApiObject, StoredObject } from '../../../src/foundation/objects/object.js';
import { authority, base64, requestPem } from '../../support/certificates.js';
import { SAMPLES } from '../../support/samples.js';
import { ask, jsonOf } from '../ask.js';

/** Keeps only what a status write may change. */
const statusStrategy = {
  prepareForUpdate(object: ApiObject, old: StoredObject): void {
    if (old['spec'] !== undefined) object['spec'] = old['spec'];
  },
};

const shape = () =>
  z.object({
    spec: z.object({ size: z.number().int() }).optional(),
    status: z.object({ phase: z.string().optional() }).optional(),
  });

/** A custom kind in namespaces. */
export const Gadget = defineResource({
  group: 'shop.example.com',
  version: 'v1',
  kind: 'Gadget',
  plural: 'gadgets',
  scope: 'Namespaced',
  schema: shape,
});

/** A custom kind outside namespaces, with a status. */
export const Planet = defineResource({
  group: 'sky.example.com',
  version: 'v1beta1',
  kind: 'Planet',
  plural: 'planets',
  scope: 'Cluster',
  schema: shape,
  subresources: { status: { verbs: ['get', 'patch', 'update'], strategy: statusStrategy } },
});

/** A resource or subresource as discovery lists it. */
export interface Row {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  /**
   * apiVersion of the objects read and written; it differs from the path's for a subresource that performs an
   * operation.
   */
  readonly kindVersion: string;
  /** `/api/v1`, `/apis/group/version`. */
  readonly root: string;
}

interface ResourceList {
  readonly groupVersion: string;
  readonly resources: readonly {
    readonly name: string;
    readonly namespaced: boolean;
    readonly kind: string;
    readonly verbs: readonly string[];
    readonly group?: string;
    readonly version?: string;
  }[];
}

/** Every resource and subresource that a server lists. */
export async function discoveredRows(server: ApiServer): Promise<Row[]> {
  const read = async (path: string): Promise<unknown> => jsonOf(await ask(server, 'GET', path));
  const { groups } = (await read('/apis')) as { groups: { versions: { groupVersion: string }[] }[] };
  const roots = [
    '/api/v1',
    ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`)),
  ];
  const rows = await Promise.all(roots.map(async (root) => rowsOf(root, (await read(root)) as ResourceList)));
  return rows.flat();
}

function rowsOf(root: string, { groupVersion, resources }: ResourceList): Row[] {
  const [group = '', version = ''] = groupVersion.includes('/') ? groupVersion.split('/') : ['', groupVersion];
  return resources.map(({ name, namespaced, kind, verbs, group: kindGroup, version: ofKind }) => {
    const [resource = '', subresource = ''] = name.split('/');
    const kindVersion = kindGroup === undefined || ofKind === undefined ? groupVersion : `${kindGroup}/${ofKind}`;
    return {
      group,
      version,
      apiVersion: groupVersion,
      resource,
      subresource,
      namespaced,
      kind,
      kindVersion,
      verbs,
      root,
    };
  });
}

/** Namespace of the objects of the matrix. */
export const SPACE = 'matrix';

const time = '2024-01-01T00:00:00.000000Z';
const question = { user: 'bob', resourceAttributes: { verb: 'get', resource: 'pods', namespace: SPACE } };
const roleRef = (kind: string) => ({
  roleRef: { apiGroup: 'rbac.authorization.orch.io', kind, name: 'somebody' },
  subjects: [],
});

/** The signer of the matrix's requests. */
export const SIGNER = 'example.com/matrix';

/** The required fields of a kind, by kind and first part of its group; other kinds have none. */
const FIELDS: Readonly<Record<string, object>> = {
  ...SAMPLES,
  'Event.': { involvedObject: { kind: 'Pod', namespace: SPACE, name: 'web' } },
  'Event.events': {
    regarding: { kind: 'Pod', namespace: SPACE, name: 'web' },
    eventTime: time,
    reportingController: 'orch.io/matrix',
    reportingInstance: 'matrix-0',
    action: 'Test',
    reason: 'Tested',
    type: 'Normal',
  },
  'RoleBinding.rbac': roleRef('Role'),
  'ClusterRoleBinding.rbac': roleRef('ClusterRole'),
  'CertificateSigningRequest.certificates': {
    spec: { request: base64(await requestPem()), signerName: SIGNER, usages: ['client auth'] },
  },
  'ClusterTrustBundle.certificates': { spec: { trustBundle: (await authority()).certificatePem } },
  'SubjectAccessReview.authorization': { spec: question },
  'LocalSubjectAccessReview.authorization': { spec: question },
  'SelfSubjectAccessReview.authorization': { spec: { resourceAttributes: question.resourceAttributes } },
  'SelfSubjectRulesReview.authorization': { spec: { namespace: SPACE } },
};

/** A kind whose objects are performed rather than stored: they have no names. */
export const isVirtual = ({ verbs }: Pick<Row, 'verbs'>): boolean => verbs.length === 1 && verbs[0] === 'create';

/** Kinds whose objects are named by their fields, such as the plural and group of a definition. */
const NAMED_BY_FIELDS: Readonly<Record<string, (name: string) => object>> = {
  customresourcedefinitions: definitionFields,
  apiservices: serviceFields,
};

/** Returns whether the name of an object repeats its fields. */
export const isNamedByFields = ({ resource }: Pick<Row, 'resource'>): boolean => resource in NAMED_BY_FIELDS;

/** Returns whether the server computes the objects of a kind, which nobody creates. */
export const isComputed = ({ resource }: Pick<Row, 'resource'>): boolean => resource === 'componentstatuses';

/** A name that objects of a kind may have. */
export function nameOf(row: Row, name: string): string {
  if (isComputed(row)) return 'etcd-0';
  return isNamedByFields(row) ? `${name}.m.example` : name;
}

/** The fields of the definition with a name. */
function definitionFields(name: string): object {
  const [plural = '', ...group] = name.split('.');
  return {
    spec: {
      group: group.join('.'),
      scope: 'Namespaced',
      names: { plural, kind: `Kind-${plural}` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
}

/** The fields of the service for a group version with a name. */
function serviceFields(name: string): object {
  const [version = '', ...group] = name.split('.');
  return { spec: { version, group: group.join('.'), groupPriorityMinimum: 1, versionPriority: 1 } };
}

/** A minimal valid manifest. */
export function manifestOf(
  row: Row,
  name: string,
  metadata: object = {},
): { apiVersion: string; kind: string; metadata: object } {
  const { kindVersion, kind, namespaced } = row;
  const group = kindVersion.includes('/') ? (kindVersion.split(/[./]/)[0] ?? '') : '';
  const fields = NAMED_BY_FIELDS[row.resource]?.(name) ?? FIELDS[`${kind}.${group}`] ?? {};
  return {
    apiVersion: kindVersion,
    kind,
    metadata: {
      ...(name === '' ? {} : { name }),
      ...(namespaced && name !== '' ? { namespace: SPACE } : {}),
      ...metadata,
    },
    ...fields,
  };
}
