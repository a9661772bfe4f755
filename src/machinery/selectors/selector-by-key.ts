import type { Steps, Work } from '../../foundation/index.js';
import type { LabelRequirement, Labels } from './label-requirement.js';
import type { LabelSelector } from './labels.js';

/** The anchor of a selector that requires no label. No label has an empty key. */
const NO_LABEL = '';

const exactAnchor = (key: string, value: string): string => `${key}=${value}`;

/** Returns whether an object without the label does not satisfy a requirement. */
const needsLabel = (requirement: LabelRequirement): boolean => !requirement.matches(undefined);

/**
 * Returns the text under which a selector is found: for each object that it matches, {@link anchorsOf} the labels contains
 * it. Of several required labels it takes the longest, since long values are rare.
 */
export function anchorOf({ requirements }: LabelSelector): string {
  let exact = NO_LABEL;
  let key = NO_LABEL;
  for (const requirement of requirements) {
    const value = requirement.exactValue;
    const anchor = value === undefined ? NO_LABEL : exactAnchor(requirement.key, value);
    if (anchor.length > exact.length) exact = anchor;
    else if (needsLabel(requirement) && key === NO_LABEL) ({ key } = requirement);
  }
  return exact === NO_LABEL ? key : exact;
}

/** Yields the anchors of all selectors that may match labels: two for each label, and that of selectors without any. */
export function* anchorsOf(labels: Labels = {}, keys: readonly string[] = Object.keys(labels)): Generator<string> {
  yield NO_LABEL;
  for (const key of keys) {
    yield key;
    yield exactAnchor(key, labels[key] ?? '');
  }
}

/**
 * A selector that is compared with many objects. A comparison looks at the requirements that need a label until one does
 * not hold, and otherwise only at those about the labels of the object.
 */
export class SelectorByKey {
  /** See {@link anchorOf}. */
  readonly anchor: string;
  readonly #matchesNothing: boolean;
  readonly #needing: readonly LabelRequirement[];
  /** The requirements that an object without the label meets, by their key. */
  readonly #allowing: ReadonlyMap<string, readonly LabelRequirement[]>;

  private constructor(
    selector: LabelSelector,
    needing: readonly LabelRequirement[],
    allowing: ReadonlyMap<string, readonly LabelRequirement[]>,
  ) {
    this.anchor = anchorOf(selector);
    this.#matchesNothing = selector.requirements.length === 0 && !selector.empty;
    this.#needing = needing;
    this.#allowing = allowing;
  }

  /** Arranges the requirements of a selector. */
  static *of(selector: LabelSelector, work: Work): Steps<SelectorByKey> {
    const needing: LabelRequirement[] = [];
    const allowing = new Map<string, LabelRequirement[]>();
    for (const requirement of selector.requirements) {
      if (work.spend(2)) yield;
      if (needsLabel(requirement)) needing.push(requirement);
      else {
        const known = allowing.get(requirement.key);
        if (known === undefined) allowing.set(requirement.key, [requirement]);
        else known.push(requirement);
      }
    }
    return new SelectorByKey(selector, needing, allowing);
  }

  /** Returns the most requirements that a comparison with labels of these keys looks at. */
  units(keys: readonly string[]): number {
    let units = this.#needing.length + keys.length;
    if (this.#allowing.size > 0) for (const key of keys) units += this.#allowing.get(key)?.length ?? 0;
    return units;
  }

  /** Returns whether labels satisfy every requirement. @param keys the keys of the labels */
  matches(labels: Labels | undefined, keys: readonly string[]): boolean {
    if (this.#matchesNothing) return false;
    for (const requirement of this.#needing) if (!requirement.matches(labels)) return false;
    if (this.#allowing.size === 0) return true;
    for (const key of keys)
      for (const requirement of this.#allowing.get(key) ?? []) if (!requirement.matches(labels)) return false;
    return true;
  }
}
