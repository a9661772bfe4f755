/**
 * Finding the object that a new token is to be bound to.
 *
 * @module
 */
import { errors } from '../../meta/api-error.js';
import { goQuote } from '../../meta/go-text.js';
import { pathSegment } from '../../meta/names.js';
import { parseApiVersion } from '../../meta/object.js';
import type { ClaimedNode, TokenBinding } from '../../tokens/index.js';
import type { BoundObject, LookedUp, PodObject, ServiceAccountLookup } from './lookup.js';
import type { BoundObjectReference } from './token-request.js';
import { whenReady } from './when-ready.js';

/** The part of a token's binding that comes from the reference. */
export type ReferencedBinding = Pick<TokenBinding, 'pod' | 'secret' | 'node'>;

/** The account that asks, and where objects are found. */
export interface BindingScope {
  readonly namespace: string;
  /** Name of the account. */
  readonly account: string;
  readonly lookup: ServiceAccountLookup;
}

/** How an object of one kind is bound to. */
type Bind = (
  scope: BindingScope,
  reference: BoundObjectReference,
  name: string,
) => ReferencedBinding | Promise<ReferencedBinding>;

/** The kinds of the core group that a token may be bound to. */
const bindings: Readonly<Record<string, Bind>> = { Pod: bindToPod, Secret: bindToSecret };

/**
 * What a token is bound to by a reference. Stays synchronous as long as the look-up does.
 *
 * @throws ApiError 400 when the reference is to another kind, or the pod is another account's; 404 when there is no such
 *   object; 409 when the object has another uid
 */
export function bindTo(
  reference: BoundObjectReference,
  scope: BindingScope,
): ReferencedBinding | Promise<ReferencedBinding> {
  const { apiVersion = '', kind = '', name = '' } = reference;
  // What is no group and version at all counts as neither, as in the production system.
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' };
  const bind = group === '' && Object.hasOwn(bindings, kind) ? bindings[kind] : undefined;
  if (bind === undefined)
    throw errors.badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  if (name === '') throw errors.badRequest('Name parameter required.');
  const problems = pathSegment(name, false);
  if (problems.length > 0) throw errors.badRequest(`Name parameter invalid: ${goQuote(name)}: ${problems.join(';')}`);
  return bind(scope, reference, name);
}

function bindToSecret(
  { namespace, lookup }: BindingScope,
  reference: BoundObjectReference,
  name: string,
): ReferencedBinding | Promise<ReferencedBinding> {
  return whenReady(found(lookup.secret(namespace, name), 'secrets', name), (secret) => ({
    secret: { name, uid: uidOf(secret, reference, name) },
  }));
}

function bindToPod(
  { namespace, account, lookup }: BindingScope,
  reference: BoundObjectReference,
  name: string,
): ReferencedBinding | Promise<ReferencedBinding> {
  return whenReady(found(lookup.pod(namespace, name), 'pods', name), (pod) => {
    if (pod.spec?.serviceAccountName !== account) {
      throw errors.badRequest(
        `cannot bind token for serviceaccount ${goQuote(account)} to pod running with different serviceaccount name.`,
      );
    }
    return whenReady(nodeOf(pod, lookup), (node) => ({
      pod: { name, uid: uidOf(pod, reference, name) },
      ...(node && { node }),
    }));
  });
}

/** The node that a pod runs on. A node that is not there is named all the same: it says where the pod was put. */
function nodeOf({ spec }: PodObject, lookup: ServiceAccountLookup): LookedUp<ClaimedNode> {
  const name = spec?.nodeName ?? '';
  if (name === '') return undefined;
  return whenReady(lookup.node(name), (node) => ({
    name,
    ...(node?.metadata.uid !== undefined && { uid: node.metadata.uid }),
  }));
}

function found<Type>(object: LookedUp<Type>, resource: string, name: string): Type | Promise<Type> {
  return whenReady(object, (value) => {
    if (value === undefined) throw errors.notFound({ group: '', resource }, name);
    return value;
  });
}

function uidOf(
  { metadata: { uid = '' } }: BoundObject,
  { kind = '', uid: wanted = '' }: BoundObjectReference,
  name: string,
): string {
  if (wanted === '' || wanted === uid) return uid;
  const why = `the UID in the bound object reference (${wanted}) does not match the UID in record. The object might have been deleted and then recreated`;
  throw errors.conflict({ group: '', resource: kind }, name, why);
}
