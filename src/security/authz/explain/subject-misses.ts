import type { Steps, UserInfo, Work } from '../../../foundation/index.js';
import { appliesTo, describeSubject, identityOf } from '../rbac/subjects.js';
import type { Subject } from '../rbac/types.js';
import { distancesFrom, type Distances } from './closeness.js';
import type { MeasuredMiss } from './misses.js';

/** Maximum number of compared groups of a user. */
const MAX_GROUPS = 32;
/** Maximum number of compared subjects of a binding. */
const MAX_SUBJECTS = 100;
/** Maximum number of named subjects: the nearest ones. */
const MAX_NAMED = 5;
/** Maximum distance at which a subject was probably meant to be the user. */
const MAX_SIMILAR = 0.5;
/** Weight of an unrelated subject, in comparison with 1 for a similar one. */
const WEIGHT_OF_UNRELATED = 2;
/** Distance of a group from a user with the same name: probably a wrong kind. */
const DISTANCE_OF_KINDS = 0.1;
/** Distance between people, service accounts and system users, which are seldom confused. */
const DISTANCE_OF_USER_TYPES = 0.3;
/** Units of a comparison of two names: about 5 microseconds. */
const UNITS_PER_NAME = 100;
/** Distance of a binding without subjects: more than that of an unrelated subject. */
const DISTANCE_WITHOUT_SUBJECTS = 2;

const SYSTEM = 'system:';
const ACCOUNT = 'system:serviceaccount';

type UserType = 'person' | 'account' | 'system';

const userTypeOf = (name: string): UserType =>
  name.startsWith(ACCOUNT) ? 'account' : name.startsWith(SYSTEM) ? 'system' : 'person';

/** Returns a name without the prefix of its user type. */
const bareName = (name: string): string =>
  name.startsWith(`${ACCOUNT}:`)
    ? name.slice(ACCOUNT.length + 1)
    : name.startsWith(SYSTEM)
      ? name.slice(SYSTEM.length)
      : name;

interface Known {
  readonly kind: 'user' | 'group';
  readonly distances: Distances;
}

const knownAs = (kind: Known['kind'], name: string): Known => ({ kind, distances: distancesFrom(bareName(name)) });

/** Compares the subjects of bindings with a user. */
export class SubjectMeasure {
  readonly #user: UserInfo;
  readonly #userType: UserType;
  readonly #known: readonly Known[];

  constructor(user: UserInfo) {
    this.#user = user;
    this.#userType = userTypeOf(user.username);
    this.#known = [
      ...(user.username === '' ? [] : [knownAs('user', user.username)]),
      ...user.groups.slice(0, MAX_GROUPS).map((name) => knownAs('group', name)),
    ];
  }

  /** Returns the first subject that matches the user, or undefined. */
  applying(subjects: readonly Subject[], namespace: string): Subject | undefined {
    return subjects.find((subject) => appliesTo(this.#user, subject, namespace));
  }

  /**
   * Measures the distance of subjects that do not match the user.
   *
   * @param namespace of the binding; empty for a ClusterRoleBinding
   */
  *miss(subjects: readonly Subject[], namespace: string, work: Work): Steps<MeasuredMiss> {
    const measured: { readonly subject: Subject; readonly distance: number }[] = [];
    for (const subject of subjects.slice(0, MAX_SUBJECTS)) {
      measured.push({ subject, distance: this.#distance(subject, namespace) });
      if (work.spend(UNITS_PER_NAME * this.#known.length)) yield;
    }
    measured.sort((a, b) => a.distance - b.distance);
    const distance = measured[0]?.distance ?? DISTANCE_WITHOUT_SUBJECTS;
    const offered = measured.slice(0, MAX_NAMED).map(({ subject }) => describeSubject(subject, namespace));
    return {
      miss: { in: 'subject', wanted: this.#user.username, offered },
      distance,
      weight: distance <= MAX_SIMILAR ? 1 : WEIGHT_OF_UNRELATED,
    };
  }

  #distance(subject: Subject, namespace: string): number {
    const { kind, name } = identityOf(subject, namespace) ?? { kind: 'user', name: subject.name };
    const bare = bareName(name);
    let nearest = 1;
    for (const known of this.#known)
      nearest = Math.min(nearest, known.distances(bare) + (known.kind === kind ? 0 : DISTANCE_OF_KINDS));
    return nearest + (userTypeOf(name) === this.#userType ? 0 : DISTANCE_OF_USER_TYPES);
  }
}
