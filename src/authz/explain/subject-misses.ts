import type { UserInfo } from '../../meta/object.js';
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
const ALIKE = 0.5;
/** A binding to an unrelated subject says little about a request: it counts for two. */
const WEIGHT_OF_STRANGERS = 2;
/** Distance of a group from a user with the same name: probably a wrong kind. */
const DISTANCE_OF_KINDS = 0.1;
/** Distance between people, service accounts and system users, which are seldom confused. */
const DISTANCE_OF_SORTS = 0.3;
/** Distance of a binding without subjects: more than one for a stranger. */
const DISTANCE_OF_NOBODY = 2;

const SYSTEM = 'system:';
const ACCOUNT = 'system:serviceaccount';

type Sort = 'person' | 'account' | 'system';

const sortOf = (name: string): Sort =>
  name.startsWith(ACCOUNT) ? 'account' : name.startsWith(SYSTEM) ? 'system' : 'person';

/** Returns a name without the prefix of its sort. */
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
  readonly #sort: Sort;
  readonly #known: readonly Known[];

  constructor(user: UserInfo) {
    this.#user = user;
    this.#sort = sortOf(user.username);
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
  miss(subjects: readonly Subject[], namespace: string): MeasuredMiss {
    const measured = subjects
      .slice(0, MAX_SUBJECTS)
      .map((subject) => ({ subject, distance: this.#distance(subject, namespace) }))
      .sort((a, b) => a.distance - b.distance);
    const distance = measured[0]?.distance ?? DISTANCE_OF_NOBODY;
    const offered = measured.slice(0, MAX_NAMED).map(({ subject }) => describeSubject(subject, namespace));
    return {
      miss: { in: 'subject', wanted: this.#user.username, offered },
      distance,
      weight: distance <= ALIKE ? 1 : WEIGHT_OF_STRANGERS,
    };
  }

  #distance(subject: Subject, namespace: string): number {
    const { kind, name } = identityOf(subject, namespace) ?? { kind: 'user', name: subject.name };
    const bare = bareName(name);
    let nearest = 1;
    for (const known of this.#known)
      nearest = Math.min(nearest, known.distances(bare) + (known.kind === kind ? 0 : DISTANCE_OF_KINDS));
    return nearest + (sortOf(name) === this.#sort ? 0 : DISTANCE_OF_SORTS);
  }
}
