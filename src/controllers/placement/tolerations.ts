import type { coreV1 } from '../../kinds/index.js';

/** Up to this number, tolerations are compared one by one. */
const FEW = 8;

/** The tolerations of a pod. Finds that of a taint without a look at all of them. */
export class Tolerations {
  readonly #tolerations: readonly coreV1.Toleration[];
  /** The place of the first toleration of each shape; undefined until it is needed. */
  #places: Map<string, number> | undefined;

  constructor(tolerations: readonly coreV1.Toleration[]) {
    this.#tolerations = tolerations;
  }

  /** Returns the first toleration that covers a taint; undefined when none does. */
  first(taint: coreV1.Taint): coreV1.Toleration | undefined {
    if (this.#tolerations.length <= FEW) return this.#tolerations.find((toleration) => covers(toleration, taint));
    this.#places ??= placesOf(this.#tolerations);
    let first = Infinity;
    for (const effect of ['', taint.effect])
      for (const key of ['', taint.key])
        for (const value of [undefined, taint.value ?? ''])
          first = Math.min(first, this.#places.get(shapeOf(effect, key, value)) ?? Infinity);
    return this.#tolerations[first];
  }
}

function covers({ key = '', operator, value = '', effect = '' }: coreV1.Toleration, taint: coreV1.Taint): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}

function placesOf(tolerations: readonly coreV1.Toleration[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [place, { key = '', operator, value = '', effect = '' }] of tolerations.entries()) {
    const shape = shapeOf(effect, key, operator === 'Exists' ? undefined : value);
    if (!places.has(shape)) places.set(shape, place);
  }
  return places;
}

/** @param value undefined for any value */
const shapeOf = (effect: string, key: string, value: string | undefined): string =>
  `${effect}\n${key}\n${value === undefined ? '' : `=${value}`}`;
