import { goQuote } from '../../meta/go-text.js';
import type { UserInfo } from '../../meta/object.js';
import type { Subject } from './types.js';

/** Who a subject is: a user by name, or a group. Service accounts are users with names of a certain form. */
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
 * Whom a subject stands for; undefined: nobody.
 *
 * @param namespace of the binding; empty for a ClusterRoleBinding
 */
export function identityOf(subject: Subject, namespace: string): Identity | undefined {
  return IDENTITY_RULES.get(subject.kind)?.(subject, namespace);
}

/** True when a subject of a binding in a namespace (empty: none) stands for a user. */
export function appliesTo(user: UserInfo, subject: Subject, namespace: string): boolean {
  const identity = identityOf(subject, namespace);
  if (identity === undefined) return false;
  return identity.kind === 'user' ? identity.name === user.username : user.groups.includes(identity.name);
}

/** A subject in the words of a reason: `Group "dev"`, `ServiceAccount "robot/default"`. */
export function describeSubject({ kind, name, namespace }: Subject, bindingNamespace: string): string {
  return `${kind} ${goQuote(kind === 'ServiceAccount' ? `${name}/${namespace || bindingNamespace}` : name)}`;
}
