import type { BoundRole } from '../rbac/grant.js';
import type { MeasuredMiss } from './misses.js';
import type { MeasuredTrial } from './rule-misses.js';

/** A binding that does not allow a request, with the rule of it that comes nearest. */
export interface Candidate {
  readonly binding: BoundRole;
  /** Absent when there is no role, or none with rules. */
  readonly best: MeasuredTrial | undefined;
  /** By what the binding itself does not fit. */
  readonly own: readonly MeasuredMiss[];
  readonly weight: number;
  readonly distance: number;
}

/** Bindings of one namespace are nearer than those of the whole cluster. */
const DISTANCE_OF_CLUSTER = 0.1;

/** A binding, weighed with the nearest rule that it has. */
export function candidateOf(
  binding: BoundRole,
  own: readonly MeasuredMiss[],
  best: MeasuredTrial | undefined,
): Candidate {
  let weight = best?.weight ?? 0;
  let distance = (best?.distance ?? 0) + (binding.kind === 'ClusterRoleBinding' ? DISTANCE_OF_CLUSTER : 0);
  for (const miss of own) {
    weight += miss.weight;
    distance += miss.distance;
  }
  return { binding, best, own, weight, distance };
}

const placeOf = ({ kind, namespace, name }: BoundRole): string => `${kind}\0${namespace}\0${name}`;

/** Fewer misses first, then nearer words, then the order of the names. */
function compare(a: Candidate, b: Candidate): number {
  if (a.weight !== b.weight) return a.weight - b.weight;
  if (a.distance !== b.distance) return a.distance - b.distance;
  return placeOf(a.binding) < placeOf(b.binding) ? -1 : 1;
}

/** The nearest of many, in order. Keeps no more than it is asked for. */
export class Nearest {
  readonly #most: number;
  readonly #kept: Candidate[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(candidate: Candidate): void {
    let at = this.#kept.length;
    while (at > 0 && compare(candidate, this.#kept[at - 1] ?? candidate) < 0) at -= 1;
    if (at >= this.#most) return;
    this.#kept.splice(at, 0, candidate);
    if (this.#kept.length > this.#most) this.#kept.pop();
  }

  values(): readonly Candidate[] {
    return this.#kept;
  }
}
