import type { UntypedObject } from '../../../entries/client-web.js';
import type { Dependant, Referrer } from '../../answers.js';
import type { Api } from './api.js';
import { isMap, listOf } from './guards.js';
import type { PageKind } from './kinds.js';

/** The objects that name an object as an owner. */
export interface Related {
  readonly dependants: readonly Dependant[];
  /** How many more there are that the user may not get. */
  readonly hidden: number;
  readonly complete: boolean;
  /** The objects that name it in a field. */
  readonly referredBy: readonly Referrer[];
  /** How many more there are. */
  readonly otherReferrers: number;
}

const NOTHING: Related = { dependants: [], hidden: 0, complete: false, referredBy: [], otherReferrers: 0 };

const TEXTS = ['group', 'version', 'kind', 'resource', 'namespace', 'name', 'uid'] as const;

const isDependant = (value: unknown): value is Dependant =>
  isMap(value) && TEXTS.every((name) => typeof value[name] === 'string');

const isReferrer = (value: unknown): value is Referrer =>
  isMap(value) && typeof value['field'] === 'string' && isDependant(value);

/**
 * Reads the dependants of an object.
 *
 * @param named the object, if those that name it are wanted, too
 * @throws ApiFailure
 */
export async function readRelated(
  api: Api,
  uid: string,
  signal: AbortSignal,
  named?: Pick<Dependant, 'group' | 'kind' | 'namespace' | 'name'>,
): Promise<Related> {
  const { namespace: of, ...names } = named ?? { namespace: undefined };
  const query = new URLSearchParams({ uid, ...(of === undefined ? {} : { ...names, of }) });
  const sent = await api.read<unknown>(`ui/v1/related?${query}`, 'application/json', signal);
  if (!isMap(sent)) return NOTHING;
  const { dependants, hidden, complete, referredBy, otherReferrers } = sent;
  return {
    dependants: Array.isArray(dependants) ? dependants.filter(isDependant) : [],
    hidden: typeof hidden === 'number' ? hidden : 0,
    complete: complete === true,
    referredBy: listOf(referredBy).filter(isReferrer),
    otherReferrers: typeof otherReferrers === 'number' ? otherReferrers : 0,
  };
}

/** Returns the owners that an object names. */
export const ownersOf = ({ metadata }: UntypedObject) => metadata.ownerReferences ?? [];

/** Returns the place of an owner. It is in the namespace of its dependant, if its kind has namespaces. */
export function placeOfOwner(
  { apiVersion, kind, name }: { readonly apiVersion: string; readonly kind: string; readonly name: string },
  namespace: string | undefined,
  kinds: readonly PageKind[],
): Omit<Dependant, 'uid'> {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const known = kinds.find((each) => each.group === group && each.kind === kind);
  return {
    ...{ group, version, kind, name },
    resource: known?.plural ?? kind.toLowerCase(),
    namespace: known?.namespaced === false ? '' : (namespace ?? ''),
  };
}
