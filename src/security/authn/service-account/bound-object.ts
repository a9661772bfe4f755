/**
 * Looks up the object to which a new token is bound.
 *
 * @module
 */
import {
  errors,
  goQuote,
  kindText,
  ownMember,
  parseApiVersion,
  pathSegment,
  whenReady,
} from '../../../foundation/index.js';
import type { ClaimedNode, TokenBinding } from '../../tokens/index.js';
import type { BoundObject, LookedUp, PodObject, ServiceAccountLookup } from './lookup.js';
import type { BoundObjectReference } from './token-request.js';

/** The part of a token's binding that comes from the reference. */
export type ReferencedBinding = Pick<TokenBinding, 'pod' | 'secret' | 'node'>;

/** The account of the token, and the lookup. */
export interface BindingScope {
  readonly namespace: string;
  /** Name of the account. */
  readonly account: string;
  readonly lookup: ServiceAccountLookup;
}

/** Binds a token to an object of one kind. */
type Bind = (
  scope: BindingScope,
  reference: BoundObjectReference,
  name: string,
) => ReferencedBinding | Promise<ReferencedBinding>;

/** Kinds of the core group that tokens can be bound to. */
const bindings: Readonly<Record<string, Bind>> = { Pod: bindToPod, Secret: bindToSecret };

/**
 * Returns the binding for a reference. The result is synchronous as long as the lookup is.
 *
 * @throws ApiError 400 for another kind, or a pod of another account; 404 when the object does not exist; 409 when the
 *   object has another uid
 */
export function bindTo(
  reference: BoundObjectReference,
  scope: BindingScope,
): ReferencedBinding | Promise<ReferencedBinding> {
  const { apiVersion = '', kind = '', name = '' } = reference;
  // As in Kubernetes, an invalid group and version counts as empty.
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' };
  const bind = group === '' && Object.hasOwn(bindings, kind) ? ownMember(bindings, kind) : undefined;
  if (bind === undefined)
    throw errors.badRequest(`cannot bind token to object of type ${kindText({ group, version, kind })}`);
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

/** Returns the node of a pod. A missing node is included by name: it is where the pod was scheduled. */
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
