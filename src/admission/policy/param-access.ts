/**
 * A user who writes a policy or a binding must be able to read its parameters: a policy's messages could show them.
 *
 * Source: `pkg/registry/admissionregistration/validatingadmissionpolicy*` of Kubernetes 1.31.
 *
 * @module
 */
import {
  equalJson,
  errors,
  forbidden,
  isJsonObject,
  messageOf,
  parseApiVersion,
  type StoredObject,
  type UserInfo,
} from '../../foundation/index.js';
import type { admissionregistrationV1 } from '../../kinds/index.js';
import type { AdmissionAttributes, Catalogue } from '../../registry/index.js';
import { findParamKind } from './params.js';

/** A permission that the writer needs. */
export interface ParamPermission {
  readonly verb: 'get' | 'list';
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The parts that {@link checkParamAccess} needs. */
export interface ParamAccessParts {
  readonly catalogue: Pick<Catalogue, 'resources'>;
  readonly findPolicy: (name: string) => Promise<StoredObject | undefined>;
  /** @throws Error when it cannot be decided */
  readonly isAllowed: (user: UserInfo, permission: ParamPermission) => Promise<boolean>;
}

type PolicySpec = admissionregistrationV1.ValidatingAdmissionPolicySpec;
type BindingSpec = admissionregistrationV1.ValidatingAdmissionPolicyBindingSpec;
type ParamKind = admissionregistrationV1.ParamKind;

/** Members may do everything. */
const MASTERS_GROUP = 'system:masters';
const ANY = '*';

/**
 * Refuses a write of a policy or a binding by a user who may not read its parameters.
 *
 * @throws ApiError 422 that names the missing permission
 */
export async function checkParamAccess(attributes: AdmissionAttributes, parts: ParamAccessParts): Promise<void> {
  const { object, oldObject, user, subresource, info } = attributes;
  if (subresource !== '' || object === undefined || user.groups.includes(MASTERS_GROUP)) return;
  const isPolicy = info.resource === 'validatingadmissionpolicies';
  const problem = isPolicy
    ? await policyProblem(specOf(object), oldObject === undefined ? {} : specOf(oldObject), user, parts)
    : await bindingProblem(specOf(object), user, parts);
  if (problem === undefined) return;
  throw errors.invalid(info, object.metadata.name ?? '', [
    forbidden(isPolicy ? 'spec.paramKind' : 'spec.paramRef', problem),
  ]);
}

/** Returns the spec of a valid object, which validation has checked. */
const specOf = (object: object): object => ('spec' in object && isJsonObject(object.spec) ? object.spec : {});

async function policyProblem(
  { paramKind }: PolicySpec,
  { paramKind: oldKind }: PolicySpec,
  user: UserInfo,
  parts: ParamAccessParts,
): Promise<string | undefined> {
  if (paramKind === undefined || equalJson(paramKind, oldKind)) return undefined;
  const permission: ParamPermission = { ...targetOf(paramKind, parts).target, verb: 'get', namespace: ANY, name: ANY };
  try {
    if (await parts.isAllowed(user, permission)) return undefined;
  } catch (error) {
    return messageOf(error);
  }
  const { kind = '', apiVersion = '' } = paramKind;
  return `user ${userText(user)} must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
}

/** Kubernetes checks every write of a binding that has a parameter, whether or not the parameter changes. */
async function bindingProblem(
  { policyName = '', paramRef }: BindingSpec,
  user: UserInfo,
  parts: ParamAccessParts,
): Promise<string | undefined> {
  if (paramRef === undefined) return undefined;
  const policy = await parts.findPolicy(policyName);
  const { paramKind }: PolicySpec = policy === undefined ? {} : specOf(policy);
  const { target, problem } = paramKind === undefined ? ANY_KIND : targetOf(paramKind, parts);
  const { name = '', namespace = '' } = paramRef;
  const verb = name === '' ? 'list' : 'get';
  try {
    if (await parts.isAllowed(user, { ...target, verb, namespace, name })) return undefined;
  } catch (error) {
    return `failed to authorize request: ${messageOf(error)}`;
  }
  const who = `user ${userText(user)} does not have "${verb}" permission`;
  const unknown = policy === undefined ? `unable to get policy ${policyName}` : problem;
  return unknown === undefined
    ? `${who} on the object referenced by paramRef`
    : `${unknown} to determine minimum required permissions and ${who} for all groups, versions and resources`;
}

type Target = Pick<ParamPermission, 'group' | 'version' | 'resource'>;

interface FoundTarget {
  readonly target: Target;
  /** Why the resource is not known. */
  readonly problem?: string | undefined;
}

const ANY_KIND: FoundTarget = { target: { group: ANY, version: ANY, resource: ANY } };

/** Returns the resource of the parameters; what is not known of it becomes any. */
function targetOf(paramKind: ParamKind, { catalogue }: ParamAccessParts): FoundTarget {
  const { apiVersion = '', kind = '' } = paramKind;
  const shown = `paramKind &{${apiVersion} ${kind}}`;
  const parsed = parseApiVersion(apiVersion);
  if (parsed === undefined) return { ...ANY_KIND, problem: `unable to parse ${shown}` };
  const info = findParamKind(catalogue, paramKind);
  if (info === undefined) return { target: { ...parsed, resource: ANY }, problem: `unable to resolve ${shown}` };
  return { target: { ...parsed, resource: info.resource } };
}

/** Formats a user as Go prints it. */
function userText({ username, uid = '', groups, extra = {} }: UserInfo): string {
  const entries = Object.entries(extra)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, values]) => `${key}:[${values.join(' ')}]`);
  return `&{${username} ${uid} [${groups.join(' ')}] map[${entries.join(' ')}]}`;
}
