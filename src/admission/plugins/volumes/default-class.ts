import type { ObjectMeta } from '../../../foundation/index.js';

interface Class {
  readonly metadata: Readonly<ObjectMeta>;
}

/**
 * Returns the default class: of those that are marked, the newest; of those created in the same second, the first by
 * name. Undefined when none is marked.
 *
 * @param marks annotations that mark a class as the default with the value `true`
 */
export function defaultClass<Item extends Class>(classes: readonly Item[], marks: readonly string[]): Item | undefined {
  const marked = classes.filter(({ metadata }) => marks.some((mark) => metadata.annotations?.[mark] === 'true'));
  return marked.sort(byAge)[0];
}

function byAge({ metadata: a }: Class, { metadata: b }: Class): number {
  const [created, other] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
  if (created !== other) return created > other ? -1 : 1;
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1;
}
