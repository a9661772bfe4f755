import type { PageKind } from '../data/kinds.js';
import { go, hrefOf } from '../state.js';
import { inPage } from './keys.js';

interface LinkProps {
  readonly kind: PageKind;
  /** Empty for an object of the cluster. */
  readonly namespace: string;
  readonly name: string;
}

/** Returns the names of an object in a line. */
export const placeText = (namespace: string, name: string): string =>
  namespace === '' ? name : `${namespace}/${name}`;

/** A link to the page of an object. */
export function ObjectLink({ kind: { group, version, plural }, namespace, name }: LinkProps) {
  const scope = namespace === '' ? undefined : namespace;
  const to = { at: 'object', group, version, plural, namespace: scope, name, tab: 'yaml' } as const;
  return (
    <a href={hrefOf(to)} onClick={inPage(() => go(to))}>
      {placeText(namespace, name)}
    </a>
  );
}
