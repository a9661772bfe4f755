import type { UserInfo } from '../../meta/object.js';
import { appliesTo, describeSubject, identityOf } from '../rbac/subjects.js';
import type { Subject } from '../rbac/types.js';
import { distancesFrom, type Distances } from './closeness.js';
import type { MeasuredMiss } from './misses.js';

/** Groups of a user that subjects are compared with; whoever is in more is not told about likeness to the others. */
const MAX_GROUPS = 32;
/** Subjects of a binding that are compared. */
const MAX_SUBJECTS = 100;
/** Subjects that are named; the nearest of those that were compared. */
const MAX_NAMED = 5;
/** Up to here a subject may well have been meant to be the user. */
const ALIKE = 0.5;
/** A binding to somebody else altogether says little about a request: it counts for two. */
const WEIGHT_OF_STRANGERS = 2;
/** A group of a user's name was meant to be a user, or the other way round. */
const DISTANCE_OF_KINDS = 0.1;
/** People, service accounts and the system's own are seldom confused with each other. */
const DISTANCE_OF_SORTS = 0.3;
/** A binding without subjects is further from everybody than one for a stranger. */
const DISTANCE_OF_NOBODY = 2;

const SYSTEM = 'system:';
const ACCOUNT = 'system:serviceaccount';

type Sort = 'person' | 'account' | 'system';

const sortOf = (name: string): Sort =>
  name.startsWith(ACCOUNT) ? 'account' : name.startsWith(SYSTEM) ? 'system' : 'person';

/** A name without what all names of its sort begin with. */
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

/** How the subjects of bindings fit a user. */
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

  /** The first subject that stands for the user; undefined when none does. */
  applying(subjects: readonly Subject[], namespace: string): Subject | undefined {
    return subjects.find((subject) => appliesTo(this.#user, subject, namespace));
  }

  /**
   * By how much subjects miss the user, none of which stands for the user.
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
