import { goQuote, type UserInfo } from '../../../foundation/index.js';
import type { Subject } from './types.js';

/** The identity of a subject: a user by name, or a group. Service accounts are users with names of a fixed form. */
export interface Identity {
  readonly kind: 'user' | 'group';
  readonly name: string;
}

type IdentityRule = (subject: Subject, namespace: string) => Identity | undefined;

const IDENTITY_RULES: ReadonlyMap<string, IdentityRule> = new Map<string, IdentityRule>([
  ['User', ({ name }) => ({ kind: 'user', name })],
  ['Group', ({ name }) => ({ kind: 'group', name })],
  [
    'ServiceAccount',
    (subject, namespace) => {
      const home = subject.namespace || namespace;
      return home === '' ? undefined : { kind: 'user', name: `system:serviceaccount:${home}:${subject.name}` };
    },
  ],
]);

/**
 * Returns the identity of a subject, or undefined when it matches no user.
 *
 * @param namespace of the binding; empty for a ClusterRoleBinding
 */
export function identityOf(subject: Subject, namespace: string): Identity | undefined {
  return IDENTITY_RULES.get(subject.kind)?.(subject, namespace);
}

/** True when a subject of a binding in a namespace (empty: cluster-wide) matches a user. */
export function appliesTo(user: UserInfo, subject: Subject, namespace: string): boolean {
  const identity = identityOf(subject, namespace);
  if (identity === undefined) return false;
  return identity.kind === 'user' ? identity.name === user.username : user.groups.includes(identity.name);
}

/** Formats a subject for a reason: `Group "dev"`, `ServiceAccount "robot/default"`. */
export function describeSubject({ kind, name, namespace }: Subject, bindingNamespace: string): string {
  return `${kind} ${goQuote(kind === 'ServiceAccount' ? `${name}/${namespace || bindingNamespace}` : name)}`;
}
