import type { UntypedObject } from '../../../entries/client-web.js';
import type { Dependant } from '../../answers.js';
import type { Api } from './api.js';
import { isMap } from './guards.js';
import type { PageKind } from './kinds.js';

/** The objects that name an object as an owner. */
export interface Related {
  readonly dependants: readonly Dependant[];
  /** How many more there are that the user may not get. */
  readonly hidden: number;
  readonly complete: boolean;
}

const TEXTS = ['group', 'version', 'kind', 'resource', 'namespace', 'name', 'uid'] as const;

const isDependant = (value: unknown): value is Dependant =>
  isMap(value) && TEXTS.every((name) => typeof value[name] === 'string');

/** Reads the dependants of an object. @throws ApiFailure */
export async function readRelated(api: Api, uid: string, signal: AbortSignal): Promise<Related> {
  const query = new URLSearchParams({ uid });
  const sent = await api.read<unknown>(`ui/v1/related?${query}`, 'application/json', signal);
  if (!isMap(sent)) return { dependants: [], hidden: 0, complete: false };
  const { dependants, hidden, complete } = sent;
  return {
    dependants: Array.isArray(dependants) ? dependants.filter(isDependant) : [],
    hidden: typeof hidden === 'number' ? hidden : 0,
    complete: complete === true,
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
