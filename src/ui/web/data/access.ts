import type { UntypedInput } from '../../../entries/client-web.js';
import type { AccessQuery } from './address.js';
import type { Api } from './api.js';
import { isMap } from './guards.js';

/** A binding, as explanations name it. */
export interface Binding {
  readonly kind: string;
  /** Empty for a binding of the cluster. */
  readonly namespace: string;
  readonly name: string;
}

/** A rule of a role. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** Why a user may, or may not, do something. */
export interface Explanation {
  readonly allowed: boolean;
  readonly decidedBy?: string;
  readonly reason: string;
  readonly allowedBy?: { readonly binding: RoleBinding; readonly rule: Rule };
  readonly nearestMisses: readonly {
    readonly binding: RoleBinding;
    readonly rule?: Rule;
    readonly misses: readonly { readonly in: string; readonly wanted?: string; readonly offered?: readonly string[] }[];
  }[];
  /** The least role that would allow it, and a binding to it. */
  readonly remedy?: { readonly role: UntypedInput; readonly binding?: UntypedInput };
}

interface RoleBinding extends Binding {
  readonly roleRef: { readonly kind: string; readonly name: string };
}

/** Who may do something. */
export interface WhoCan {
  /** Groups that may do everything. */
  readonly always: readonly string[];
  readonly subjects: readonly {
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
    readonly binding: Binding;
    readonly role: string;
    readonly rule: number;
  }[];
  readonly complete: boolean;
}

/** The verbs that each of some users may use. */
export interface Matrix {
  readonly verbs: readonly string[];
  readonly rows: readonly { readonly user: string; readonly allowed: readonly boolean[] }[];
}

const PATH = 'ui/v1';

/** Explains a decision. @throws ApiFailure */
export const explain = (api: Api, { groups, ...query }: AccessQuery): Promise<Explanation> =>
  api.post(`${PATH}/explain`, { ...bodyOf(query), ...(groups === '' ? {} : { groups: namesIn(groups) }) });

/** Returns the names in a text, with commas or spaces between them. */
export const namesIn = (text: string): readonly string[] => text.split(/[\s,]+/).filter((name) => name !== '');

/** Finds who may do something. @throws ApiFailure */
export const whoCan = (api: Api, { user: _user, groups: _groups, ...query }: AccessQuery): Promise<WhoCan> =>
  api.post(`${PATH}/who-can`, bodyOf(query));

/** Finds which of some verbs some users may use. @throws ApiFailure */
export function matrix(
  api: Api,
  query: AccessQuery,
  users: readonly string[],
  verbs: readonly string[],
): Promise<Matrix> {
  const { user: _user, groups: _groups, verb: _verb, ...what } = query;
  return api.post(`${PATH}/access-matrix`, { ...bodyOf(what), users, verbs });
}

/** Creates, or only tries to create, the objects of a remedy. @throws the failure of the server */
export async function grant(api: Api, remedy: NonNullable<Explanation['remedy']>, dryRun: boolean): Promise<void> {
  for (const object of [remedy.role, remedy.binding])
    if (isMap(object)) await api.client.apply(object, { dryRun, fieldManager: 'ui', force: false });
}

/** Returns a rule in one line. */
export function ruleText({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): string {
  const on = nonResourceURLs ?? resources ?? [];
  const groups = (apiGroups ?? []).filter((group) => group !== '');
  const names = (resourceNames ?? []).length === 0 ? '' : ` named ${resourceNames?.join(', ')}`;
  return `${verbs.join(', ')} ${on.join(', ')}${groups.length === 0 ? '' : ` of ${groups.join(', ')}`}${names}`;
}

/** Returns a body without the texts that do not matter. A user means another one than oneself. */
const bodyOf = (query: Partial<AccessQuery>): object =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
