import type { PodSpec } from '../types.js';

/** The names of the resource claims of a pod. */
export class ClaimNames {
  readonly #names: ReadonlySet<string>;
  #listed: string | undefined;

  constructor(claims: PodSpec['resourceClaims'] = []) {
    this.#names = new Set(claims.map(({ name }) => name).filter((name) => name !== ''));
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** The names as errors list them. Each container of the pod may have such an error. */
  get listed(): string {
    return (this.#listed ??= this.#names.size === 0 ? ' which is empty' : `: ${[...this.#names].sort().join(', ')}`);
  }
}
