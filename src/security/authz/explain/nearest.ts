import type { BoundRole } from '../rbac/policy/grant.js';
import type { MeasuredMiss } from './misses.js';
import type { MeasuredTrial } from './rule-misses.js';

/** A binding that does not allow a request, with its nearest rule. */
export interface Candidate {
  readonly binding: BoundRole;
  /** Absent when the role does not exist or has no rules. */
  readonly best: MeasuredTrial | undefined;
  /** Misses of the binding itself. */
  readonly own: readonly MeasuredMiss[];
  readonly weight: number;
  readonly distance: number;
}

/** Extra distance of cluster-wide bindings: bindings of one namespace are nearer. */
const DISTANCE_OF_CLUSTER = 0.1;

/** Weighs a binding with its nearest rule. */
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

/** Sorts by misses, then distance, then name. */
function compare(a: Candidate, b: Candidate): number {
  if (a.weight !== b.weight) return a.weight - b.weight;
  if (a.distance !== b.distance) return a.distance - b.distance;
  return placeOf(a.binding) < placeOf(b.binding) ? -1 : 1;
}

/** Keeps the nearest candidates, in order, up to a limit. */
export class Nearest {
  readonly #limit: number;
  readonly #candidates: Candidate[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(candidate: Candidate): void {
    let at = this.#candidates.length;
    while (at > 0 && compare(candidate, this.#candidates[at - 1] ?? candidate) < 0) at -= 1;
    if (at >= this.#limit) return;
    this.#candidates.splice(at, 0, candidate);
    if (this.#candidates.length > this.#limit) this.#candidates.pop();
  }

  values(): readonly Candidate[] {
    return this.#candidates;
  }
}
