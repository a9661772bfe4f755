import { goQuote } from '../../foundation/index.js';
import type { CustomResourceDefinitionCondition, CustomResourceDefinitionNames } from '../../kinds/index.js';
import type { Definition } from './definition.js';

/** The accepted names of a definition, and the conditions about them, without times. */
export interface NamesOutcome {
  readonly names: CustomResourceDefinitionNames;
  readonly accepted: Omit<CustomResourceDefinitionCondition, 'lastTransitionTime'>;
}

/** The names that the definitions of one group have claimed. */
interface ClaimedNames {
  /** Plural, singular and short names. */
  readonly resources: ReadonlySet<string>;
  /** Kinds and list kinds. */
  readonly kinds: ReadonlySet<string>;
}

function claimedNames(definitions: Iterable<Definition>): ClaimedNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { status } of definitions) {
    const { plural, singular, shortNames, kind, listKind } = status.acceptedNames;
    for (const name of [plural, singular, ...(shortNames ?? [])]) if (name !== undefined) resources.add(name);
    for (const name of [kind, listKind]) if (name !== undefined) kinds.add(name);
  }
  return { resources, kinds };
}

/**
 * Decides which requested names of a definition are accepted: names that no other definition of the group has claimed.
 *
 * Source: `calculateNamesAndConditions` of Kubernetes' naming controller.
 *
 * @param definitions the definitions of its group
 */
export function decideNames({ spec, status }: Definition, definitions: Iterable<Definition>): NamesOutcome {
  const claimed = claimedNames(definitions);
  const requested = spec.names;
  const known = status.acceptedNames;
  let conflict: { readonly reason: string; readonly message: string } | undefined;
  const choose = (field: 'plural' | 'singular' | 'kind' | 'listKind', used: ReadonlySet<string>, reason: string) => {
    const wanted = requested[field] ?? '';
    if (wanted === (known[field] ?? '') || !used.has(wanted)) return requested[field];
    conflict = { reason, message: inUse(wanted) };
    return known[field];
  };
  const plural = choose('plural', claimed.resources, 'PluralConflict') ?? '';
  const singular = choose('singular', claimed.resources, 'SingularConflict');
  let { shortNames } = requested;
  const taken = (requested.shortNames ?? []).filter(
    (name) => known.shortNames?.includes(name) !== true && claimed.resources.has(name),
  );
  if (taken.length > 0) {
    conflict = { reason: 'ShortNamesConflict', message: aggregated(taken.map(inUse)) };
    ({ shortNames } = known);
  }
  const kind = choose('kind', claimed.kinds, 'KindConflict') ?? '';
  const listKind = choose('listKind', claimed.kinds, 'ListKindConflict');
  const condition =
    conflict === undefined
      ? { status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { status: 'False', ...conflict };
  return {
    names: { plural, singular, shortNames, kind, listKind, categories: requested.categories },
    accepted: { type: 'NamesAccepted', ...condition },
  };
}

const inUse = (name: string): string => `${goQuote(name)} is already in use`;

/** Returns the text of several errors, as Go's aggregate prints it. */
function aggregated(texts: readonly string[]): string {
  const distinct = [...new Set(texts)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}

/** Returns whether names are the same. */
export function sameNames(one: CustomResourceDefinitionNames, other: CustomResourceDefinitionNames): boolean {
  const textOf = ({ plural, singular, shortNames, kind, listKind, categories }: typeof one): string =>
    JSON.stringify([plural, singular ?? '', shortNames ?? [], kind, listKind ?? '', categories ?? []]);
  return textOf(one) === textOf(other);
}
